"""Cases of the rules on who gets in."""

from dataclasses import replace

from tests.policies.cases import PASSES, VIOLATES, WAITS, Case, Expected, Kind, more, six
from tests.policies.given import ABSENT, BUCKET_GRANT, PROJECT_GRANT, UNKNOWN, Given

GROUP = "group:ml-oncall@acme.example"
GROUP_GRANT = Given("gcp:projects/iAMMember:IAMMember", {"project": "acme", "role": "roles/monitoring.viewer", "member": GROUP}, "to-group")
END = {"title": "until", "expression": 'request.time < timestamp("2027-07-01T00:00:00Z")'}
OUTSIDER_GRANT = GROUP_GRANT.but({"member": "group:labelling-partner@acme.example", "condition": END})
BINDING = Given("gcp:projects/iAMBinding:IAMBinding", {"role": "roles/monitoring.viewer", "members": [GROUP]}, "binding")
PINNED = 'assertion.repository == "acme/infra" && assertion.ref == "refs/heads/main"'
PROVIDER = Given(
    "gcp:iam/workloadIdentityPoolProvider:WorkloadIdentityPoolProvider",
    {
        "workloadIdentityPoolId": "ci",
        "workloadIdentityPoolProviderId": "deploy",
        "attributeMapping": {"google.subject": "assertion.sub"},
        "attributeCondition": PINNED,
        "oidc": {"issuerUri": "https://token.actions.githubusercontent.com"},
    },
    name="provider",
)
HMAC_KEY = Given("gcp:storage/hmacKey:HmacKey", {"serviceAccountEmail": "train@acme.iam.gserviceaccount.com"}, name="hmac")
ENCRYPTION_KEY = Given("gcp:kms/cryptoKey:CryptoKey", {"name": "disks", "keyRing": "ring", "rotationPeriod": "7776000s"}, name="key")
POLICY = Given("gcp:storage/bucketIAMPolicy:BucketIAMPolicy", {"bucket": "checkpoints", "policyData": "{}"}, name="policy")
READER_GRANT = GROUP_GRANT.but({"role": "roles/logging.viewer"})
CHANGER_GRANT = replace(GROUP_GRANT.but({"role": "roles/logging.configWriter", "member": "group:ml-platform@acme.example"}), name="changer")
ADMIN = GROUP_GRANT.but({"role": "roles/container.admin", "condition": END})

COMPLIANT = (GROUP_GRANT, OUTSIDER_GRANT, PROVIDER, ENCRYPTION_KEY)
SPOILABLE = (*COMPLIANT, HMAC_KEY, POLICY)

