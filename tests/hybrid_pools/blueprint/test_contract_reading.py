"""What is read as a contract, and what is said of everything else."""

import json
from typing import Any

import pytest

from hybrid_pools.blueprint.contract.reading import ContractError, parse_contract
from tests.environments import STACKS, blueprint_of
from tests.hybrid_pools.blueprint.test_contract import contract_of

PROMISED = contract_of(blueprint_of("local"))
DATA: dict[str, Any] = PROMISED.model_dump(mode="json", exclude_none=True)
TEXT = json.dumps(DATA, indent=2)


class TestAContract:
    @pytest.mark.parametrize(
        "content",
        [
            TEXT.encode(),
            b"\xef\xbb\xbf" + TEXT.encode(),
            PROMISED.model_dump_json().encode(),
            json.dumps({"contract": DATA, "clusterName": "main-0a1b2c3", "quotas": []}).encode(),
        ],
        ids=["as printed", "with a byte order mark", "with nulls", "among all outputs of its stack"],
    )
    def test_is_read(self, content: bytes):
        assert parse_contract(content) == PROMISED


class TestWhatIsNoContract:
    @pytest.mark.parametrize(
        ("content", "said"),
        [
            (b"", "is empty"),
            (b" \n", "is empty"),
            (TEXT.encode("utf-16"), "is UTF-16"),
            (TEXT.replace("local", "löcal").encode("latin-1"), "is not UTF-8"),
            (b"\x00\x01\x80", "is not UTF-8"),
            (TEXT[: len(TEXT) // 2].encode(), "is not JSON: it ends in the middle"),
            (TEXT[:-2].encode(), "is not JSON: it ends in the middle"),
            (b"contract of local", "is not JSON (line 1"),
            (f"{TEXT}{TEXT}".encode(), "is not JSON (line"),
            (b"[" * 100_000, "is nested too deeply"),
            ((STACKS / "Pulumi.local.yaml").read_bytes(), "is a stack file"),
            (b"null", "has no contractVersion"),
            (b"[1]", "has no contractVersion"),
            (b'"[secret]"', "has no contractVersion"),
            (b'{"contract": "[secret]"}', "has an output `contract` that cannot be read"),
            (b'{"version": 3, "deployment": {}}', "looks like `pulumi stack export`"),
            (json.dumps(DATA | {"contractVersion": 2}).encode(), "is a contract of version 2"),
            (json.dumps(DATA | {"contractVersion": "1"}).encode(), "is a contract of version 1,"),
            (json.dumps(DATA | {"contractVersion": True}).encode(), "is a contract of version True"),
            (json.dumps(DATA | {"zones": []}).encode(), "has fields that this release does not know: zones"),
            (json.dumps({key: value for key, value in DATA.items() if key != "cluster"}).encode(), "cluster: field required"),
            (json.dumps(DATA | {"flavors": DATA["flavors"][1:]}).encode(), "names flavor stable-cpu, and does not describe it"),
            (json.dumps(DATA | {"pools": DATA["pools"][1:]}).encode(), "names pool services, and does not describe it"),
            (json.dumps(DATA | {"pools": [{}] * 3}).encode(), "and 40 more"),
        ],
    )
    def test_is_refused_with_what_it_is(self, content: bytes, said: str):
        with pytest.raises(ContractError) as refused:
            parse_contract(content)
        assert said in str(refused.value)
