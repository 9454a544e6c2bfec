from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lab.begun import (
    identifiable,
    identifiers,
    import_template,
    pending_creates,
    planned_creates,
    unanswered_creates,
    with_adopted,
    with_old_kept,
    with_pending,
)
from lab.errors import LabError
from lab.google.facts import read_facts

STACK = "urn:pulumi:one::p::pulumi:pulumi:Stack::p-one"
PROVIDER = "urn:pulumi:one::p::pulumi:providers:gcp::default"
CLUSTER = "urn:pulumi:one::p::gcp:container/cluster:Cluster::cluster"
POOL = "urn:pulumi:one::p::my:index:Pool$gcp:container/nodePool:NodePool::pool"

FACTS = read_facts()


def resource(urn: str, inputs: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    return {
        "urn": urn,
        "type": urn.split("::")[2].rsplit("$", maxsplit=1)[-1],
        "inputs": inputs or {},
        "parent": STACK,
        "provider": f"{PROVIDER}::1",
        **more,
    }


def state(resources: list[dict[str, Any]], *pending: dict[str, Any], operation: str = "creating") -> dict[str, Any]:
    provider = {
        "urn": PROVIDER,
        "id": "1",
        "type": "pulumi:providers:gcp",
        "inputs": {"project": "from-provider", "region": "europe-west4"},
    }
    return {
        "version": 3,
        "deployment": {
            "resources": [{"urn": STACK, "type": "pulumi:pulumi:Stack"}, provider, *resources],
            "pending_operations": [{"type": operation, "resource": entry} for entry in pending],
        },
    }


class TestTheIdentifierOfABegunCreate:
    @pytest.mark.parametrize(
        ("type_", "inputs", "identifier"),
        [
            (
                "gcp:container/nodePool:NodePool",
                {"project": "p", "location": "l", "cluster": "c", "name": "n"},
                "projects/p/locations/l/clusters/c/nodePools/n",
            ),
            (
                "gcp:container/nodePool:NodePool",
                {"location": "l", "cluster": "projects/x/locations/l/clusters/c", "name": "n"},
                "projects/from-provider/locations/l/clusters/c/nodePools/n",
            ),
            ("gcp:compute/subnetwork:Subnetwork", {"name": "n"}, "projects/from-provider/regions/europe-west4/subnetworks/n"),
            (
                "gcp:serviceaccount/account:Account",
                {"accountId": "nodes"},
                "projects/from-provider/serviceAccounts/nodes@from-provider.iam.gserviceaccount.com",
            ),
            (
                "gcp:projects/iAMMember:IAMMember",
                {"project": "p", "role": "roles/viewer", "member": "user:a@example.com"},
                "p roles/viewer user:a@example.com",
            ),
            (
                "gcp:projects/iAMMember:IAMMember",
                {"project": "p", "role": "r", "member": "m", "condition": {"title": "office hours", "expression": "true"}},
                "p r m office hours",
            ),
            (
                "gcp:serviceaccount/iAMMember:IAMMember",
                {"serviceAccountId": "projects/p/serviceAccounts/a@b", "role": "r", "member": "m"},
                "projects/p/serviceAccounts/a@b r m",
            ),
        ],
    )
    def test_is_the_one_the_provider_imports_it_by(self, type_, inputs, identifier):
        urn = f"urn:pulumi:one::p::{type_}::x"
        assert identifiers(state([], resource(urn, inputs)), FACTS) == {urn: identifier}

    @pytest.mark.parametrize("type_", sorted(FACTS))
    def test_can_be_told_for_every_type_the_stand_in_knows(self, type_):
        template = import_template(FACTS[type_])
        inputs: dict[str, Any] = dict.fromkeys(template.replace("{", "}").split("}")[1::2], "value")
        inputs.pop("condition", None)
        urn = f"urn:pulumi:one::p::{type_}::x"
        (identifier,) = identifiers(state([], resource(urn, inputs)), FACTS).values()
        assert "{" not in identifier

    def test_that_an_input_is_missing_for_names_the_resource_and_the_input(self):
        with pytest.raises(LabError, match=rf"{POOL.replace('$', '.')}.*input `name`"):
            identifiers(state([], resource(POOL, {"location": "l", "cluster": "c"})), FACTS)

    def test_of_an_unknown_type_is_never_guessed(self):
        with pytest.raises(LabError, match="may have been made"):
            identifiers(state([], resource("urn:pulumi:one::p::gcp:other/thing:Thing::x")), FACTS)


class TestTheCorrectedState:
    def test_holds_every_begun_create_after_what_it_needs(self):
        begun = resource(POOL, {"name": "n"}, dependencies=[CLUSTER])
        corrected = with_adopted(state([resource(CLUSTER, id="c")], begun), {POOL: "pool-id"})["deployment"]
        assert [entry["urn"] for entry in corrected["resources"]] == [STACK, PROVIDER, CLUSTER, POOL]
        assert corrected["resources"][-1] == begun | {"id": "pool-id"}
        assert corrected["pending_operations"] == []

    def test_forgets_begun_updates_and_deletes_because_the_refresh_reads_them_again(self):
        before = state([resource(POOL, id="p")], resource(POOL), operation="updating")
        assert pending_creates(before) == ()
        assert with_adopted(before, {})["deployment"] == before["deployment"] | {"pending_operations": []}

    def test_has_a_replacement_before_the_old_one_which_is_to_be_deleted(self):
        before = state([resource(CLUSTER, id="c"), resource(POOL, id="old")], resource(POOL, dependencies=[CLUSTER]))
        resources = with_adopted(before, {POOL: "new"})["deployment"]["resources"]
        assert [(entry.get("id"), entry.get("delete", False)) for entry in resources[2:]] == [("c", False), ("new", False), ("old", True)]

    def test_has_no_old_one_where_that_was_deleted_first(self):
        before = state([resource(POOL, id="old", pendingReplacement=True)], resource(POOL))
        assert [entry.get("id") for entry in with_adopted(before, {POOL: "new"})["deployment"]["resources"][2:]] == ["new"]

    def test_keeps_the_old_one_where_the_replacement_was_never_made(self):
        before = state([resource(POOL, id="old")], resource(POOL))
        after = state([resource(POOL, id="old", delete=True)])
        assert (
            with_old_kept(before, after, {POOL})["deployment"]["resources"] == state([resource(POOL, id="old")])["deployment"]["resources"]
        )

    def test_leaves_an_old_one_that_was_to_be_deleted_before(self):
        before = state([resource(POOL, id="old", delete=True)], resource(POOL))
        after = state([resource(POOL, id="old", delete=True)])
        assert with_old_kept(before, after, {POOL}) == after

    @given(st.lists(st.sampled_from("abcdef"), unique=True), st.lists(st.sampled_from("abcdef"), unique=True))
    def test_never_has_two_living_resources_of_one_name_nor_loses_one(self, living, begun):
        urns = {letter: f"urn:pulumi:one::p::gcp:compute/network:Network::{letter}" for letter in "abcdef"}
        before = state([resource(urns[x], id=f"old-{x}") for x in living], *(resource(urns[x]) for x in begun))
        corrected = with_adopted(before, {urns[x]: f"new-{x}" for x in begun})["deployment"]["resources"][2:]
        assert sorted(entry["urn"] for entry in corrected if not entry.get("delete")) == sorted(urns[x] for x in {*living, *begun})
        assert {entry["id"] for entry in corrected} == {f"old-{x}" for x in living} | {f"new-{x}" for x in begun}


class TestAnUnansweredCreate:
    NEW = resource(POOL, {"name": "n"}, custom=True, id="", outputs={}) | {"protect": False}

    def failed(self, op: str = "create", **new: Any) -> dict[str, Any]:
        return {"resOpFailedEvent": {"metadata": {"op": op, "urn": POOL, "new": self.NEW | new}, "status": 0}}

    @pytest.mark.parametrize("op", ["create", "create-replacement"])
    def test_becomes_a_begun_create_of_the_state(self, op):
        found = unanswered_creates([{"preludeEvent": {}}, self.failed(op)])
        assert found == (resource(POOL, {"name": "n"}, custom=True),)
        assert pending_creates(with_pending(state([]), found)) == found

    def test_that_was_answered_at_a_later_try_is_none(self):
        assert unanswered_creates([self.failed(), {"resOutputsEvent": {"metadata": {"urn": POOL}}}]) == ()

    def test_that_made_something_out_of_order_is_none_because_the_engine_recorded_it(self):
        assert unanswered_creates([self.failed(id="made")]) == ()

    @pytest.mark.parametrize("op", ["update", "delete", "read"])
    def test_is_nothing_but_a_create(self, op):
        assert unanswered_creates([self.failed(op)]) == ()


class TestABegunComponent:
    def test_is_forgotten_because_google_has_no_such_thing(self):
        begun = state([], resource("urn:pulumi:one::p::my:index:Pool::pool", custom=False))
        assert pending_creates(begun) == ()
        assert identifiers(begun, FACTS) == {}
        assert with_adopted(begun, {})["deployment"]["pending_operations"] == []


class TestAPlannedCreate:
    def step(self, op: str, urn: str = POOL, custom: bool = True) -> dict[str, Any]:
        return {"op": op, "urn": urn, "newState": resource(urn, {"name": "a"}, custom=custom)}

    @pytest.mark.parametrize(("op", "planned"), [("create", 1), ("create-replacement", 1), ("same", 0), ("delete", 0), ("update", 0)])
    def test_is_what_a_preview_would_create_or_create_anew(self, op, planned):
        assert len(planned_creates({"steps": [self.step(op)]})) == planned

    def test_is_no_component_because_google_has_none(self):
        assert planned_creates({"steps": [self.step("create", custom=False)]}) == ()

    def test_that_can_be_named_is_looked_up_and_the_rest_is_left_out(self):
        named = resource(POOL, {"name": "a", "cluster": "c", "location": "europe-west4"})
        nameless = resource(POOL, {"cluster": "c", "location": "europe-west4"})
        unknown = resource(POOL, {"name": "a"}, type="other:index:Thing")
        orphan = resource(POOL, {"name": "a", "cluster": "c", "location": "europe-west4"}, parent=CLUSTER)
        assert identifiable(state([]), [nameless, unknown, named, orphan], FACTS) == (named,)
