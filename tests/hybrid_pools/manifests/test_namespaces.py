"""What guards a namespace."""

from typing import Any

from hybrid_pools.blueprint.model import Blueprint
from hybrid_pools.blueprint.vocabulary import GPU_KEY, NAMESPACE_TEAM_LABEL, POD_SECURITY_LABEL, PRUNING_NAMESPACE, Role
from hybrid_pools.manifests.manifest import Manifest
from hybrid_pools.manifests.namespaces import platform_namespaces, team_namespace
from tests.environments import blueprint_of
from tests.hybrid_pools.manifests.test_queues import inside


def namespaces(blueprint: Blueprint) -> dict[str, list[Manifest]]:
    """Objects of each team's namespace, the namespace first."""
    return {team.namespace: list(team_namespace(blueprint, inside(blueprint), team)) for team in blueprint.teams}


def specs(objects: list[Manifest], kind: str) -> dict[str, Any]:
    return {one["metadata"]["name"]: one["spec"] for one in objects if one["kind"] == kind}


class TestEveryTeamNamespace:
    def test_comes_first_and_holds_everything_else(self, blueprints: tuple[Blueprint, ...]) -> None:
        for blueprint in blueprints:
            for name, (first, *others) in namespaces(blueprint).items():
                assert (first["kind"], first["metadata"]["name"]) == ("Namespace", name)
                assert {one["metadata"]["namespace"] for one in others} == {name}

    def test_names_its_team_and_keeps_pods_off_the_host(self, blueprints: tuple[Blueprint, ...]) -> None:
        for blueprint in blueprints:
            teams = {team.namespace: team.name for team in blueprint.teams}
            for name, (first, *_) in namespaces(blueprint).items():
                labels = first["metadata"]["labels"]
                assert labels[NAMESPACE_TEAM_LABEL] == teams[name]
                assert labels[f"{POD_SECURITY_LABEL}enforce"] == "baseline"

    def test_has_an_account_for_training_that_the_cluster_s_own_api_does_not_know(self, blueprints: tuple[Blueprint, ...]) -> None:
        for blueprint in blueprints:
            accounts = {team.namespace: team.service_account for team in blueprint.teams}
            for name, objects in namespaces(blueprint).items():
                (account,) = (one for one in objects if one["kind"] == "ServiceAccount")
                assert account["metadata"]["name"] == accounts[name]
                assert account["automountServiceAccountToken"] is False

    def test_has_a_local_queue_for_each_queue_of_its_team(self, blueprints: tuple[Blueprint, ...]) -> None:
        for blueprint in blueprints:
            for name, objects in namespaces(blueprint).items():
                expected = {queue.local_queue: queue.name for queue in inside(blueprint).queues.queues if queue.namespace == name}
                assert {queue: spec["clusterQueue"] for queue, spec in specs(objects, "LocalQueue").items()} == expected


