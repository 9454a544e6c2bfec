"""What the contract says of monitoring."""

from collections.abc import Mapping
from urllib.parse import quote

from hybrid_pools.blueprint.contract.part import Part

_CONSOLE = "https://console.cloud.google.com/monitoring/dashboards/builder"


class DashboardContract(Part):
    """One dashboard."""

    name: str
    url: str
    """Page of the Google Cloud console. Who opens it needs roles/monitoring.viewer on the project."""


def dashboard_contracts(project: str, dashboards: Mapping[str, str]) -> tuple[DashboardContract, ...]:
    """The dashboards by name, once their identifiers are known."""
    return tuple(
        DashboardContract(name=name, url=f"{_CONSOLE}/{quote(identifier.rpartition('/')[2])}?project={project}")
        for name, identifier in sorted(dashboards.items())
    )
