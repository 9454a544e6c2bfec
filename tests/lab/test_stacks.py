import pytest

from lab.errors import LabError
from lab.stacks import known_stacks, stack_text
from tests.lab.conftest import SmallProject


class TestAStackFileThatCannotBeRead:
    @pytest.mark.parametrize(
        ("content", "said"),
        [
            (None, "does not exist"),
            ("", "is empty"),
            ("# only a comment\n", "is empty"),
            ("config: [unclosed\n", "is not YAML"),
            ("\tconfig: {}\n", "is not YAML"),
            ("- a\n- b\n", "holds a list"),
            ("just text\n", "holds a str"),
            ("encryptionsalt: v1:abc\n", "has no `config` section"),
            ("config:\n", "has no `config` section"),
            (b"config: \xff\xfe\n", "cannot be read"),
        ],
    )
    def test_is_refused_with_its_path_the_reason_and_the_known_stacks(self, small_project: SmallProject, content, said):
        file = small_project.stack_file.with_name("Pulumi.two.yaml")
        if content is not None:
            file.write_bytes(content if isinstance(content, bytes) else content.encode())
        with pytest.raises(LabError) as refused:
            stack_text(small_project.folder, "two")
        assert str(file) in str(refused.value)
        assert said in str(refused.value)
        assert "one" in str(refused.value).split("Known stacks: ")[1]

    def test_is_told_when_there_is_no_project(self, tmp_path):
        with pytest.raises(LabError, match=r"Pulumi\.yaml does not exist"):
            known_stacks(tmp_path)


class TestAStackFile:
    def test_reaches_the_engine_as_written_except_for_where_its_secrets_are_kept(self, small_project: SmallProject):
        config = 'config:\n  small:start: 8:00 # not sexagesimal\n  small:secretsprovider: "kept, it is a value"\n'
        small_project.stack_file.write_text(f"secretsprovider: gcpkms://key\nencryptedkey: abc\n{config}")
        assert stack_text(small_project.folder, "one") == config

    def test_names_its_stack(self, small_project: SmallProject):
        small_project.stack_file.with_name("Pulumi.another.yaml").touch()
        small_project.stack_file.with_name("README.md").touch()
        assert known_stacks(small_project.folder) == ("another", "one")
