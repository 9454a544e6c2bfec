"""A stack file is read as the engine reads it."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hybrid_pools.blueprint.configuration.stack_file import StackFile, check_stack_file, read_stack_file
from hybrid_pools.blueprint.problems import ConfigurationError
from tests.environments import ENVIRONMENTS, STACKS, sections_of


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "Pulumi.case.yaml"


def stack_of(file: Path, text: str) -> StackFile:
    file.write_text(text)
    return read_stack_file(file)


class TestTheCheckedInStackFiles:
    @pytest.mark.parametrize("environment", ENVIRONMENTS)
    def test_are_read_as_any_yaml_parser_reads_them(self, environment: str):
        assert read_stack_file(STACKS / f"Pulumi.{environment}.yaml").sections == sections_of(environment)

    @pytest.mark.parametrize("environment", ENVIRONMENTS)
    def test_are_right(self, environment: str):
        assert check_stack_file(STACKS / f"Pulumi.{environment}.yaml").environment.name == environment


class TestAPlainValue:
    @pytest.mark.parametrize(
        ("written", "meant"),
        [
            ("4", 4),
            ("-1", -1),
            ("0x1F", 31),
            ("0o17", 15),
            ("1.5", 1.5),
            ("1e3", 1000.0),
            ("-.inf", float("-inf")),
            ("true", True),
            ("False", False),
            ("~", None),
            ("", None),
            ("null", None),
            ("yes", "yes"),
            ("off", "off"),
            ("8:00", "8:00"),
            ("1.35.1", "1.35.1"),
            ("2026-01-05T00:00:00Z", "2026-01-05T00:00:00Z"),
            ("010", "010"),
            ("1_000", "1_000"),
            ('"4"', "4"),
            ("!!str 4", "4"),
            ("[a, [b]]", ["a", ["b"]]),
            ("{a: {b: 1}}", {"a": {"b": 1}}),
        ],
    )
    def test_means_what_it_means_in_yaml_1_2(self, file: Path, written: str, meant: object):
        assert stack_of(file, f"config:\n  thing: {written}\n").sections == {"thing": meant}

    def test_may_be_written_once_and_used_again(self, file: Path):
        text = (
            "config:\n  one: &zones [a, b]\n  two: *zones\n"
            "  three: &all {x: 1, y: 2}\n  four: {<<: *all, y: 3}\n  five: {<<: [*all, {z: 4}]}\n"
        )
        sections = stack_of(file, text).sections
        assert sections["two"] == ["a", "b"]
        assert sections["four"] == {"x": 1, "y": 3}
        assert sections["five"] == {"x": 1, "y": 2, "z": 4}

    def test_may_follow_a_byte_order_mark(self, file: Path):
        file.write_bytes(b"\xef\xbb\xbfconfig: {thing: 1}\n")
        assert read_stack_file(file).sections == {"thing": 1}


class TestTheKeysOfAConfiguration:
    def test_are_ours_with_and_without_the_namespace(self, file: Path):
        stack = stack_of(file, "config:\n  environment: {name: a}\n  hybrid-node-pools:network: {}\n  gcp:project: acme\n")
        assert stack.sections == {"environment": {"name": "a"}, "network": {}}
        assert stack.other == ("gcp:project",)

    def test_keep_the_lines_they_stand_on(self, file: Path):
        stack = stack_of(
            file, "config:\n  environment:\n    name: a\n  hybrid-node-pools:pools:\n    one:\n      zones:\n        - x\n        - y\n"
        )
        assert stack.lines["hybrid-node-pools:environment.name"] == 3
        assert stack.lines["hybrid-node-pools:pools.one.zones[1]"] == 8

    def test_are_secret_wherever_the_engine_takes_them_for_secret(self, file: Path):
        text = (
            "config:\n  environment: {team: {secure: v1:a}}\n  pools: {one: {zones: [{secure: v1:b}]}}\n"
            "  network: {secure: v1:c}\n  cluster: {secure: 3}\n  nodeIdentity: {secure: v1:d, more: 1}\n  gcp:key: {secure: v1:e}\n"
        )
        assert stack_of(file, text).secrets == {"environment.team", "pools.one.zones[0]", "network"}

    def test_never_show_the_value_of_a_secret(self, file: Path):
        file.write_text("config:\n  environment: {team: {secure: hidden}}\n  other: {secure: hidden}\n  pools: {one: {secure: hidden}}\n")
        with pytest.raises(ConfigurationError) as refused:
            check_stack_file(file)
        assert "hidden" not in str(refused.value)


class TestAnyFile:
    @given(content=st.binary(max_size=200) | st.text(max_size=200).map(lambda text: text.encode("utf-8", "surrogatepass")))
    def test_is_read_or_refused_and_never_anything_else(self, tmp_path_factory: pytest.TempPathFactory, content: bytes):
        file = tmp_path_factory.getbasetemp() / "Pulumi.any.yaml"
        file.write_bytes(content)
        with pytest.raises(ConfigurationError) as refused:
            check_stack_file(file)
        assert refused.value.problems

    @given(content=st.text(alphabet="config:{}[]&*<!|>-#'\"\\ \n\tab~01.", max_size=60))
    def test_made_of_yaml_signs_is_read_or_refused(self, tmp_path_factory: pytest.TempPathFactory, content: str):
        file = tmp_path_factory.getbasetemp() / "Pulumi.signs.yaml"
        file.write_text(f"config:\n  thing: {content}")
        try:
            assert set(read_stack_file(file).sections) >= {"thing"}
        except ConfigurationError as refused:
            assert refused.problems

    def test_nested_deeper_than_any_configuration_is_refused(self, file: Path):
        file.write_text("config: " + "[" * 3000)
        with pytest.raises(ConfigurationError, match="CFG-012"):
            read_stack_file(file)
