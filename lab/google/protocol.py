"""Pulumi's protocol without the SDK around it.

The messages are a part of the SDK's package (`pulumi.runtime.proto`), so importing them imports all of it: two thirds of the time that the
stand-in took to start, and nothing that the engine begins goes on before the stand-in has started.
"""

import sys
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

_AROUND = ("pulumi", "pulumi.runtime")


def leave_out_sdk() -> None:
    """Lets `pulumi.runtime.proto` be imported alone; nothing else of `pulumi` can be imported in this process afterwards."""
    spec = find_spec(_AROUND[0])
    if spec is None or spec.origin is None:
        return
    folder = Path(spec.origin).parent.parent
    for name in _AROUND:
        package = ModuleType(name)
        package.__path__ = [str(folder.joinpath(*name.split(".")))]
        sys.modules[name] = package
