"""The provider: Pulumi's protocol on one side, the cloud on the other."""
# ruff: noqa: N802, ARG002 - the protocol gives the names of methods and their parameters.

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path as FilePath
from typing import Any

import grpc
from google.protobuf import empty_pb2
from pulumi.runtime.proto import plugin_pb2, provider_pb2, provider_pb2_grpc, status_pb2

from lab.google import functions
from lab.google.catalogue import Catalogue, load_catalogue, sdk_version
from lab.google.check import check
from lab.google.cloud import Cloud
from lab.google.computed import carried, foreseen
from lab.google.diff import Change, Difference, deletes_first, differences
from lab.google.importing import inputs_of
from lab.google.naming import Provider, forms
from lab.google.refusal import Incomplete, LostAnswer, Refusal
from lab.google.store import Record, Store
from lab.google.values import Document, decode, encode, spell, without_marks

_DETAILS = "grpc-status-details-bin"
_KINDS = {
    (Change.ADD, False): provider_pb2.PropertyDiff.ADD,
    (Change.ADD, True): provider_pb2.PropertyDiff.ADD_REPLACE,
    (Change.DELETE, False): provider_pb2.PropertyDiff.DELETE,
    (Change.DELETE, True): provider_pb2.PropertyDiff.DELETE_REPLACE,
    (Change.UPDATE, False): provider_pb2.PropertyDiff.UPDATE,
    (Change.UPDATE, True): provider_pb2.PropertyDiff.UPDATE_REPLACE,
}


def open_provider(store: FilePath) -> "GoogleProvider":
    """A provider over the store in a file, with its catalogue cached beside it."""
    return GoogleProvider(load_catalogue(store.parent, functions.TOKENS), Store(store))


