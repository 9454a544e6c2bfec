"""The lab's own certificate authorities: what servers show, and what clients prove who they are with.

A client certificate names its user and groups itself (X.509 authentication of Kubernetes: common name and organizations), so tests can act
as any user without a restart of the API server.
"""

import ipaddress
import os
import tempfile
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

_AUTHORITY_NAME = "hybrid-pools lab"
_YEARS = 10
_LONGEST = 64  # characters of a common name or an organization (X.520); Kubernetes and Go take longer ones

# Kueue checks that the authority of its certificates bears this name (pkg/util/cert of Kueue).
_KUEUE_AUTHORITY = "kueue-ca"

SERVER_NAMES = (
    "localhost",
    "kubernetes",
    "kubernetes.default",
    "kubernetes.default.svc",
    "kueue-webhook-service.kueue-system.svc",
    "jobset-webhook-service.jobset-system.svc",
)
"""Names under which something of the control plane is reached or is checked for."""

_LOOPBACK = ipaddress.ip_address("127.0.0.1")

_Key = ec.EllipticCurvePrivateKey


@dataclass(frozen=True)
class KeyPair:
    """A certificate and its key, as PEM files."""

    certificate: Path
    key: Path


@dataclass(frozen=True)
class Authority:
    """A certificate authority in a folder.

    Attributes:
        folder: Where its own key pair and that of its servers lie.
    """

    folder: Path

    @property
    def own(self) -> KeyPair:
        return KeyPair(self.folder / "ca.crt", self.folder / "ca.key")

    @property
    def server(self) -> KeyPair:
        """What every server of the control plane shows. It lies apart, because some are told a folder with `tls.crt` and `tls.key`."""
        return KeyPair(self.folder / "server" / "tls.crt", self.folder / "server" / "tls.key")

    def prepare(self) -> None:
        """Makes what is missing; what is there stays, because running parts and kubeconfigs trust it."""
        if self.server.certificate.exists():
            return
        self._make_own()
        self._make_server()  # last, so that an interrupted run begins anew

    def client(self, file: Path, user: str, groups: Sequence[str]) -> None:
        """Makes a client certificate for a user, with its key in the same PEM file so that the two always fit; an existing file stays."""
        if file.exists():
            return
        key = ec.generate_private_key(ec.SECP256R1())
        subject = x509.Name([_attribute(NameOID.COMMON_NAME, user), *(_attribute(NameOID.ORGANIZATION_NAME, group) for group in groups)])
        usage = x509.ExtendedKeyUsage([ExtendedKeyUsageOID.CLIENT_AUTH])
        certificate = self._sign(subject, key, lambda builder: builder.add_extension(usage, critical=False))
        write_private(file, certificate.public_bytes(serialization.Encoding.PEM) + _pem(key))

    def _make_own(self) -> None:
        key = _rsa_key()
        name = _name(_AUTHORITY_NAME)
        builder = (
            _builder(name, name, key.public_key())
            .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
            .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
            .add_extension(_signs_certificates(), critical=True)
            .add_extension(x509.SubjectAlternativeName([x509.DNSName(_KUEUE_AUTHORITY)]), critical=False)
        )
        certificate = builder.sign(key, hashes.SHA256())
        # In the older form of a key file: Kueue reads no other (ParsePKCS1PrivateKey in cert-controller).
        write_private(self.own.key, _pem(key, serialization.PrivateFormat.TraditionalOpenSSL))
        write_private(self.own.certificate, certificate.public_bytes(serialization.Encoding.PEM))

    def _make_server(self) -> None:
        key = ec.generate_private_key(ec.SECP256R1())
        names = x509.SubjectAlternativeName([*(x509.DNSName(name) for name in SERVER_NAMES), x509.IPAddress(_LOOPBACK)])
        usage = x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH])
        certificate = self._sign(
            _name(SERVER_NAMES[0]),
            key,
            lambda builder: builder.add_extension(names, critical=False).add_extension(usage, critical=False),
        )
        write_private(self.server.key, _pem(key))
        write_private(self.server.certificate, certificate.public_bytes(serialization.Encoding.PEM))

    def _sign(
        self, subject: x509.Name, key: _Key, extend: Callable[[x509.CertificateBuilder], x509.CertificateBuilder]
    ) -> x509.Certificate:
        authority = x509.load_pem_x509_certificate(self.own.certificate.read_bytes())
        signer = serialization.load_pem_private_key(self.own.key.read_bytes(), password=None)
        assert isinstance(signer, rsa.RSAPrivateKey)  # noqa: S101 - made above
        issued_by = x509.AuthorityKeyIdentifier.from_issuer_public_key(signer.public_key())
        builder = _builder(subject, authority.subject, key.public_key()).add_extension(issued_by, critical=False)
        return extend(builder).sign(signer, hashes.SHA256())


def make_signing_key(file: Path) -> None:
    """Makes the key that signs service accounts' tokens, if there is none yet."""
    if not file.exists():
        write_private(file, _pem(_rsa_key()))


def write_private(file: Path, content: bytes) -> None:
    """Writes a file that only its owner can read."""
    file.parent.mkdir(parents=True, exist_ok=True)
    descriptor, part = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}.")  # for its owner only, and no one else writes the same
    with os.fdopen(descriptor, "wb") as stream:
        stream.write(content)
    Path(part).replace(file)


def _builder(subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePublicKey | rsa.RSAPublicKey) -> x509.CertificateBuilder:
    now = datetime.now(UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(hours=1))
        .not_valid_after(now + timedelta(days=365 * _YEARS))
    )


def _attribute(kind: x509.ObjectIdentifier, value: str) -> x509.NameAttribute[str]:
    """Part of a name. A node of GKE has one of up to 75 characters, which the library takes only when it does not look."""
    if len(value) <= _LONGEST:
        return x509.NameAttribute(kind, value)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return x509.NameAttribute(kind, value, _validate=False)


def _name(common_name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, common_name)])


def _signs_certificates() -> x509.KeyUsage:
    return x509.KeyUsage(
        key_cert_sign=True,
        crl_sign=True,
        digital_signature=True,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        encipher_only=False,
        decipher_only=False,
    )


def _rsa_key() -> rsa.RSAPrivateKey:
    return rsa.generate_private_key(public_exponent=65537, key_size=2048)


def _pem(key: _Key | rsa.RSAPrivateKey, form: serialization.PrivateFormat = serialization.PrivateFormat.PKCS8) -> bytes:
    return key.private_bytes(serialization.Encoding.PEM, form, serialization.NoEncryption())