class TestTheNetwork:
    def test_of_a_namespace_is_shut_but_for_what_is_named(self, blueprints: tuple[Blueprint, ...]) -> None:
        for blueprint in blueprints:
            for objects in [*namespaces(blueprint).values(), list(platform_namespaces(blueprint))]:
                in_policies = {one["metadata"]["namespace"] for one in objects if one["kind"] == "NetworkPolicy"}
                shut = {
                    one["metadata"]["namespace"]
                    for one in objects
                    if one["kind"] == "NetworkPolicy" and one["spec"] == {"podSelector": {}, "policyTypes": ["Ingress", "Egress"]}
                }
                assert shut == in_policies

    def test_lets_training_reach_names_its_identity_google_and_its_own_pods(self) -> None:
        policies = specs(namespaces(blueprint_of("local"))["team-vision"], "NetworkPolicy")
        places = {
            (target.get("ipBlock", {}).get("cidr"), port["port"])
            for spec in policies.values()
            for rule in spec.get("egress", [])
            for target in rule["to"]
            for port in rule.get("ports", [{"port": None}])
        }
        assert {("169.254.169.254/32", 53), ("169.254.20.10/32", 53), (None, 53)} <= places, "names"
        assert {("169.254.169.254/32", 80), ("169.254.169.252/32", 988)} <= places, "identity"
        assert ("0.0.0.0/0", 443) in places, "Google's APIs"
        assert (None, None) in places, "the gang, on any port"

    def test_keeps_training_out_of_every_private_network(self) -> None:
        policies = specs(namespaces(blueprint_of("prod"))["team-vision"], "NetworkPolicy")
        world = [
            target["ipBlock"]
            for spec in policies.values()
            for rule in spec.get("egress", [])
            for target in rule["to"]
            if target.get("ipBlock", {}).get("cidr") == "0.0.0.0/0"
        ]
        assert world
        for block in world:
            assert {"10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "169.254.0.0/16"} <= set(block["except"])


class TestTheLimits:
    def test_never_promise_services_gpus_that_queues_were_promised(self, blueprints: tuple[Blueprint, ...]) -> None:
        for blueprint in blueprints:
            kubernetes = inside(blueprint)
            flavors = {flavor.name: flavor.role for flavor in kubernetes.queues.flavors}
            quotas = [*(quota for queue in kubernetes.queues.queues for quota in queue.quotas), *kubernetes.queues.shared]
            promised = sum(quota.nominal.gpus for quota in quotas if flavors[quota.flavor] is Role.STABLE)
            there = sum(pool.max_gpus for pool in blueprint.pools if pool.role is not Role.SPOT)
            for objects in namespaces(blueprint).values():
                left = int(specs(objects, "ResourceQuota")["services"]["hard"][f"requests.{GPU_KEY}"])
                assert 0 <= left <= max(0, there - promised)

    def test_keep_teams_off_the_priority_of_the_cluster_s_own_parts(self, blueprints: tuple[Blueprint, ...]) -> None:
        for blueprint in blueprints:
            for objects in namespaces(blueprint).values():
                quota = specs(objects, "ResourceQuota")["no-system-classes"]
                (expression,) = quota["scopeSelector"]["matchExpressions"]
                assert set(expression["values"]) == {"system-cluster-critical", "system-node-critical"}
                assert quota["hard"] == {"pods": "0"}

    def test_count_only_kinds_that_kubernetes_has_from_its_start(self, blueprints: tuple[Blueprint, ...]) -> None:
        """It refuses every object of a kind that a chart brought, for minutes after the chart, where a quota counts that kind."""
        for blueprint in blueprints:
            for objects in namespaces(blueprint).values():
                counted = {key for quota in specs(objects, "ResourceQuota").values() for key in quota["hard"] if key.startswith("count/")}
                assert counted
                assert {key.partition(".")[2] for key in counted} <= {"apps", "batch"}

    def test_let_a_container_that_requests_a_lot_be_without_a_limit_of_its_own(self, blueprints: tuple[Blueprint, ...]) -> None:
        """The limit that it then gets is the largest allowed one, never below what it requests."""
        for blueprint in blueprints:
            for objects in namespaces(blueprint).values():
                (limits,) = specs(objects, "LimitRange")["containers"]["limits"]
                assert limits["default"] == limits["max"]


class TestThePruningNamespace:
    def test_has_an_account_for_each_team_where_there_are_checkpoints(self) -> None:
        made = platform_namespaces(blueprint_of("prod"))
        accounts = {one["metadata"]["name"] for one in made if one["kind"] == "ServiceAccount"}
        assert accounts == {"pruner-speech", "pruner-vision"}

    def test_is_no_team_s(self) -> None:
        made = platform_namespaces(blueprint_of("prod"))
        (namespace,) = (one for one in made if one["kind"] == "Namespace" and one["metadata"]["name"] == PRUNING_NAMESPACE)
        assert NAMESPACE_TEAM_LABEL not in namespace["metadata"]["labels"]
        assert not [one for one in made if one["kind"] == "RoleBinding"]
