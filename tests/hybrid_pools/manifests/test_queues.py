"""What Kueue is told says what the blueprint says."""

from collections.abc import Iterable
from typing import Any

from hybrid_pools.blueprint.model import Blueprint
from hybrid_pools.blueprint.model.queues import Kubernetes, Resources
from hybrid_pools.blueprint.quantity import mebibytes, thousandths, whole
from hybrid_pools.blueprint.vocabulary import GPU_KEY, QUEUED_TAINT
from hybrid_pools.manifests.kueue_configuration import KUEUE_API, kueue_configuration
from hybrid_pools.manifests.manifest import Manifest
from hybrid_pools.manifests.queues import buffer_groups, queues


def inside(blueprint: Blueprint) -> Kubernetes:
    assert blueprint.kubernetes is not None
    return blueprint.kubernetes


def of_kind(manifests: Iterable[Manifest], kind: str) -> dict[str, Manifest]:
    return {one["metadata"]["name"]: one for one in manifests if one["kind"] == kind}


def amounts(resources: Resources) -> dict[str, str]:
    return {"cpu": thousandths(resources.cpu), "memory": mebibytes(resources.memory), GPU_KEY: whole(resources.gpus)}


def quotas(spec: dict[str, Any]) -> dict[str, dict[str, str]]:
    """Nominal amounts by flavor."""
    return {
        flavor["name"]: {one["name"]: one["nominalQuota"] for one in flavor["resources"]}
        for group in spec.get("resourceGroups", [])
        for flavor in group["flavors"]
    }


class TestEveryClusterQueue:
    def test_lists_its_flavors_in_the_order_of_its_class_with_the_team_s_own_amounts(self, blueprints: tuple[Blueprint, ...]) -> None:
        for blueprint in blueprints:
            kubernetes = inside(blueprint)
            made = of_kind(queues(kubernetes), "ClusterQueue")
            assert made.keys() == {queue.name for queue in kubernetes.queues.queues}
            for queue in kubernetes.queues.queues:
                found = quotas(made[queue.name]["spec"])
                assert list(found) == [quota.flavor for quota in queue.quotas]
                assert found == {quota.flavor: amounts(quota.nominal) for quota in queue.quotas}

    def test_is_open_to_its_team_alone_in_the_team_s_cohort(self, blueprints: tuple[Blueprint, ...]) -> None:
        for blueprint in blueprints:
            kubernetes = inside(blueprint)
            made = of_kind(queues(kubernetes), "ClusterQueue")
            cohorts = {cohort.team: cohort.name for cohort in kubernetes.queues.teams}
            for queue in kubernetes.queues.queues:
                spec = made[queue.name]["spec"]
                assert list(spec["namespaceSelector"]["matchLabels"].values()) == [queue.namespace]
                assert spec["cohortName"] == cohorts[queue.team]

    def test_asks_google_for_all_nodes_at_once_exactly_where_they_come_no_other_way(self, blueprints: tuple[Blueprint, ...]) -> None:
        asked: set[bool] = set()
        for blueprint in blueprints:
            kubernetes = inside(blueprint)
            together = {
                flavor.name
                for flavor in kubernetes.queues.flavors
                for pool in blueprint.pools
                if pool.name in flavor.pools and QUEUED_TAINT in pool.node_taints
            }
            made = queues(kubernetes)
            for queue in kubernetes.queues.queues:
                spec = of_kind(made, "ClusterQueue")[queue.name]["spec"]
                checks = spec.get("admissionChecksStrategy", {}).get("admissionChecks", [])
                wanted = [quota.flavor for quota in queue.quotas if quota.flavor in together]
                assert [check["onFlavors"] for check in checks] == ([wanted] if wanted else [])
                assert {check["name"] for check in checks} <= of_kind(made, "AdmissionCheck").keys()
                asked.add(bool(wanted))
            for check in of_kind(made, "AdmissionCheck").values():
                assert check["spec"]["parameters"]["name"] in of_kind(made, "ProvisioningRequestConfig")
        assert asked == {True, False}

    def test_limits_what_is_borrowed_and_lent_exactly_where_the_blueprint_does(self, blueprints: tuple[Blueprint, ...]) -> None:
        for blueprint in blueprints:
            kubernetes = inside(blueprint)
            made = of_kind(queues(kubernetes), "ClusterQueue")
            for queue in kubernetes.queues.queues:
                flavors = made[queue.name]["spec"]["resourceGroups"][0]["flavors"]
                for quota, flavor in zip(queue.quotas, flavors, strict=True):
                    for key, limit in (("borrowingLimit", quota.borrowing), ("lendingLimit", quota.lending)):
                        found = {one["name"]: one[key] for one in flavor["resources"] if key in one}
                        assert found == (amounts(limit) if limit else {})

    def test_says_who_preempts_whom_and_allows_nothing_that_fair_sharing_forbids(self, blueprints: tuple[Blueprint, ...]) -> None:
        for blueprint in blueprints:
            for queue in of_kind(queues(inside(blueprint)), "ClusterQueue").values():
                assert queue["spec"]["preemption"] == {
                    "reclaimWithinCohort": "Any",
                    "withinClusterQueue": "LowerPriority",
                    "borrowWithinCohort": {"policy": "Never"},
                }
            assert kueue_configuration()["fairSharing"]["preemptionStrategies"]


