"""What admission decides by agrees with the pools, the queues and the teams."""

from typing import Any

import pytest
from hypothesis import given

from hybrid_pools.blueprint.derivation import check, derive
from hybrid_pools.blueprint.model import Blueprint
from hybrid_pools.blueprint.model.queues import Admission
from hybrid_pools.blueprint.vocabulary import (
    ADMINISTRATORS,
    FLAVOR_LABEL,
    JOB_CONTROLLER,
    KUEUE_CONTROLLER,
    SYSTEM_NAMESPACES,
    AdmissionMode,
    Role,
)
from tests.environments import blueprint_of, sections_of
from tests.strategies import queued_blueprints


def admission_of(blueprint: Blueprint) -> Admission:
    assert blueprint.kubernetes is not None
    return blueprint.kubernetes.admission


def local(**changes: Any) -> Admission:
    return admission_of(derive(check("a file", sections_of("local") | changes)))


class TestAdmission:
    @given(queued_blueprints())
    def test_guards_every_spot_pool_and_no_other(self, blueprint: Blueprint):
        admission = admission_of(blueprint)
        for pool in blueprint.pools:
            assert bool({*pool.node_taints} & {*admission.guarded_taints}) == (pool.role is Role.SPOT)

    @given(queued_blueprints())
    def test_knows_of_every_spot_flavor_how_long_a_pod_has_at_the_least(self, blueprint: Blueprint):
        assert blueprint.kubernetes is not None
        admission, pools = admission_of(blueprint), {pool.name: pool for pool in blueprint.pools}
        spots = {flavor.name: flavor for flavor in blueprint.kubernetes.queues.flavors if flavor.role is Role.SPOT}
        assert admission.grace_seconds.keys() == admission.flavor_labels.keys() == spots.keys()
        for name, seconds in admission.grace_seconds.items():
            assert seconds == min(pools[pool].usable_grace_seconds for pool in spots[name].pools)
            assert admission.flavor_labels[name] == {key: value for key, value in spots[name].node_labels.items() if key != FLAVOR_LABEL}

    @given(queued_blueprints())
    def test_knows_every_team_with_its_own_place(self, blueprint: Blueprint):
        admission = admission_of(blueprint)
        assert [team.team for team in admission.teams] == [team.name for team in blueprint.teams]
        prefixes = [team.checkpoint_prefix for team in admission.teams]
        for known, team in zip(admission.teams, blueprint.teams, strict=True):
            assert (known.namespace, known.service_account, known.spot) == (team.namespace, team.service_account, team.spot)
            assert [prefix for prefix in prefixes if prefix.startswith(known.checkpoint_prefix)] == [known.checkpoint_prefix]

    @given(queued_blueprints())
    def test_judges_every_teams_namespace(self, blueprint: Blueprint):
        admission = admission_of(blueprint)
        assert {*SYSTEM_NAMESPACES} <= {*admission.exempt_namespaces}
        assert not {team.namespace for team in admission.teams} & {*admission.exempt_namespaces}

    @given(queued_blueprints())
    def test_calls_spot_queues_those_that_have_a_spot_flavor(self, blueprint: Blueprint):
        assert blueprint.kubernetes is not None
        spots = {flavor.name for flavor in blueprint.kubernetes.queues.flavors if flavor.role is Role.SPOT}
        leading = {
            queue.local_queue for queue in blueprint.kubernetes.queues.queues if any(quota.flavor in spots for quota in queue.quotas)
        }
        assert leading <= {*admission_of(blueprint).spot_queues}

    @pytest.mark.parametrize(
        ("cluster", "said", "mode"),
        [
            ("new", {}, AdmissionMode.DENY),
            ("new", {"admission": "warn"}, AdmissionMode.WARN),
            ("existing", {}, AdmissionMode.AUDIT),
            ("existing", {"admission": "deny"}, AdmissionMode.DENY),
        ],
    )
    def test_denies_on_a_new_cluster_and_only_looks_on_one_where_something_runs(
        self, cluster: str, said: dict[str, str], mode: AdmissionMode
    ):
        sections = sections_of("local")
        if cluster == "existing":
            sections["cluster"] = {"existing": {"name": "shared", "minimumVersion": "1.35.1"}}
            del sections["network"]
        sections["kubernetes"] |= said
        assert admission_of(derive(check("a file", sections))).mode is mode

    def test_lets_further_operators_make_pods_and_jobs(self):
        admission = local(kubernetes=sections_of("local")["kubernetes"] | {"podCreators": ["ray-system/kuberay-operator"]})
        operator = "system:serviceaccount:ray-system:kuberay-operator"
        assert admission.pod_creators == (JOB_CONTROLLER, operator)
        assert operator in admission.job_creators
        assert JOB_CONTROLLER not in admission.job_creators

    def test_lets_platform_engineers_the_pipeline_and_kueue_keep_flavors(self):
        admission = admission_of(blueprint_of("prod"))
        assert admission.platform_groups == (ADMINISTRATORS, "ml-platform@acme.example", "ml-break-glass@acme.example")
        assert admission.platform_users == ("prod-ci-deploy@acme-ml-prod.iam.gserviceaccount.com", KUEUE_CONTROLLER)


class TestTheCharts:
    def test_are_installed_where_the_cluster_has_none_of_its_own(self):
        charts = {name: kubernetes.charts for name in ("local", "prod") if (kubernetes := blueprint_of(name).kubernetes)}
        assert (charts["local"].kueue, charts["local"].jobset) == (None, None)
        assert (charts["prod"].kueue, charts["prod"].jobset) == ("0.17.0", "0.11.1")

    def test_are_none_where_nothing_is_declared_inside_the_cluster(self):
        sections = sections_of("local")
        del sections["kubernetes"], sections["queues"]
        assert derive(check("a file", sections)).kubernetes is None
