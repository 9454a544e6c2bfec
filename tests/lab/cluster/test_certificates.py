from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.x509.oid import NameOID
from cryptography.x509.verification import PolicyBuilder, Store

from lab.cluster.certificates import SERVER_NAMES, Authority, make_signing_key, write_private


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    made = Authority(tmp_path_factory.mktemp("authority"))
    made.prepare()
    return made


def certificate(file: Path) -> x509.Certificate:
    return x509.load_pem_x509_certificate(file.read_bytes())


class TestAnAuthority:
    @pytest.mark.parametrize("name", SERVER_NAMES)
    def test_vouches_for_its_server_under_each_of_its_names(self, authority: Authority, name: str):
        store = Store([certificate(authority.own.certificate)])
        verifier = PolicyBuilder().store(store).build_server_verifier(x509.DNSName(name))
        assert verifier.verify(certificate(authority.server.certificate), [])

    def test_stays_as_it_is(self, authority: Authority):
        files = [authority.own.certificate, authority.own.key, authority.server.certificate, authority.server.key]
        before = [file.read_bytes() for file in files]
        authority.prepare()
        assert [file.read_bytes() for file in files] == before

    def test_is_made_anew_where_it_was_not_finished(self, tmp_path: Path):
        unfinished = Authority(tmp_path / "authority")
        write_private(unfinished.own.certificate, b"half")
        unfinished.prepare()
        assert certificate(unfinished.own.certificate)
        assert certificate(unfinished.server.certificate)

    def test_has_a_key_in_the_only_form_that_kueue_reads(self, authority: Authority):
        assert authority.own.key.read_bytes().startswith(b"-----BEGIN RSA PRIVATE KEY-----")


class TestAClientCertificate:
    def test_names_user_and_groups(self, authority: Authority, tmp_path: Path):
        user, groups = "system:serviceaccount:team-a:training", ["one@acme.example", "system:serviceaccounts"]
        authority.client(tmp_path / "one.pem", user, groups)
        subject = certificate(tmp_path / "one.pem").subject
        assert [name.value for name in subject.get_attributes_for_oid(NameOID.COMMON_NAME)] == [user]
        assert {name.value for name in subject.get_attributes_for_oid(NameOID.ORGANIZATION_NAME)} == set(groups)

    def test_names_nodes_with_the_long_names_of_gke(self, authority: Authority, tmp_path: Path):
        user = f"system:node:{'n' * 63}"
        authority.client(tmp_path / "one.pem", user, ["system:nodes"])
        assert user.encode() in certificate(tmp_path / "one.pem").public_bytes(serialization.Encoding.DER)

    def test_has_its_key_beside_it(self, authority: Authority, tmp_path: Path):
        authority.client(tmp_path / "one.pem", "one", [])
        key = serialization.load_pem_private_key((tmp_path / "one.pem").read_bytes(), None)
        assert key.public_key() == certificate(tmp_path / "one.pem").public_key()

    def test_in_use_is_not_replaced(self, authority: Authority, tmp_path: Path):
        authority.client(tmp_path / "one.pem", "one", [])
        before = (tmp_path / "one.pem").read_bytes()
        authority.client(tmp_path / "one.pem", "one", [])
        assert (tmp_path / "one.pem").read_bytes() == before


class TestKeys:
    def test_are_for_their_owner_only(self, authority: Authority, tmp_path: Path):
        authority.client(tmp_path / "one.pem", "one", [])
        files = [authority.own.key, authority.server.key, tmp_path / "one.pem"]
        assert {file.stat().st_mode & 0o077 for file in files} == {0}

    def test_that_sign_tokens_are_made_once(self, tmp_path: Path):
        make_signing_key(tmp_path / "key")
        before = (tmp_path / "key").read_bytes()
        make_signing_key(tmp_path / "key")
        assert (tmp_path / "key").read_bytes() == before
        assert isinstance(serialization.load_pem_private_key(before, None), rsa.RSAPrivateKey)
