"""Grants, identity pools and log views that Google refuses although they are well-formed."""

import pytest

from lab.google.naming import project_number
from tests.lab.google.conftest import PROJECT, Engine, Landscape, WrongInputsError
from tests.lab.google.test_refusals import refusal

MEMBER = "gcp:projects/iAMMember:IAMMember"
POOL = "gcp:iam/workloadIdentityPool:WorkloadIdentityPool"
PROVIDER = "gcp:iam/workloadIdentityPoolProvider:WorkloadIdentityPoolProvider"
VIEW = "gcp:logging/logView:LogView"
VIEW_MEMBER = "gcp:logging/logViewIamMember:LogViewIamMember"
LOG_BUCKET = "gcp:logging/projectBucketConfig:ProjectBucketConfig"
ROLE = "gcp:projects/iAMCustomRole:IAMCustomRole"
POOLS = f"iam.googleapis.com/projects/{project_number(PROJECT)}/locations/global/workloadIdentityPools"
TRAINING = f"principal://{POOLS}/{PROJECT}.svc.id.goog/subject/ns/team/sa/training"
GITHUB = {"issuerUri": "https://token.actions.githubusercontent.com"}
SUBJECT = {"google.subject": "assertion.sub"}
END = {"title": "until", "expression": 'request.time < timestamp("2030-01-01T00:00:00Z")'}


def grant(member: str, role: str = "roles/monitoring.viewer", **more: object) -> dict[str, object]:
    return {"project": PROJECT, "role": role, "member": member, **more}


class TestAGrant:
    @pytest.mark.parametrize(
        ("inputs", "says"),
        [
            (grant("group:oncall"), "no e-mail address"),
            (grant("group:oncall@acme"), "no e-mail address"),
            (
                grant(f"principal://iam.googleapis.com/projects/{PROJECT}/locations/global/workloadIdentityPools/p/subject/x"),
                "by its number",
            ),
            (grant(f"principal://{POOLS}/ci/attribute.deploy/x"), "Invalid principal"),
            (grant(f"principalSet://{POOLS}/ci/subject/x"), "Invalid principal"),
            (grant(f"principalSet://{POOLS}/ci/attribute.deploy/x"), "Identity Pool does not exist"),
            (grant(TRAINING), "Identity Pool does not exist"),
            (grant("group:a@acme.example", "roles/viewer", condition=END), "basic role"),
            (grant("allUsers", condition=END), "can't be set for allUsers"),
            (grant("group:a@acme.example", condition={"title": "t", "expression": " "}), "is empty"),
            (grant("group:a@acme.example", f"projects/{PROJECT}/roles/missing"), "Not found"),
        ],
    )
    def test_that_names_nobody_or_contradicts_itself_is_refused(self, engine: Engine, store, inputs, says):
        assert says in refusal(engine.create, MEMBER, "m", inputs)
        assert store.resources() == []

    def test_of_a_workload_is_accepted_once_a_cluster_has_made_the_pool(self, engine: Engine, landscape: Landscape):
        engine.create(MEMBER, "m", grant(TRAINING))

    def test_of_a_workload_with_the_number_of_another_project_is_refused(self, engine: Engine, landscape: Landscape):
        other = TRAINING.replace(project_number(PROJECT), "1")
        assert "Identity Pool does not exist" in refusal(engine.create, MEMBER, "m", grant(other))

    def test_with_an_end_is_another_one_than_without(self, engine: Engine, store):
        engine.create(MEMBER, "a", grant("group:a@acme.example"))
        engine.create(MEMBER, "b", grant("group:a@acme.example", condition=END))
        assert len(store.resources(MEMBER)) == 2

    def test_of_a_role_of_the_projects_own_is_accepted_once_it_is_there(self, engine: Engine):
        role = engine.create(ROLE, "r", {"roleId": "own.role", "title": "Own", "permissions": ["storage.buckets.get"]})
        engine.create(MEMBER, "m", grant("group:a@acme.example", role.properties["name"]))

    @pytest.mark.parametrize("role_id", ["no-hyphens", "ab", "x" * 65])
    def test_has_no_role_with_an_id_that_google_does_not_take(self, engine: Engine, role_id: str):
        with pytest.raises(WrongInputsError, match="roleId"):
            engine.check(ROLE, "r", {"roleId": role_id, "title": "Own", "permissions": ["storage.buckets.get"]})


