"""Where a control plane keeps its things: everything under `cluster/` of its lab."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class ClusterFiles:
    """The files of one control plane.

    Attributes:
        lab: Absolute path of the lab's directory.
    """

    lab: Path

    @property
    def directory(self) -> Path:
        """Removing it, once everything is stopped, removes the cluster and nothing else."""
        return self.lab / "cluster"

    @property
    def lock(self) -> Path:
        """Held by whoever starts or stops parts."""
        return self.directory / "lock"

    @property
    def ports(self) -> Path:
        """The port of everything that listens, by name."""
        return self.directory / "ports.json"

    @property
    def certificates(self) -> Path:
        """Of the authority that vouches for servers and users."""
        return self.directory / "certificates"

    @property
    def webhook_certificates(self) -> Path:
        """Of the authority that vouches for webhooks. Its key is kept in the cluster, so it must not vouch for users."""
        return self.directory / "webhooks"

    @property
    def signing_key(self) -> Path:
        """Signs service accounts' tokens."""
        return self.directory / "service-accounts.key"

    @property
    def ca(self) -> Path:
        """Certificate of the lab's authority, in PEM."""
        return self.certificates / "ca.crt"

    @property
    def users(self) -> Path:
        """Client certificates and the kubeconfigs that name them."""
        return self.directory / "users"

    @property
    def tokens(self) -> Path:
        """The API server's file of static tokens."""
        return self.directory / "tokens.csv"

    @property
    def credential(self) -> Path:
        """What the lab's `gke-gcloud-auth-plugin` answers: the administrator's token as an `ExecCredential`."""
        return self.directory / "credential.json"

    @property
    def kubeconfig(self) -> Path:
        """Of the administrator."""
        return self.directory / "kubeconfig"

    @property
    def discovery(self) -> Path:
        """What `kubectl` remembers of the API server's kinds: no secret, and nobody else's folder."""
        return self.directory / "kubectl"

    @property
    def etcd(self) -> Path:
        """What the cluster remembers between `stop` and `start`."""
        return self.directory / "etcd"

    def configuration(self, part: str) -> Path:
        """Folder of the files that a part reads."""
        return self.directory / "configuration" / part

    def log(self, part: str) -> Path:
        """What a part has printed."""
        return self.directory / "logs" / f"{part}.log"

    def record(self, part: str) -> Path:
        """Which process a part is."""
        return self.directory / "processes" / f"{part}.json"
