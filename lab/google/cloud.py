"""Google's side: what happens when its API is called.

Each call is one transaction on the store. A refused call changes nothing; the log keeps both.
"""

import threading
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

from lab.google import faults, refusals
from lab.google.catalogue import Catalogue
from lab.google.computed import CLUSTER, NODE_POOL, cluster_id, completed, pools_of
from lab.google.endpoint import reachable
from lab.google.faults import Call, Kind
from lab.google.naming import Provider, identifier, located
from lab.google.refusal import Incomplete, LostAnswer, Refusal, not_found
from lab.google.store import ERROR, RUNNING, Record, Store
from lab.google.values import Document

PREVENT = "PREVENT"
ABANDON = "ABANDON"


@dataclass
class Cloud:
    """The cloud in a store.

    Attributes:
        catalogue: The types and their facts.
        store: Where the resources are.
        provider: The configuration of the provider that calls.
    """

    catalogue: Catalogue
    store: Store
    provider: Provider

    def __post_init__(self) -> None:
        # One operation at a time on a cluster and its pools, as in the real provider.
        self._locks: defaultdict[str, threading.Lock] = defaultdict(threading.Lock)

    def create(self, type_: str, inputs: Document, urn: str = "") -> Record:
        """Makes a resource.

        Args:
            type_: Pulumi's type.
            inputs: Its inputs.
            urn: The resource of the program.

        Raises:
            Refusal: Google says no; nothing was made.
            LostAnswer: It was made, and nobody was told.
            Incomplete: It was made and is not in order.
        """
        facts = self.catalogue.facts[type_]
        document = located(facts, inputs, self.provider)
        id_ = identifier(facts, document)
        call = Call("create", type_, id_.rpartition("/")[2])
        with self._one_at_a_time(call, document):
            with self._logged(call, id_, urn):
                existing = self.store.get(id_, type_)
                if existing and inputs.get("createIgnoreAlreadyExists"):
                    return existing
                if existing and facts.create_again == "refuse":
                    raise Refusal(409, f"The resource '{id_}' already exists", "alreadyExists")
                self._judge(type_, id_, document, None)
                record = Record(type_, id_, completed(self.catalogue, type_, id_, document, {}, self.store), urn=urn)
                record = self._with_machines(call, record)
                self.store.put(record)
            return self._answered(call, record)

    def update(self, type_: str, id_: str, inputs: Document, urn: str = "") -> Record:
        """Changes a resource in place, and mends a node pool that had no machines.

        Raises:
            Refusal: Google says no; nothing was changed.
            LostAnswer: It was changed, and nobody was told.
            Incomplete: It was changed and is not in order.
        """
        call = Call("update", type_, id_.rpartition("/")[2])
        with self._one_at_a_time(call, {**inputs, "id": id_}):
            with self._logged(call, id_, urn):
                old = self.store.get(id_, type_)
                if old is None:
                    raise not_found(id_)
                document = {**inputs, **_places(old.document)}
                self._judge(type_, id_, document, old.document)
                document = completed(self.catalogue, type_, id_, document, old.document, self.store)
                record = self._with_machines(call, replace(old, document=document))
                self.store.put(record)
            return self._answered(call, record)

    def delete(self, type_: str, id_: str, state: Document, urn: str = "") -> None:
        """Removes a resource; one that is gone already is fine, as for the real provider.

        Args:
            type_: Pulumi's type.
            id_: Its identifier.
            state: Its last known properties; the deletion policy in them is the provider's own.
            urn: The resource of the program.

        Raises:
            Refusal: Something still needs it or protects it.
            LostAnswer: It was removed, and nobody was told.
        """
        policy = state.get("deletionPolicy")
        if policy == ABANDON:
            return
        if policy == PREVENT:
            raise Refusal(
                400, f"cannot destroy {id_} while its deletionPolicy is PREVENT: set it to DELETE, run an update, then destroy", "prevented"
            )
        call = Call("delete", type_, id_.rpartition("/")[2])
        with self._one_at_a_time(call, {**state, "id": id_}):
            with self._logged(call, id_, urn):
                record = self.store.get(id_, type_)
                if record is None:
                    return
                for refusal in refusals.of_delete(refusals.Removal(type_, id_, {**record.document, **_guards(state)}, self.store)):
                    raise refusal
                self.store.delete(id_)
                if type_ == CLUSTER:
                    for pool, _ in pools_of(self.store, id_):
                        self.store.delete(pool)
            self._answered(call, record)

    def read(self, type_: str, id_: str) -> Record | None:
        """The resource, or None when there is none.

        Raises:
            Refusal: The caller may not see it.
        """
        call = Call("read", type_, id_.rpartition("/")[2])
        with self._logged(call, id_, ""):
            record = self.store.get(id_, type_)
            if record is None or type_ != CLUSTER:
                return record
            return replace(record, document=reachable(record.document, self.store.path.parent))

    def _judge(self, type_: str, id_: str, document: Document, old: Document | None) -> None:
        for refusal in refusals.of_write(refusals.Write(type_, id_, document, old, self.store, self.catalogue)):
            raise refusal

    def _with_machines(self, call: Call, record: Record) -> Record:
        if call.type != NODE_POOL:
            return record
        if (call.method == "create" or record.status == ERROR) and faults.meets(self.store, call, Kind.STOCK_OUT):
            return replace(record, status=ERROR, message=faults.stock_out_message(call.name, record.document["nodeLocations"]))
        return replace(record, status=RUNNING, message="")

    def _answered(self, call: Call, record: Record) -> Record:
        slow = faults.meets(self.store, call, Kind.SLOW)
        if slow:
            time.sleep(slow.seconds)
        if faults.meets(self.store, call, Kind.LOST_ANSWER):
            raise LostAnswer(f"{call.method} of {record.id}: the connection was closed before the answer came; it may have been done")
        if record.status == ERROR and call.method != "delete":
            raise Incomplete(record.id, record.message)
        return record

    @contextmanager
    def _logged(self, call: Call, id_: str, urn: str) -> Iterator[None]:
        try:
            # Before the transaction: a refused call is rolled back, the fault it met stays counted.
            faults.refuse(self.store, call)
            with self.store.transaction():
                yield
                self.store.log(call.method, call.type, id_, urn)
        except Refusal as refusal:
            self.store.log(call.method, call.type, id_, urn, str(refusal))
            raise

    @contextmanager
    def _one_at_a_time(self, call: Call, document: Document) -> Iterator[None]:
        if call.type not in (CLUSTER, NODE_POOL):
            yield
            return
        key = str(document.get("id", "")).partition("/nodePools/")[0]
        if not key:
            key = cluster_id(document) if call.type == NODE_POOL else identifier(self.catalogue.facts[CLUSTER], document)
        with self._locks[key]:
            faults.wait_for_cluster(self.store, call)
            yield


def _places(document: Document) -> Document:
    return {key: document[key] for key in ("project", "region", "location") if key in document}


def _guards(state: Document) -> Document:
    # The provider asks its own state, not Google, whether a cluster is protected.
    return {"deletionProtection": state["deletionProtection"]} if "deletionProtection" in state else {}
