"""A provider driven as the engine drives it, over gRPC, without the engine."""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import grpc
import pytest
from pulumi.runtime.proto import provider_pb2, provider_pb2_grpc, status_pb2

from lab.google import functions
from lab.google.catalogue import Catalogue, load_catalogue
from lab.google.provider import GoogleProvider
from lab.google.server import start
from lab.google.store import Record, Store
from lab.google.values import Document, decode, encode

CLUSTER = "gcp:container/cluster:Cluster"
NODE_POOL = "gcp:container/nodePool:NodePool"
NETWORK = "gcp:compute/network:Network"
SUBNETWORK = "gcp:compute/subnetwork:Subnetwork"
ACCOUNT = "gcp:serviceaccount/account:Account"
PROJECT, REGION = "lab-project", "europe-west4"


@dataclass(frozen=True)
class Made:
    """A resource as the engine knows it: its identifier, inputs and properties."""

    type: str
    name: str
    id: str
    inputs: Document
    properties: Document


@dataclass(frozen=True)
class Difference:
    """What Diff answered."""

    changes: bool
    replaces: list[str]
    paths: list[str]
    deletes_first: bool


class WrongInputsError(Exception):
    """Check found something wrong."""

    def __init__(self, failures: dict[str, str]) -> None:
        super().__init__("; ".join(f"{path}: {reason}" for path, reason in failures.items()))
        self.failures = failures


@dataclass
class Engine:
    """Calls a provider in the engine's order."""

    stub: Any
    store: Store
    seeds: Iterator[int] = field(default_factory=itertools.count)

    def check(self, type_: str, name: str, inputs: Document, olds: Document | None = None) -> Document:
        response = self.stub.Check(
            provider_pb2.CheckRequest(
                urn=urn(type_, name), news=encode(inputs), olds=encode(olds or {}), randomSeed=next(self.seeds).to_bytes(32, "big")
            )
        )
        if response.failures:
            raise WrongInputsError({failure.property: failure.reason for failure in response.failures})
        return decode(response.inputs)

    def create(self, type_: str, name: str, inputs: Document) -> Made:
        checked = self.check(type_, name, inputs)
        response = self.stub.Create(provider_pb2.CreateRequest(urn=urn(type_, name), properties=encode(checked)))
        return Made(type_, name, response.id, checked, decode(response.properties))

    def preview(self, type_: str, name: str, inputs: Document) -> Document:
        checked = self.check(type_, name, inputs)
        response = self.stub.Create(provider_pb2.CreateRequest(urn=urn(type_, name), properties=encode(checked), preview=True))
        assert response.id == ""
        return decode(response.properties)

    def diff(self, made: Made, inputs: Document, ignore: tuple[str, ...] = ()) -> Difference:
        checked = self.check(made.type, made.name, inputs, made.inputs)
        response = self.stub.Diff(
            provider_pb2.DiffRequest(
                urn=urn(made.type, made.name),
                id=made.id,
                olds=encode(made.properties),
                old_inputs=encode(made.inputs),
                news=encode(checked),
                ignoreChanges=ignore,
            )
        )
        return Difference(
            response.changes == provider_pb2.DiffResponse.DIFF_SOME,
            list(response.replaces),
            sorted(response.detailedDiff),
            response.deleteBeforeReplace,
        )

    def update(self, made: Made, inputs: Document, *, preview: bool = False) -> Made:
        checked = self.check(made.type, made.name, inputs, made.inputs)
        response = self.stub.Update(
            provider_pb2.UpdateRequest(
                urn=urn(made.type, made.name), id=made.id, olds=encode(made.properties), news=encode(checked), preview=preview
            )
        )
        return Made(made.type, made.name, made.id, checked, decode(response.properties))

    def delete(self, made: Made) -> None:
        self.stub.Delete(provider_pb2.DeleteRequest(urn=urn(made.type, made.name), id=made.id, properties=encode(made.properties)))

    def read(self, type_: str, name: str, id_: str, known: Made | None = None) -> Made | None:
        response = self.stub.Read(
            provider_pb2.ReadRequest(
                urn=urn(type_, name),
                id=id_,
                properties=encode(known.properties if known else {}),
                inputs=encode(known.inputs if known else {}),
            )
        )
        return Made(type_, name, response.id, decode(response.inputs), decode(response.properties)) if response.id else None

    def refresh(self, made: Made) -> Made | None:
        return self.read(made.type, made.name, made.id, made)

    def invoke(self, token: str, **arguments: Any) -> Document:
        response = self.stub.Invoke(provider_pb2.InvokeRequest(tok=token, args=encode(arguments)))
        return decode(getattr(response, "return"))


