"""The corpus of wrong configurations in `bad/`, as cases that can be written to disk and checked."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from hybrid_pools.blueprint.configuration.stack_file import check_stack_file
from hybrid_pools.blueprint.problems import ConfigurationError
from hybrid_pools.blueprint.vocabulary import PROJECT

FOLDER = Path(__file__).with_name("bad")
BASE = FOLDER / "base.yaml"
_NAME = Path("Pulumi.case.yaml")


@dataclass(frozen=True)
class Expected:
    """One problem that a case must lead to, with a piece of its fix."""

    rule: str
    at: str
    fix: str


@dataclass(frozen=True)
class Case:
    """One wrong configuration: how it comes about, and every problem that must be found."""

    name: str
    making: Mapping[str, Any]
    problems: tuple[Expected, ...]

    def write(self, file: Path) -> None:
        """Put the wrong file there."""
        if "change" in self.making:
            changes = {f"{PROJECT}:{section}": value for section, value in self.making["change"].items()}
            whole = _merged(yaml.safe_load(BASE.read_text()), {"config": changes})
            file.write_text(yaml.safe_dump(whole, sort_keys=False))
        elif "after" in self.making:
            file.write_text(BASE.read_text() + self.making["after"])
        elif "text" in self.making:
            file.write_text(self.making["text"])
        elif "latin-1" in self.making:
            file.write_text(self.making["latin-1"], encoding="latin-1")
        elif self.making["instead"] == "folder":
            file.mkdir()

    def refusal(self) -> ConfigurationError:
        """What is said about it, with the file in the current folder so that messages carry no path of this machine.

        Raises:
            AssertionError: Nothing is said.
        """
        self.write(_NAME)
        try:
            check_stack_file(_NAME)
        except ConfigurationError as error:
            return error
        raise AssertionError(f"{self.name}: nothing was found wrong")


def _merged(base: Any, change: Any) -> Any:
    """A JSON merge patch (RFC 7396) applied: mappings are merged, null removes, anything else replaces."""
    if not isinstance(change, dict):
        return change
    merged = dict(base) if isinstance(base, dict) else {}
    for key, value in change.items():
        if value is None:
            merged.pop(key, None)
        else:
            merged[key] = _merged(merged.get(key), value)
    return merged


def cases() -> list[Case]:
    """Every case of the corpus."""
    return [
        Case(
            name=entry["name"],
            making={key: value for key, value in entry.items() if key not in ("name", "problems")},
            problems=tuple(Expected(**problem) for problem in entry["problems"]),
        )
        for file in sorted(FOLDER.glob("*.yaml"))
        if file != BASE
        for entry in yaml.safe_load(file.read_text())
    ]
