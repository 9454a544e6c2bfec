"""A project as small as a project can be: components only, no cloud."""

from pathlib import Path

import pytest

_PROGRAM = """
import pulumi
from neighbour import Greeting

config = pulumi.Config()
Greeting("first", config.require("greeting"))
{more}
pulumi.export("greeting", config.require("greeting"))
"""

_NEIGHBOUR = """
import pulumi


class Greeting(pulumi.ComponentResource):
    def __init__(self, name, text):
        super().__init__("small:index:Greeting", name, {"text": text})
        self.register_outputs({})
"""

_PACK = """
from pulumi_policy import EnforcementLevel, PolicyPack, ResourceValidationPolicy


def polite(args, report):
    if args.resource_type == "small:index:Greeting" and args.props["text"] == "rude":
        report("this greeting is rude")


rule = ResourceValidationPolicy("polite", "Greetings are polite", polite, enforcement_level=EnforcementLevel.MANDATORY)
PolicyPack("small", policies=[rule])
"""


class SmallProject:
    """Files of a project with one stack, `one`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.stack_file = folder / "stacks" / "Pulumi.one.yaml"
        self.pack = folder / "policies"
        for child in ("infra", "stacks", "policies"):
            (folder / child).mkdir(parents=True)
        (folder / "Pulumi.yaml").write_text("name: small\nruntime: python\nmain: infra\nstackConfigDir: stacks\n")
        (folder / "infra" / "neighbour.py").write_text(_NEIGHBOUR)
        (self.pack / "PulumiPolicy.yaml").write_text("runtime:\n  name: python\n  options: {toolchain: pip}\nversion: 0.0.1\n")
        (self.pack / "__main__.py").write_text(_PACK)
        self.greet("hello")
        self.program()

    def greet(self, text: str) -> None:
        """Sets the greeting in the stack file."""
        self.stack_file.write_text(f"# kept as written\nconfig:\n  small:greeting: {text}\n")

    def program(self, more: str = "") -> None:
        """Writes the program with further statements before its outputs."""
        (self.folder / "infra" / "__main__.py").write_text(_PROGRAM.format(more=more))


@pytest.fixture
def small_project(tmp_path: Path) -> SmallProject:
    return SmallProject(tmp_path / "project")
