"""Who may do what, on the real engine: granted, settled, changed in place, ended, taken away."""

from typing import Any

import pytest

from tests.engine.conftest import World

pytestmark = pytest.mark.engine

CONTRACTOR = "labelling-partner@acme.example"


def grants(world: World) -> list[dict[str, Any]]:
    """Every grant in the stand-in."""
    return [record.document for record in world.store.resources() if record.type.lower().endswith("iammember")]


def test_rights_follow_the_configuration_and_leave_with_it(world: World) -> None:
    world.declare("staging", with_contractor)
    assert_ok(world.up("staging"))
    assert_ok(world.engine.preview("staging", "--expect-no-changes"))
    assert_ok(world.engine.refresh("staging", "--expect-no-changes"))
    ci = world.engine.outputs("staging")["ci"]
    assert ci["deploy"]["provider"].endswith("/workloadIdentityPools/staging-ci/providers/deploy")
    assert ci["deploy"]["serviceAccount"] == "staging-ci-deploy@acme-ml-staging.iam.gserviceaccount.com"
    assert {grant["condition"]["expression"] for grant in grants(world) if CONTRACTOR in grant["member"]} == {
        'request.time < timestamp("2035-07-01T00:00:00Z")'
    }

    others = [grant for grant in grants(world) if CONTRACTOR not in grant["member"]]
    world.declare("staging", only_access)
    assert_ok(world.up("staging"))
    assert sorted(map(str, grants(world))) == sorted(map(str, others))
    assert_ok(world.engine.destroy("staging"))
    assert world.store.resources() == []


def only_access(sections: dict[str, Any]) -> None:
    """The rights of staging without what takes time and has none."""
    sections["pools"] = {"services": sections["pools"]["services"]}
    for section in ("schedule", "monitoring"):
        sections.pop(section, None)


def with_contractor(sections: dict[str, Any]) -> None:
    only_access(sections)
    sections["access"]["contractors"] = {CONTRACTOR: {"team": "vision", "until": "2035-06-30"}}


def assert_ok(result: Any) -> None:
    assert result.ok, result.output
