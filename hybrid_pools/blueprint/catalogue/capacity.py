"""The ways Google hands out capacity for a machine."""

from enum import StrEnum


class CapacityKind(StrEnum):
    """How the machines of a pool are obtained; exactly one kind a pool.

    Google calls these consumption options or provisioning models. Source: "About accelerator consumption options" of the GKE documentation.
    """

    ON_DEMAND = "on-demand"
    SPOT = "spot"
    FLEX_START = "flex-start"
    QUEUED = "queued-provisioning"
    RESERVATION = "reservation"