class TestEveryFlavor:
    def test_tolerates_its_own_taints_and_no_other(self, blueprints: tuple[Blueprint, ...]) -> None:
        for blueprint in blueprints:
            for flavor in of_kind(queues(inside(blueprint)), "ResourceFlavor").values():
                spec = flavor["spec"]
                taints = {(one["key"], one["value"], one["effect"]) for one in spec.get("nodeTaints", [])}
                tolerated = {(one["key"], one["value"], one["effect"]) for one in spec.get("tolerations", [])}
                assert tolerated == taints
                assert {one["operator"] for one in spec.get("tolerations", [])} <= {"Equal"}
                assert spec["nodeLabels"]

    def test_fits_into_what_kueue_takes(self, blueprints: tuple[Blueprint, ...]) -> None:
        for blueprint in blueprints:
            for flavor in of_kind(queues(inside(blueprint)), "ResourceFlavor").values():
                assert all(len(flavor["spec"].get(part, [])) <= 8 for part in ("nodeLabels", "nodeTaints", "tolerations"))


class TestEveryCohort:
    def test_hangs_below_the_root_which_holds_what_nobody_owns(self, blueprints: tuple[Blueprint, ...]) -> None:
        for blueprint in blueprints:
            kubernetes = inside(blueprint)
            made = of_kind(queues(kubernetes), "Cohort")
            root = made.pop(kubernetes.queues.cohort)
            assert "parentName" not in root["spec"]
            assert quotas(root["spec"]) == {quota.flavor: amounts(quota.nominal) for quota in kubernetes.queues.shared}
            assert {one["spec"]["parentName"] for one in made.values()} <= {kubernetes.queues.cohort}
            for team in kubernetes.queues.teams:
                assert made[team.name]["spec"]["fairSharing"] == {"weight": thousandths(team.weight)}

    def test_of_the_buffer_is_closed_when_it_is_made_and_opens_to_its_quotas(self, blueprints: tuple[Blueprint, ...]) -> None:
        for blueprint in blueprints:
            kubernetes = inside(blueprint)
            buffer = kubernetes.queues.buffer
            if buffer is None:
                continue
            made = of_kind(queues(kubernetes), "Cohort")[buffer.cohort]["spec"]
            assert set(quotas(made)) == {quota.flavor for quota in buffer.quotas}
            assert {amount for flavor in quotas(made).values() for amount in flavor.values()} == {"0"}
            opened = quotas({"resourceGroups": buffer_groups(buffer, opened=True)})
            assert opened == {quota.flavor: amounts(quota.nominal) for quota in buffer.quotas}


class TestEveryName:
    def test_that_a_queue_uses_is_one_that_is_made_before_it(self, blueprints: tuple[Blueprint, ...]) -> None:
        for blueprint in blueprints:
            seen: dict[str, set[str]] = {kind: set() for kind in ("ClusterQueue", "Cohort", "LocalQueue", "ResourceFlavor", "Topology")}
            for one in queues(inside(blueprint)):
                assert one["apiVersion"] == KUEUE_API
                spec = one.get("spec", {})
                if one["kind"] == "ResourceFlavor" and "topologyName" in spec:
                    assert spec["topologyName"] in seen["Topology"]
                if one["kind"] == "ClusterQueue":
                    assert spec["cohortName"] in seen["Cohort"]
                    assert quotas(spec).keys() <= seen["ResourceFlavor"]
                if one["kind"] == "LocalQueue":
                    assert spec["clusterQueue"] in seen["ClusterQueue"]
                seen.setdefault(one["kind"], set()).add(one["metadata"]["name"])
