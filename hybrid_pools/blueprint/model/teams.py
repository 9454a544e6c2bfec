"""Teams, fully decided."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Team:
    """Who trains here, and where their work lies.

    Attributes:
        name: Identity in the configuration.
        namespace: Kubernetes namespace of the team's workloads.
        service_account: Kubernetes service account in that namespace, which training runs as.
        spot: Whether the team may use spot pools.
        researchers: E-mail addresses of groups that read the team's data and results.
        training_engineers: E-mail addresses of groups that start and stop the team's training.
        folder: The team's managed folder below the prefix of every kind of bucket; ends in `/`. `Bucket.folders` has the whole names.
    """

    name: str
    namespace: str
    service_account: str
    spot: bool
    researchers: tuple[str, ...]
    training_engineers: tuple[str, ...]
    folder: str
