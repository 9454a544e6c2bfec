"""Which existing clusters are refused."""

from types import SimpleNamespace
from typing import Any

import pulumi
import pytest

from components.adoption import check_adopted
from hybrid_pools.blueprint.catalogue import GkeVersion

MINIMUM = GkeVersion("1.35.1")


def cluster(**changes: Any) -> Any:
    dns = SimpleNamespace(dns_endpoint_configs=[SimpleNamespace(endpoint="gke-2.us-central1.gke.goog")])
    return SimpleNamespace(
        **{
            "name": "shared",
            "endpoint": "10.0.0.2",
            "enable_autopilot": False,
            "master_version": "1.35.2-gke.1000",
            "workload_identity_configs": [SimpleNamespace(workload_pool="p.svc.id.goog")],
            "control_plane_endpoints_configs": [dns],
            **changes,
        }
    )


class TestAClusterOnWhichPoolsWouldFail:
    @pytest.mark.parametrize(
        ("changes", "reason"),
        [
            ({"enable_autopilot": True}, "Autopilot"),
            ({"workload_identity_configs": []}, "workload identity"),
            ({"master_version": "1.34.9-gke.1"}, "runs GKE 1.34.9-gke.1, but cluster.existing.minimumVersion says 1.35.1"),
        ],
    )
    def test_is_refused_with_the_reason(self, changes: dict[str, Any], reason: str) -> None:
        with pytest.raises(pulumi.RunError, match=reason):
            check_adopted(cluster(**changes), MINIMUM)

    def test_is_told_every_reason_at_once(self) -> None:
        with pytest.raises(pulumi.RunError) as refusal:
            check_adopted(cluster(enable_autopilot=True, workload_identity_configs=[], master_version="1.30.1"), MINIMUM)
        assert str(refusal.value).count("\n  - ") == 3


class TestAFittingCluster:
    def test_is_reached_through_its_dns_endpoint(self) -> None:
        assert check_adopted(cluster(), MINIMUM).endpoint == "gke-2.us-central1.gke.goog"

    def test_is_reached_through_its_ip_endpoint_where_it_has_no_other(self) -> None:
        assert check_adopted(cluster(control_plane_endpoints_configs=[]), MINIMUM).endpoint == "10.0.0.2"
