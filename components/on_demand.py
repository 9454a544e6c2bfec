"""Loads of a Pulumi SDK only the classes that the program uses.

`pulumi_gcp.compute` alone has more than 4,000 classes, nine in ten of them shapes of inputs and outputs, and Python makes all of them as
soon as one is named. That is a second of every preview, for a hundred classes in use. But an SDK is generated, so its modules have a known
form: a package gathers what its modules define, and `_inputs` and `outputs` are classes and nothing else. Here a package looks for a name
when it is asked for it, and those two make a class when they are asked for it, from the SDK's own compiled code.

Names, types and behaviour are those of the SDK. A package that has not this form is loaded as Python loads any other.

An annotation asks for its class as any other code does. So a component that not every environment has postpones its annotations
(`from __future__ import annotations`), and its part of the SDK is left alone until the component is made.
"""

import importlib
import sys
import threading
from collections.abc import Iterator, Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from itertools import takewhile
from pathlib import Path
from types import CodeType, ModuleType, new_class
from typing import Any, TypedDict

import pulumi

_INPUTS, _OUTPUTS = "_inputs", "outputs"
_AFFIXES = ("", "Args", "Result", "_output")  # what a module adds to the name of its resource or function
_TYPED_DICT = "Dict"  # ends the names of the inputs that only type checkers need


def load_on_demand(sdk: str) -> None:
    """Makes this the way an SDK is loaded, unless it is loaded already."""
    if sdk not in sys.modules:
        sys.meta_path.insert(0, _Finder(sdk))


class _Finder(MetaPathFinder):
    """Finds the packages of one SDK and the modules in them; not the SDK itself, which is loaded as it is."""

    def __init__(self, sdk: str) -> None:
        self._sdk = sdk

    def find_spec(self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        sdk, *names = fullname.split(".")
        if sdk != self._sdk or len(names) not in (1, 2):
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is None or not isinstance(spec.loader, SourceFileLoader) or not Path(spec.loader.path).with_name(f"{_INPUTS}.py").exists():
            return None
        # The SDK's own modules lie beside its packages and have nothing to put off.
        if (len(names) == 1) is (spec.submodule_search_locations is not None):
            spec.loader = _loader(names)(fullname, spec.loader.path)
        return spec


def _loader(names: Sequence[str]) -> type[SourceFileLoader]:
    if len(names) == 1:
        return _Package
    return _Shapes if names[1] in (_INPUTS, _OUTPUTS) else _Definitions


class _Package(SourceFileLoader):
    """Looks for a name in the module that is called like it, then among the inputs, and gathers everything only if that fails."""

    def exec_module(self, module: ModuleType) -> None:
        files = [file.stem for file in Path(self.path).parent.glob("*.py")]
        homes = {file.replace("_", ""): file for file in files if file not in ("__init__", _INPUTS, _OUTPUTS)}

        def find(name: str) -> Any:
            if name.startswith("__"):
                raise _absent(module, name)
            for affix in _AFFIXES:
                home = homes.get(name.removesuffix(affix).replace("_", "").lower())
                if home:
                    # All its names: the import has just put the module itself where a function of the same name belongs.
                    definitions = importlib.import_module(f"{module.__name__}.{home}")
                    module.__dict__.update({each: getattr(definitions, each) for each in definitions.__all__})
                    if name in module.__dict__:
                        return module.__dict__[name]
            if name in (_INPUTS, _OUTPUTS):
                return importlib.import_module(f"{module.__name__}.{name}")
            inputs = importlib.import_module(f"{module.__name__}.{_INPUTS}")
            if hasattr(inputs, name):
                return getattr(inputs, name)
            SourceFileLoader.exec_module(self, module)
            if name in module.__dict__:
                return module.__dict__[name]
            raise _absent(module, name)

        module.__dict__["__getattr__"] = find


class _Shapes(SourceFileLoader):
    """Makes the classes of inputs or outputs one by one."""

    bodies: dict[str, CodeType]

    def exec_module(self, module: ModuleType) -> None:
        self.bodies = dict(_bodies(self.get_code(module.__name__)))
        with Path(self.path).open(encoding="utf-8") as file:
            imports = "".join(takewhile(lambda line: not line.startswith("__all__"), file))
        exec(compile(imports, self.path, "exec"), module.__dict__)  # noqa: S102 - the SDK's own lines, as an import would
        lock = threading.RLock()

        def find(name: str) -> Any:
            if name not in self.bodies:
                raise _absent(module, name)
            with lock:
                if name not in module.__dict__:
                    module.__dict__[name] = self._made(name, module)
                    self.give(module, self.bodies[name])
                return module.__dict__[name]

        # `from ._inputs import *` takes nothing: `_Definitions` gives a module the inputs it names.
        module.__dict__.update(__all__=[], __getattr__=find)

    def give(self, module: ModuleType, body: CodeType) -> None:
        """Puts into a module the inputs that a class there names, since Pulumi resolves its annotations in the module.

        Outputs need none of this: they are named as attributes of their module.
        """
        for name in _texts(body):
            if name in self.bodies and name not in module.__dict__ and not name.endswith(_TYPED_DICT):
                module.__dict__[name] = getattr(sys.modules[self.name], name)

    def _made(self, name: str, module: ModuleType) -> type:
        def body(namespace: dict[str, Any]) -> None:
            exec(self.bodies[name], module.__dict__, namespace)  # noqa: S102 - as a class statement would

        if module.__name__.endswith(f".{_OUTPUTS}"):
            return pulumi.output_type(new_class(name, (dict,), exec_body=body))
        if name.endswith(_TYPED_DICT):
            return new_class(name, (TypedDict,), exec_body=body)
        return pulumi.input_type(new_class(name, (), exec_body=body))


class _Definitions(SourceFileLoader):
    """Gives the module of a resource or function the inputs that its classes name."""

    def exec_module(self, module: ModuleType) -> None:
        super().exec_module(module)
        inputs = importlib.import_module(f"{module.__name__.rpartition('.')[0]}.{_INPUTS}").__loader__
        if isinstance(inputs, _Shapes):
            for _, body in _bodies(self.get_code(module.__name__)):
                inputs.give(module, body)


def _bodies(code: CodeType | None) -> Iterator[tuple[str, CodeType]]:
    """The names and bodies of the classes that a module or class defines."""
    return ((constant.co_name, constant) for constant in (code.co_consts if code else ()) if isinstance(constant, CodeType))


def _texts(body: CodeType) -> Iterator[str]:
    """All texts in a class's own code, those in annotations of its methods among them."""
    for constant in body.co_consts:
        if isinstance(constant, str):
            yield constant
        elif isinstance(constant, tuple):
            yield from (element for element in constant if isinstance(element, str))
        elif isinstance(constant, CodeType) and constant.co_name == "__annotate__":
            # From Python 3.14 on, annotations are functions of their own.
            yield from _texts(constant)


def _absent(module: ModuleType, name: str) -> AttributeError:
    return AttributeError(f"module {module.__name__!r} has no attribute {name!r}")
