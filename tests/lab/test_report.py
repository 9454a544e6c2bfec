from io import StringIO

import pytest
from rich.console import Console

from lab.report import show_up

CLUSTER = {
    "name": "main-1234567",
    "project": "p",
    "location": "europe-west4",
    "endpoint": "e",
    "credentialsCommand": "gcloud",
    "workloadPool": "p.svc.id.goog",
}

POOL = {
    "name": "training",
    "nodePool": "training-1234567",
    "role": "spot",
    "capacity": "spot",
    "machineType": "g2-standard-24",
    "vcpus": 24,
    "memoryGib": 96,
    "zones": ["europe-west4-a", "europe-west4-b"],
    "locationPolicy": "ANY",
    "accelerator": {"type": "nvidia-l4", "count": 2, "driver": "default"},
    "limits": {"minimumNodes": 0, "maximumNodes": 8, "maximumGpus": 16},
    "selector": {},
    "tolerations": [],
    "usableGraceSeconds": 15,
    "imageStreaming": True,
    "survivesZoneLoss": True,
    "limitsOwnedBySchedule": False,
}


def shown(**changes: object) -> str:
    text = StringIO()
    classes = changes.pop("classes", [])
    contract = {"contractVersion": 1, "environment": "dev", "cluster": CLUSTER, "pools": [POOL | changes], "classes": classes}
    show_up(Console(file=text, width=200), "dev", {"contract": contract})
    return text.getvalue()


class TestThePools:
    @pytest.mark.parametrize("words", ["training", "spot", "g2-standard-24", "2 x nvidia-l4", "0 to 8", "a, b", "europe-west4"])
    def test_are_shown_with_role_machine_gpus_limits_and_zones(self, words):
        assert words in shown()

    def test_say_where_a_schedule_changes_the_limits(self):
        assert "0 to 8 *" in shown(limitsOwnedBySchedule=True)

    def test_without_gpus_name_none(self):
        assert "nvidia" not in shown(accelerator=None)


class TestTheWayOn:
    def test_leads_into_the_cluster_only_where_the_stack_has_something_inside(self):
        kind = {
            "name": "training",
            "priorityClass": "hybrid-training",
            "priority": 20,
            "queue": "training",
            "flavors": [],
            "pools": [],
        }
        assert "kubectl" not in shown()
        assert "kubectl get nodes" in shown(classes=[kind])

    @pytest.mark.parametrize("command", ["stack output contract --json --stack dev", "make up STACK=dev", "make down STACK=dev"])
    def test_names_the_commands_for_this_stack(self, command):
        assert command in shown()
