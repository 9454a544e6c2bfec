"""An SDK loaded on demand is the SDK: the same classes, functions and shapes, only fewer of them at a time."""

import importlib
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from components.on_demand import load_on_demand
from lab.paths import CHECKOUT

_SWITCH = "from components.on_demand import load_on_demand; load_on_demand('pulumi_gcp')\n"

_EVERY_NAME = """
import importlib, json, sys, warnings
warnings.simplefilter("ignore")
found = {}
for package, names in json.load(sys.stdin).items():
    module = importlib.import_module(f"pulumi_gcp.{package}")
    module.outputs  # a touch, since the SDK itself puts whole packages off
    for name in names or [name for name, one in vars(module).items() if hasattr(one, "__qualname__")]:
        one = getattr(module, name)
        found[f"{package} {name}"] = f"{one.__module__}.{one.__qualname__}"
print(json.dumps(found))
"""

_SHAPES = """
import json
from lab.google import functions
from lab.google.facts import read_facts
from lab.google.schema import derive
print(json.dumps(derive(read_facts(), functions.TOKENS).dump()))
"""

_LOADED = """
import json, sys
import pulumi_gcp as gcp
gcp.container.NodePool, gcp.container.NodePoolAutoscalingArgs
modules = [name for name in sys.modules if name.startswith("pulumi_gcp.container.")]
print(json.dumps([sorted(modules), [name for name in vars(sys.modules["pulumi_gcp.container._inputs"]) if name.startswith("Cluster")]]))
"""

_PACKAGES = ("compute", "container", "logging", "projects", "serviceaccount", "storage")


def _run(program: str, given: Any = None) -> Any:
    """What a fresh Python makes of it, since a process loads an SDK once."""
    done = subprocess.run(
        [sys.executable, "-c", program], input=json.dumps(given), cwd=CHECKOUT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


class TestGooglesSdk:
    def test_has_every_name_of_a_package_and_the_same_thing_under_it(self):
        whole = _run(_EVERY_NAME, dict.fromkeys(_PACKAGES))
        assert len(whole) > 4000
        names = {package: [name.partition(" ")[2] for name in whole if name.startswith(f"{package} ")] for package in _PACKAGES}
        assert _run(_SWITCH + _EVERY_NAME, names) == whole

    def test_gives_every_type_of_the_program_the_same_shape(self):
        whole = _run(_SHAPES)
        assert len(whole["objects"]) > 500
        assert _run(_SWITCH + _SHAPES) == whole

    def test_makes_nothing_that_nobody_asked_for(self):
        modules, clusters = _run(_SWITCH + _LOADED)
        assert modules == ["pulumi_gcp.container._inputs", "pulumi_gcp.container.node_pool", "pulumi_gcp.container.outputs"]
        assert clusters == []


_SMALL_SDK = {
    "__init__.py": "",
    "plain/__init__.py": "from .thing import *",
    "plain/thing.py": """
__all__ = ["Thing"]

class Thing: ...
""",
    "shop/__init__.py": """
from .shelf import *
from .get_shelf import *
from .odd import *
from ._inputs import *
from . import outputs
""",
    "shop/shelf.py": """
import pulumi
from . import outputs
from ._inputs import *
__all__ = ["Shelf", "ShelfArgs"]

class Shelf: ...

@pulumi.input_type
class ShelfArgs:
    @property
    @pulumi.getter
    def box(self) -> pulumi.Input["ShelfBoxArgs"]: ...
""",
    "shop/get_shelf.py": """
from ._inputs import *
__all__ = ["get_shelf", "GetShelfResult"]

def get_shelf(): ...

class GetShelfResult: ...
""",
    "shop/odd.py": """
from ._inputs import *
__all__ = ["Curious"]

class Curious: ...
""",
    "shop/outputs.py": """
import pulumi
__all__ = ["ShelfBox"]

@pulumi.output_type
class ShelfBox(dict): ...
""",
    "shop/_inputs.py": """
import pulumi
from typing import TypedDict
__all__ = ["ShelfBoxArgs", "ShelfBoxArgsDict", "ShelfLidArgs"]

class ShelfBoxArgsDict(TypedDict):
    lid: int

@pulumi.input_type
class ShelfBoxArgs:
    @property
    @pulumi.getter
    def lid(self) -> pulumi.Input["ShelfLidArgs"]: ...

@pulumi.input_type
class ShelfLidArgs: ...
""",
}


@pytest.fixture
def sdk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """A small SDK of the generated form, loaded on demand."""
    name = f"sdk_{tmp_path.name.replace('-', '_')}"
    for file, text in _SMALL_SDK.items():
        path = tmp_path / name / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    before = list(sys.meta_path)
    load_on_demand(name)
    yield importlib.import_module(name)
    sys.meta_path[:] = before
    for module in [module for module in sys.modules if module.partition(".")[0] == name]:
        del sys.modules[module]


def _import(sdk: ModuleType, name: str) -> Any:
    return importlib.import_module(f"{sdk.__name__}.{name}")


class TestAPackage:
    def test_gives_a_function_where_its_module_has_the_same_name(self, sdk: ModuleType):
        shop = _import(sdk, "shop")
        assert shop.GetShelfResult.__name__ == "GetShelfResult"
        assert callable(shop.get_shelf)

    def test_finds_what_is_not_where_its_name_says(self, sdk: ModuleType):
        assert _import(sdk, "shop").Curious.__module__ == f"{sdk.__name__}.shop.odd"

    def test_has_no_other_names_than_the_sdk(self, sdk: ModuleType):
        with pytest.raises(AttributeError, match=r"module 'sdk_.*shop' has no attribute 'Shelves'"):
            _ = _import(sdk, "shop").Shelves

    def test_of_another_form_is_loaded_whole(self, sdk: ModuleType):
        assert vars(_import(sdk, "plain"))["Thing"].__name__ == "Thing"


class TestAShape:
    def test_is_one_class_wherever_it_is_named(self, sdk: ModuleType):
        shop, inputs = _import(sdk, "shop"), _import(sdk, "shop._inputs")
        assert shop.ShelfArgs is _import(sdk, "shop.shelf").ShelfArgs
        assert shop.ShelfBoxArgs is inputs.ShelfBoxArgs is vars(_import(sdk, "shop.shelf"))["ShelfBoxArgs"]

    def test_brings_the_inputs_that_it_names_itself(self, sdk: ModuleType):
        inputs = _import(sdk, "shop._inputs")
        assert "ShelfLidArgs" not in vars(inputs)
        assert inputs.ShelfBoxArgs is not None
        assert "ShelfLidArgs" in vars(inputs)

    def test_of_type_checkers_is_made_only_when_asked_for(self, sdk: ModuleType):
        shop = _import(sdk, "shop")
        assert shop.ShelfArgs.__name__ == "ShelfArgs"
        assert "ShelfBoxArgsDict" not in vars(_import(sdk, "shop._inputs"))
        assert shop.ShelfBoxArgsDict.__required_keys__ == {"lid"}

    def test_of_outputs_is_a_dictionary(self, sdk: ModuleType):
        assert issubclass(_import(sdk, "shop").outputs.ShelfBox, dict)


def test_an_sdk_that_is_loaded_stays_as_it_is():
    before = list(sys.meta_path)
    load_on_demand("pytest")
    assert sys.meta_path == before
