"""Which environment a stack is: its project, region, owner and protection."""

from typing import Annotated

from pydantic import Field

from hybrid_pools.blueprint.configuration.model import GoogleLabelKey, GoogleLabelValue, Model


class EnvironmentConfiguration(Model):
    """The environment as a whole."""

    name: Annotated[str, Field(pattern=r"^[a-z]([-a-z0-9]{0,14}[a-z0-9])?$")]
    """Short name, first part of what this stack creates. At most 16 characters: account ids carry it and end at 30."""

    project: Annotated[str, Field(pattern=r"^[a-z][-a-z0-9]{4,28}[a-z0-9]$")]
    """Google Cloud project id. One project an environment: workload identities of one project share their names."""

    region: Annotated[str, Field(pattern=r"^[a-z]+-[a-z]+[0-9]+$")]
    """Region of the cluster and its pools, for example us-central1."""

    team: GoogleLabelValue
    """Team that answers for the environment; a label on every VM."""

    cost_center: GoogleLabelValue
    """Who pays; a label on every VM."""

    labels: dict[GoogleLabelKey, GoogleLabelValue] = Field(default_factory=dict)
    """More Google Cloud labels for the cluster and the VMs."""

    protected: bool = False
    """Refuse to delete or replace the cluster and the stable pools, in Pulumi and in Google's API. Set it in production."""

    max_gpus: Annotated[int, Field(ge=0, le=10_000)] = 64
    """GPUs that all pools together may reach. A ceiling against typing errors that cost money, not a quota."""