CASES: list[Case] = [
    *six("ACCESS-001", GROUP_GRANT, "member", violating="user:jo@acme.example", absent=PASSES),
    more("ACCESS-001", "a domain", GROUP_GRANT.but({"member": "domain:acme.example"}), VIOLATES),
    more("ACCESS-001", "a person among several", BINDING.but({"members": [UNKNOWN, "user:jo@acme.example"]}), Expected.VIOLATES_AND_WAITS),
    more("ACCESS-001", "on a bucket", BUCKET_GRANT.but({"member": "user:jo@acme.example"}), VIOLATES),
    more(
        "ACCESS-001", "on a log view", Given("gcp:logging/logViewIamMember:LogViewIamMember", {"member": "user:jo@acme.example"}), VIOLATES
    ),
    *six("ACCESS-002", OUTSIDER_GRANT, "condition", violating={"expression": "true"}, absent=VIOLATES),
    more("ACCESS-002", "an insider", OUTSIDER_GRANT.but({"member": GROUP, "condition": ABSENT}), PASSES),
    more("ACCESS-002", "member not known", OUTSIDER_GRANT.but({"member": UNKNOWN}), WAITS),
    more("ACCESS-002", "another word", GROUP_GRANT, VIOLATES, words=["oncall"]),
    more("ACCESS-002", "no words", OUTSIDER_GRANT.but({"condition": ABSENT}), PASSES, words=[]),
    more("ACCESS-002", "an end of another thing", OUTSIDER_GRANT.but({"condition.expression": 'resource.name == "x"'}), VIOLATES),
    *six("ACCESS-003", PROVIDER, "attributeCondition", violating='assertion.repository == "acme/infra"', absent=VIOLATES),
    more("ACCESS-003", "an owner alone", PROVIDER.but({"attributeCondition": 'assertion.repository_owner == "acme"'}), VIOLATES),
    more(
        "ACCESS-003",
        "a wildcard",
        PROVIDER.but({"attributeCondition": 'assertion.repository == "acme/infra" && assertion.ref == "refs/heads/*"'}),
        VIOLATES,
    ),
    more(
        "ACCESS-003",
        "a beginning of a ref",
        PROVIDER.but({"attributeCondition": 'assertion.repository == "acme/infra" && assertion.ref.startsWith("refs/heads/")'}),
        VIOLATES,
    ),
    more("ACCESS-003", "a weak alternative", PROVIDER.but({"attributeCondition": f'{PINNED} || assertion.actor == "jo"'}), VIOLATES),
    more(
        "ACCESS-003",
        "pull requests against a branch",
        PROVIDER.but({"attributeCondition": 'assertion.repository == "acme/infra" && assertion.base_ref == "main"'}),
        PASSES,
    ),
    more(
        "ACCESS-003",
        "an issuer of one's own",
        PROVIDER.but({"oidc.issuerUri": "https://ci.acme.example", "attributeCondition": ABSENT}),
        PASSES,
    ),
    more("ACCESS-003", "issuer not known", PROVIDER.but({"oidc.issuerUri": UNKNOWN}), WAITS),
    *six("ACCESS-004", GROUP_GRANT, "member", violating="principalSet://iam.googleapis.com/x/workloadIdentityPools/ci/*", absent=PASSES),
    more(
        "ACCESS-004",
        "a set by attribute",
        GROUP_GRANT.but({"member": "principalSet://iam.googleapis.com/x/workloadIdentityPools/ci/attribute.deploy/main"}),
        PASSES,
    ),
    Case("ACCESS-005", Kind.COMPLIANT, (BUCKET_GRANT,), PASSES),
    Case("ACCESS-005", Kind.VIOLATING, (HMAC_KEY,), VIOLATES),
    Case("ACCESS-005", Kind.ABSENT, (HMAC_KEY.but({"serviceAccountEmail": ABSENT}),), VIOLATES),
    Case("ACCESS-005", Kind.NULL, (HMAC_KEY.but({"serviceAccountEmail": None}),), VIOLATES),
    Case("ACCESS-005", Kind.UNKNOWN, (HMAC_KEY.but({"serviceAccountEmail": UNKNOWN}),), VIOLATES),
    Case("ACCESS-005", Kind.WRONG_TYPE, (HMAC_KEY.but({"serviceAccountEmail": 7}),), VIOLATES),
    *six("ACCESS-006", PROJECT_GRANT, "role", violating="roles/iam.serviceAccountTokenCreator", absent=PASSES),
    more(
        "ACCESS-006",
        "on one account",
        Given("gcp:serviceaccount/iAMMember:IAMMember", {"role": "roles/iam.serviceAccountUser", "member": GROUP}),
        PASSES,
    ),
    *six("ACCESS-007", ENCRYPTION_KEY, "rotationPeriod", violating="31536000s", absent=VIOLATES),
    more("ACCESS-007", "no number of seconds", ENCRYPTION_KEY.but({"rotationPeriod": "90d"}), VIOLATES),
    more("ACCESS-007", "a key to sign with", ENCRYPTION_KEY.but({"purpose": "ASYMMETRIC_SIGN", "rotationPeriod": ABSENT}), PASSES),
    more("ACCESS-007", "a shorter limit", ENCRYPTION_KEY, VIOLATES, days=30),
    Case("ACCESS-008", Kind.COMPLIANT, (BUCKET_GRANT,), PASSES),
    Case("ACCESS-008", Kind.VIOLATING, (POLICY,), VIOLATES),
    Case("ACCESS-008", Kind.ABSENT, (POLICY.but({"policyData": ABSENT}),), VIOLATES),
    Case("ACCESS-008", Kind.NULL, (POLICY.but({"policyData": None}),), VIOLATES),
    Case("ACCESS-008", Kind.UNKNOWN, (POLICY.but({"policyData": UNKNOWN}),), VIOLATES),
    Case("ACCESS-008", Kind.WRONG_TYPE, (POLICY.but({"policyData": 7}),), VIOLATES),
    more("ACCESS-008", "of a project", Given("gcp:projects/iAMPolicy:IAMPolicy", {"policyData": "{}"}), VIOLATES),
    *six("ACCESS-009", ADMIN, "condition", violating={"expression": "true"}, absent=VIOLATES),
    more("ACCESS-009", "an account", ADMIN.but({"member": "serviceAccount:ci@acme.iam.gserviceaccount.com", "condition": ABSENT}), PASSES),
    more("ACCESS-009", "another role", GROUP_GRANT, PASSES),
    *six("ACCESS-010", READER_GRANT, "member", violating="group:ml-platform@acme.example", absent=PASSES, beside=[CHANGER_GRANT]),
    more("ACCESS-010", "both in one role", READER_GRANT.but({"role": "roles/logging.admin"}), VIOLATES),
    more("ACCESS-010", "member not known, role of no account", [GROUP_GRANT.but({"member": UNKNOWN}), CHANGER_GRANT], PASSES),
    more(
        "ACCESS-010",
        "on a view",
        [
            Given("gcp:logging/logViewIamMember:LogViewIamMember", {"role": "roles/logging.viewAccessor", "member": GROUP}),
            CHANGER_GRANT.but({"member": GROUP}),
        ],
        VIOLATES,
    ),
]