class TestAPool:
    @pytest.mark.parametrize("id_", ["ci", "gcp-ci", "Upper", "x" * 33])
    def test_has_an_id_of_its_form(self, engine: Engine, id_: str):
        with pytest.raises(WrongInputsError, match="workloadIdentityPoolId"):
            engine.check(POOL, "p", {"workloadIdentityPoolId": id_})

    @pytest.mark.parametrize(
        ("inputs", "says"),
        [
            ({"oidc": GITHUB, "attributeMapping": SUBJECT}, "must reference one of the provider's claims"),
            ({"oidc": GITHUB, "attributeMapping": SUBJECT, "attributeCondition": "true"}, "must reference one of the provider's claims"),
            ({"oidc": {"issuerUri": "https://ci.acme.example"}}, "must map google.subject"),
            (
                {"oidc": {"issuerUri": "https://ci.acme.example"}, "attributeMapping": {**SUBJECT, "attribute.A-B": "x"}},
                "Invalid attribute",
            ),
            ({"oidc": {"issuerUri": "https://ci.acme.example"}, "attributeMapping": {"google.subject": "x" * 2049}}, "longer than 2048"),
        ],
    )
    def test_has_providers_that_know_whom_they_let_in(self, engine: Engine, inputs, says):
        engine.create(POOL, "p", {"workloadIdentityPoolId": "acme-ci"})
        provider = {"workloadIdentityPoolId": "acme-ci", "workloadIdentityPoolProviderId": "deploy", **inputs}
        assert says in refusal(engine.create, PROVIDER, "d", provider)

    def test_must_exist_before_its_providers(self, engine: Engine):
        provider = {
            "workloadIdentityPoolId": "acme-ci",
            "workloadIdentityPoolProviderId": "deploy",
            "oidc": GITHUB,
            "attributeMapping": SUBJECT,
        }
        assert "Not found" in refusal(engine.create, PROVIDER, "d", {**provider, "attributeCondition": 'assertion.repository == "a/b"'})

    def test_is_called_by_the_number_of_its_project(self, engine: Engine):
        pool = engine.create(POOL, "p", {"workloadIdentityPoolId": "acme-ci"})
        assert f"iam.googleapis.com/{pool.properties['name']}" == f"{POOLS}/acme-ci"
        engine.create(MEMBER, "m", grant(f"principalSet://{POOLS}/acme-ci/attribute.deploy/acme/infra@refs/heads/main"))


class TestALogView:
    WHERE = {"parent": f"projects/{PROJECT}", "location": "global", "bucket": "_Default", "name": "operations"}  # noqa: RUF012

    @pytest.mark.parametrize(
        ("inputs", "says"),
        [
            ({"bucket": "missing"}, "Not found"),
            ({"filter": 'resource.labels.namespace_name = "team"'}, "takes only SOURCE, resource.type and LOG_ID"),
            ({"filter": 'SOURCE("projects/p") OR LOG_ID("stdout")'}, "takes only SOURCE"),
        ],
    )
    def test_is_of_a_bucket_that_exists_and_knows_no_labels(self, engine: Engine, inputs, says):
        assert says in refusal(engine.create, VIEW, "v", {**self.WHERE, **inputs})

    def test_of_a_log_bucket_of_ones_own_is_granted_on_its_own(self, engine: Engine):
        bucket = engine.create(LOG_BUCKET, "b", {"project": PROJECT, "location": "europe-west4", "bucketId": "team"})
        where = {"parent": f"projects/{PROJECT}", "location": "europe-west4", "bucket": bucket.properties["bucketId"], "name": "team"}
        engine.create(VIEW, "v", {**where, "filter": f'SOURCE("projects/{PROJECT}") AND resource.type = "k8s_container"'})
        engine.create(VIEW_MEMBER, "m", {**where, "role": "roles/logging.viewAccessor", "member": "group:a@acme.example"})

    def test_must_exist_before_it_is_granted(self, engine: Engine):
        assert "Not found" in refusal(
            engine.create, VIEW_MEMBER, "m", {**self.WHERE, "role": "roles/logging.viewAccessor", "member": "group:a@acme.example"}
        )
