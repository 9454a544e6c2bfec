"""When creating again is worth it, and what is said otherwise."""

import pytest

from components.failures import not_visible_yet, way_on


class TestAnErrorIsTriedAgain:
    @pytest.mark.parametrize(
        ("message", "unseen"),
        [
            ('googleapi: Error 400: Service account "prod-spot-nodes@acme.iam.gserviceaccount.com" does not exist., badRequest', "account"),
            ("Error 404: Service account projects/-/serviceAccounts/x@y.iam.gserviceaccount.com was not found", "account"),
            ("googleapi: Error 403: Permission denied on Cloud KMS key. Please ensure that your Cloud Storage service account", "key"),
            ("googleapi: Error 400: Identity Pool does not exist (acme.svc.id.goog). Please check the resource name", "identity pool"),
        ],
    )
    def test_only_while_google_does_not_see_the_account_the_pool_or_the_right_on_the_key(self, message: str, unseen: str) -> None:
        assert unseen in (not_visible_yet([message]) or "")

    @pytest.mark.parametrize(
        "errors",
        [
            [],
            ["Error 403: Quota 'NVIDIA_L4_GPUS' exceeded"],
            ["Error 404: cluster not found"],
            ["ZONE_RESOURCE_POOL_EXHAUSTED", 'Service account "a" does not exist.'],
        ],
    )
    def test_and_no_other_error_is(self, errors: list[str]) -> None:
        assert not_visible_yet(errors) is None


class TestTheWayOn:
    @pytest.mark.parametrize(
        ("message", "advice"),
        [
            ("ZONE_RESOURCE_POOL_EXHAUSTED: the zone has no machines", "run the same command again"),
            ("Instances in zone us-central1-a does not have enough resources available", "list more zones"),
            ("googleapi: Error 403: Quota 'NVIDIA_L4_GPUS' exceeded. Limit: 0.0 in region", "Ask for the quota"),
            ("googleapi: Error 403: Required 'container.clusters.update' permission", "Grant it"),
        ],
    )
    def test_is_told_for_each_known_refusal(self, message: str, advice: str) -> None:
        assert advice in (way_on([message]) or "")

    @pytest.mark.parametrize("errors", [[], ["the machine type is unknown"], ["something", "ZONE_RESOURCE_POOL_EXHAUSTED"]])
    def test_is_not_made_up_for_other_errors(self, errors: list[str]) -> None:
        assert way_on(errors) is None
