"""What the program declares, the pack accepts: the two are written apart, from the same facts."""

import pytest

from tests.components.recording import record
from tests.environments import ENVIRONMENTS, blueprint_of
from tests.policies.analysis import analyze_each, analyze_stack
from tests.policies.given import Given


@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_every_resource_of_every_environment_passes_every_rule(environment: str) -> None:
    declared = [
        Given(one.type, one.inputs, one.name, one.protect, one.ignore_changes)
        for one in record(blueprint_of(environment))
        if one.type.startswith(("gcp:", "kubernetes:"))
    ]
    assert any(one.type == "gcp:container/nodePool:NodePool" for one in declared)
    assert analyze_each(declared) == []
    assert analyze_stack(declared) == []
