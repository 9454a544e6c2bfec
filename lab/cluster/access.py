"""Who may reach the API server, and how: kubeconfigs, the administrator's token, and clients that act as any user."""

import json
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import yaml
from kubernetes.client import ApiClient, Configuration

from lab.cluster.certificates import Authority, make_signing_key, write_private
from lab.cluster.files import ClusterFiles

ADMIN = "lab-admin"
ADMINS = "system:masters"
"""Group that the API server lets do everything, before any role is looked at."""

_SERVICE_ACCOUNT = "system:serviceaccount:"
_NODE = "system:node:"
_CONTEXT = "lab"


def groups_of(user: str) -> tuple[str, ...]:
    """Groups that Kubernetes itself gives to a user by its name: to service accounts and to nodes."""
    if user.startswith(_SERVICE_ACCOUNT):
        namespace = user.removeprefix(_SERVICE_ACCOUNT).partition(":")[0]
        return ("system:serviceaccounts", f"system:serviceaccounts:{namespace}")
    return ("system:nodes",) if user.startswith(_NODE) else ()


@dataclass(frozen=True)
class Access:
    """The ways to an API server on this machine.

    Attributes:
        files: Where kubeconfigs and certificates are kept.
        port: On which the API server listens.
    """

    files: ClusterFiles
    port: int

    @property
    def authority(self) -> Authority:
        """What signs the certificates of servers and users."""
        return Authority(self.files.certificates)

    @property
    def url(self) -> str:
        """Address of the API server, under the name by which programs outside the lab find it."""
        return f"https://localhost:{self.port}"

    def prepare(self) -> None:
        """Makes authority, tokens and the administrator's kubeconfig; what is right already stays untouched."""
        self.authority.prepare()
        Authority(self.files.webhook_certificates).prepare()
        make_signing_key(self.files.signing_key)
        if not self.files.tokens.exists():
            _write(self.files.tokens, f'{secrets.token_urlsafe(32)},{ADMIN},{ADMIN},"{ADMINS}"\n')
        status = {"token": self.token}
        _write(
            self.files.credential,
            json.dumps({"apiVersion": "client.authentication.k8s.io/v1beta1", "kind": "ExecCredential", "status": status}),
        )
        _write(self.files.kubeconfig, self._kubeconfig({"token": self.token}))

    @property
    def token(self) -> str:
        """The administrator's."""
        return self.files.tokens.read_text().partition(",")[0]

    def kubeconfig(self, user: str, groups: Sequence[str] = ()) -> Path:
        """A kubeconfig with which a process acts as a user; its groups are the given ones and those that follow from the name."""
        certificate = self._client_certificate(user, groups)
        file = certificate.with_suffix(".kubeconfig")
        _write(file, self._kubeconfig({"client-certificate": str(certificate), "client-key": str(certificate)}))
        return file

    def client(self, user: str = ADMIN, groups: Sequence[str] = ()) -> ApiClient:
        """The official client, acting as a user; the administrator unless another is named."""
        configuration = Configuration(host=f"https://127.0.0.1:{self.port}")
        configuration.ssl_ca_cert = str(self.files.ca)
        if user == ADMIN:
            configuration.api_key = {"authorization": f"Bearer {self.token}"}
        else:
            configuration.cert_file = str(self._client_certificate(user, groups))
        return ApiClient(configuration)

    def _client_certificate(self, user: str, groups: Sequence[str]) -> Path:
        everything = (*groups_of(user), *groups)
        file = self.files.users / f"{sha256(repr((user, *everything)).encode()).hexdigest()[:16]}.pem"
        self.authority.client(file, user, everything)
        return file

    def _kubeconfig(self, user: dict[str, Any]) -> str:
        content = {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{"name": _CONTEXT, "cluster": {"server": self.url, "certificate-authority": str(self.files.ca)}}],
            "users": [{"name": _CONTEXT, "user": user}],
            "contexts": [{"name": _CONTEXT, "context": {"cluster": _CONTEXT, "user": _CONTEXT}}],
            "current-context": _CONTEXT,
        }
        return yaml.safe_dump(content, sort_keys=False)


def _write(file: Path, text: str) -> None:
    if not file.exists() or file.read_text() != text:
        write_private(file, text.encode())