@dataclass
class GoogleProvider(provider_pb2_grpc.ResourceProviderServicer):
    """Pulumi's provider `gcp`.

    Methods are those of Pulumi's `provider.proto`. Wrong inputs are failures of Check; a refusal of the cloud ends the call with a code
    that tells the engine that nothing happened; a lost answer ends it with UNKNOWN; a resource that exists but is not in order is reported
    as such, so that the engine keeps it and mends it with the next update.
    """

    catalogue: Catalogue
    store: Store
    cloud: Cloud = field(init=False)

    def __post_init__(self) -> None:
        self.cloud = Cloud(self.catalogue, self.store, Provider())

    def GetPluginInfo(self, request: Any, context: grpc.ServicerContext) -> Any:
        return plugin_pb2.PluginInfo(version=sdk_version())

    def CheckConfig(self, request: Any, context: grpc.ServicerContext) -> Any:
        return provider_pb2.CheckResponse(inputs=request.news)

    def DiffConfig(self, request: Any, context: grpc.ServicerContext) -> Any:
        changed = decode(request.olds) != decode(request.news)
        return provider_pb2.DiffResponse(changes=provider_pb2.DiffResponse.DIFF_SOME if changed else provider_pb2.DiffResponse.DIFF_NONE)

    def Configure(self, request: Any, context: grpc.ServicerContext) -> Any:
        given = decode(request.args)
        self.cloud.provider = Provider(**{key: str(given[key]) for key in ("project", "region", "zone") if isinstance(given.get(key), str)})
        return provider_pb2.ConfigureResponse(acceptSecrets=False, supportsPreview=True)

    def Cancel(self, request: Any, context: grpc.ServicerContext) -> Any:
        return empty_pb2.Empty()

    def Check(self, request: Any, context: grpc.ServicerContext) -> Any:
        type_ = self._type(request, context)
        checked = check(
            self.catalogue, type_, _name(request.urn), decode(request.news), decode(request.olds), request.randomSeed, self.cloud.provider
        )
        failures = [provider_pb2.CheckFailure(property=failure.property, reason=failure.reason) for failure in checked.failures]
        return provider_pb2.CheckResponse(inputs=encode(checked.inputs), failures=failures)

    def Diff(self, request: Any, context: grpc.ServicerContext) -> Any:
        type_ = self._type(request, context)
        state, news = decode(request.olds), decode(request.news)
        found = [one for one in differences(self.catalogue, type_, state, news) if not _ignored(one, request.ignoreChanges)]
        replaces = [spell(one.path) for one in found if one.replaces]
        return provider_pb2.DiffResponse(
            changes=provider_pb2.DiffResponse.DIFF_SOME if found else provider_pb2.DiffResponse.DIFF_NONE,
            replaces=replaces,
            deleteBeforeReplace=bool(replaces) and deletes_first(self.catalogue.facts[type_], state, news),
            diffs=sorted({str(one.path[0]) for one in found}),
            detailedDiff={spell(one.path): provider_pb2.PropertyDiff(kind=_KINDS[one.change, one.replaces]) for one in found},
            hasDetailedDiff=True,
        )

    def Create(self, request: Any, context: grpc.ServicerContext) -> Any:
        type_, inputs = self._type(request, context), without_marks(decode(request.properties))
        if request.preview:
            return provider_pb2.CreateResponse(properties=encode(foreseen(self.catalogue.facts[type_], inputs)))
        try:
            record = self.cloud.create(type_, inputs, request.urn)
        except Incomplete as incomplete:
            return self._abort_incomplete(context, incomplete, inputs)
        except (Refusal, LostAnswer) as error:
            return _abort(context, error, f"creating {_name(request.urn)}")
        return provider_pb2.CreateResponse(id=record.id, properties=encode(_properties(record)))

    def Update(self, request: Any, context: grpc.ServicerContext) -> Any:
        type_, inputs = self._type(request, context), without_marks(decode(request.news))
        if request.preview:
            return provider_pb2.UpdateResponse(properties=encode(carried(self.catalogue, type_, inputs, decode(request.olds))))
        try:
            record = self.cloud.update(type_, request.id, inputs, request.urn)
        except Incomplete as incomplete:
            return self._abort_incomplete(context, incomplete, inputs)
        except (Refusal, LostAnswer) as error:
            return _abort(context, error, f"updating {request.id}")
        return provider_pb2.UpdateResponse(properties=encode(_properties(record)))

    def Delete(self, request: Any, context: grpc.ServicerContext) -> Any:
        try:
            self.cloud.delete(self._type(request, context), request.id, decode(request.properties), request.urn)
        except (Refusal, LostAnswer) as error:
            return _abort(context, error, f"deleting {request.id}")
        return empty_pb2.Empty()

    def Read(self, request: Any, context: grpc.ServicerContext) -> Any:
        type_ = self._type(request, context)
        try:
            candidates = forms(self.catalogue.facts[type_], request.id, self.cloud.provider)
            record = next((found for found in (self.cloud.read(type_, id_) for id_ in candidates) if found), None)
        except Refusal as error:
            return _abort(context, error, f"reading {request.id}")
        if record is None:
            return provider_pb2.ReadResponse()
        inputs = inputs_of(self.catalogue, type_, record.document, decode(request.inputs))
        return provider_pb2.ReadResponse(id=record.id, properties=encode(_properties(record)), inputs=encode(inputs))

    def Invoke(self, request: Any, context: grpc.ServicerContext) -> Any:
        try:
            result = functions.call(self.cloud, request.tok, decode(request.args))
        except Refusal as error:
            return _abort(context, error, request.tok.rpartition(":")[2])
        # The field is called return.
        response = provider_pb2.InvokeResponse()
        getattr(response, "return").CopyFrom(encode(result))
        return response

    def _type(self, request: Any, context: grpc.ServicerContext) -> str:
        # The URN's type is qualified by its parents': my:index:Pool$gcp:container/nodePool:NodePool.
        type_ = str(request.urn).split("::")[2].rpartition("$")[2]
        if type_ not in self.catalogue.facts:
            known = ", ".join(sorted(self.catalogue.facts))
            context.abort(
                grpc.StatusCode.UNIMPLEMENTED,
                f"the stand-in does not serve {type_}: add a data file to lab/google/facts; it serves {known}",
            )
        return type_

    def _abort_incomplete(self, context: grpc.ServicerContext, incomplete: Incomplete, inputs: Document) -> Any:
        record = self.store.get(incomplete.id)
        properties = encode(_properties(record)) if record else None
        detail = provider_pb2.ErrorResourceInitFailed(
            id=incomplete.id, properties=properties, reasons=[incomplete.message], inputs=encode(inputs)
        )
        status = status_pb2.Status(code=grpc.StatusCode.UNKNOWN.value[0], message=incomplete.message)
        status.details.add().Pack(detail)
        context.set_trailing_metadata(((_DETAILS, status.SerializeToString()),))
        context.abort(grpc.StatusCode.UNKNOWN, incomplete.message)


def _properties(record: Record) -> Mapping[str, Any]:
    return {**record.document, "id": record.id}


def _name(urn: str) -> str:
    return urn.split("::", 3)[3]


def _ignored(difference: Difference, ignored: Any) -> bool:
    text = spell(difference.path)
    return any(text == path or text.startswith((f"{path}.", f"{path}[")) for path in ignored)


def _abort(context: grpc.ServicerContext, error: Refusal | LostAnswer, doing: str) -> Any:
    code = error.code if isinstance(error, Refusal) else grpc.StatusCode.UNKNOWN
    context.abort(code, f"error {doing}: {error}")