def urn(type_: str, name: str) -> str:
    return f"urn:pulumi:lab::hybrid-node-pools::hybrid-node-pools:index:SpotPool${type_}::{name}"


def said(error: Any) -> str:
    """What the provider told the engine."""
    return str(error.details())


def kept(store: Store, id_: str, type_: str | None = None) -> Record:
    """A resource that must be in the store."""
    record = store.get(id_, type_)
    assert record is not None, id_
    return record


def unfinished(error: Any) -> Made:
    """The resource in an answer that says: it exists, and it is not in order."""
    metadata = dict(error.trailing_metadata())
    status = status_pb2.Status.FromString(metadata["grpc-status-details-bin"])
    detail = provider_pb2.ErrorResourceInitFailed()
    assert status.details[0].Unpack(detail)
    assert list(detail.reasons)
    return Made("", "", detail.id, decode(detail.inputs), decode(detail.properties))


@pytest.fixture(scope="session")
def catalogue(tmp_path_factory: pytest.TempPathFactory) -> Catalogue:
    return load_catalogue(tmp_path_factory.mktemp("types"), functions.TOKENS)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = Store(tmp_path / "google.sqlite")
    yield opened
    opened.close()


@pytest.fixture
def engine(catalogue: Catalogue, store: Store) -> Iterator[Engine]:
    server, port = start(GoogleProvider(catalogue, store))
    with grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
        stub = provider_pb2_grpc.ResourceProviderStub(channel)
        stub.Configure(provider_pb2.ConfigureRequest(args=encode({"project": PROJECT, "region": REGION})))
        yield Engine(stub, store)
    server.stop(None).wait()


@dataclass(frozen=True)
class Landscape:
    """A network, a cluster with an ordinary pool, and an account: what a node pool needs."""

    network: Made
    subnetwork: Made
    cluster: Made
    account: Made
    ordinary: Made


@pytest.fixture
def landscape(engine: Engine) -> Landscape:
    network = engine.create(NETWORK, "net", {"autoCreateSubnetworks": False})
    subnetwork = engine.create(
        SUBNETWORK,
        "nodes",
        {
            "network": network.id,
            "ipCidrRange": "10.0.0.0/20",
            "secondaryIpRanges": [
                {"rangeName": "pods", "ipCidrRange": "10.16.0.0/14"},
                {"rangeName": "services", "ipCidrRange": "10.32.0.0/20"},
            ],
        },
    )
    cluster = engine.create(CLUSTER, "hybrid", cluster_inputs(network, subnetwork))
    account = engine.create(ACCOUNT, "nodes", {"accountId": "hybrid-nodes"})
    ordinary = engine.create(NODE_POOL, "stable", pool_inputs(cluster, account))
    return Landscape(network, subnetwork, cluster, account, ordinary)


def cluster_inputs(network: Made, subnetwork: Made) -> Document:
    return {
        "location": REGION,
        "network": network.id,
        "subnetwork": subnetwork.id,
        "initialNodeCount": 1,
        "removeDefaultNodePool": True,
        "deletionProtection": False,
        "releaseChannel": {"channel": "REGULAR"},
        "ipAllocationPolicy": {"clusterSecondaryRangeName": "pods", "servicesSecondaryRangeName": "services"},
        "workloadIdentityConfig": {"workloadPool": f"{PROJECT}.svc.id.goog"},
        "privateClusterConfig": {"enablePrivateNodes": True},
        "resourceLabels": {"team": "platform"},
    }


def pool_inputs(cluster: Made, account: Made, **changes: Any) -> Document:
    return {
        "cluster": cluster.properties["name"],
        "location": REGION,
        "autoscaling": {"minNodeCount": 1, "maxNodeCount": 3},
        "management": {"autoRepair": True},
        "upgradeSettings": {"maxSurge": 1, "maxUnavailable": 0},
        "nodeConfig": {"machineType": "n2-standard-8", "serviceAccount": account.properties["email"], "labels": {"a.b/c": "d"}},
        **changes,
    }


def gpu_pool_inputs(cluster: Made, account: Made, **node_config: Any) -> Document:
    return pool_inputs(
        cluster,
        account,
        autoscaling={"locationPolicy": "ANY", "totalMinNodeCount": 0, "totalMaxNodeCount": 8},
        upgradeSettings={"maxSurge": 0, "maxUnavailable": 1},
        nodeConfig={
            "machineType": "g2-standard-24",
            "spot": True,
            "serviceAccount": account.properties["email"],
            "guestAccelerators": [{"type": "nvidia-l4", "count": 2, "gpuDriverInstallationConfig": {"gpuDriverVersion": "DEFAULT"}}],
            "taints": [{"key": "cloud.google.com/gke-spot", "value": "true", "effect": "NO_SCHEDULE"}],
            **node_config,
        },
    )
