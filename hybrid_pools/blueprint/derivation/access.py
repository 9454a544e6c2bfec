"""Who may do what: from groups and teams to grants. Each persona gets the least that its work needs, on the smallest thing with a policy.

Source of the personas and their roles: facts on IAM of the design (GKE and Cloud Storage documentation), requirement E1.
"""

from collections.abc import Collection, Iterator
from datetime import UTC, datetime, time, timedelta

from hybrid_pools.blueprint.configuration import EnvironmentConfiguration
from hybrid_pools.blueprint.configuration.access import AccessConfiguration, ContinuousIntegration
from hybrid_pools.blueprint.model.access import (
    PROJECT_NUMBER,
    Access,
    ContinuousIntegrationIdentity,
    CustomRole,
    FederatedAccount,
    Grant,
    LogView,
    Persona,
    TeamLogs,
)
from hybrid_pools.blueprint.model.teams import Team
from hybrid_pools.blueprint.rights import Binding, Place, PlaceKind
from hybrid_pools.blueprint.rights.binding import PROJECT_PLACE
from hybrid_pools.blueprint.vocabulary import PRUNING_NAMESPACE, BucketKind, pruner_service_account

GITHUB_ISSUER = "https://token.actions.githubusercontent.com"
OPERATIONS_VIEW = "operations"
_POOLS = f"iam.googleapis.com/projects/{PROJECT_NUMBER}/locations/global/workloadIdentityPools"
_SEE_CLUSTER = ("roles/container.clusterViewer", "find the cluster and reach its control plane; the namespace's own rules say the rest")
_SEE_METRICS = ("roles/monitoring.viewer", "look at panels and metrics")
_READ, _CREATE, _USE = "roles/storage.objectViewer", "roles/storage.objectCreator", "roles/storage.objectUser"

_ON_CALL = (
    ("roles/container.viewer", "look at nodes, pods and jobs; no secrets, no commands in pods"),
    ("roles/monitoring.snoozeEditor", "mute an alert while working on it"),
    _SEE_METRICS,
)
_PLATFORM = (
    ("roles/compute.viewer", "look at machines and networks"),
    (
        "roles/container.clusterAdmin",
        "change the cluster and its pools; no secrets, no commands in pods, no machines under another account",
    ),
    ("roles/container.viewer", "look at nodes, pods and jobs"),
    ("roles/logging.configWriter", "change where logs go; reading them is another persona's right"),
    ("roles/monitoring.editor", "change alerts and dashboards"),
)
_CI_PREVIEW = (
    ("roles/browser", "look up the project"),
    ("roles/compute.networkViewer", "look up an existing network"),
    ("roles/container.clusterViewer", "look up an existing cluster"),
)
_CI_DEPLOY = (
    ("roles/cloudscheduler.admin", "make schedules"),
    ("roles/compute.networkAdmin", "make networks"),
    ("roles/compute.securityAdmin", "make firewall rules"),
    ("roles/container.admin", "make the cluster, its pools and what belongs into it"),
    ("roles/iam.roleAdmin", "make the project's own roles"),
    ("roles/iam.serviceAccountAdmin", "make the accounts of nodes"),
    ("roles/iam.workloadIdentityPoolAdmin", "make the pool of its own identity"),
    ("roles/logging.configWriter", "make log buckets and views"),
    ("roles/monitoring.editor", "make alerts and dashboards"),
    ("roles/resourcemanager.projectIamAdmin", "grant what this table says"),
    ("roles/serviceusage.serviceUsageAdmin", "turn on Google's APIs"),
)
_BUCKET_KEEPER = (
    *(f"storage.buckets.{verb}" for verb in ("create", "delete", "get", "getIamPolicy", "list", "setIamPolicy", "update")),
    *(f"storage.managedFolders.{verb}" for verb in ("create", "delete", "get", "getIamPolicy", "list", "setIamPolicy")),
)


def derive_access(
    configuration: AccessConfiguration,
    environment: EnvironmentConfiguration,
    teams: Collection[Team],
    buckets: Collection[BucketKind],
    run_as: Collection[str],
) -> Access:
    """All grants of an environment.

    Args:
        configuration: Checked.
        environment: Where.
        teams: With their groups.
        buckets: Kinds of buckets that there are.
        run_as: Account ids under which the program starts machines and jobs.
    """
    grants = [
        *(grant for team in teams for grant in _team_people(team, buckets)),
        *_contractors(configuration, buckets),
        *_operations(configuration),
        *_break_glass(configuration),
        *(grant for team in teams for grant in _team_workloads(environment.project, team, buckets)),
    ]
    roles: dict[str, CustomRole] = {}
    if configuration.ci:
        keeper = f"projects/{environment.project}/roles/{bucket_keeper_id(environment.name)}"
        roles[keeper] = CustomRole(
            bucket_keeper_id(environment.name),
            f"Keeper of the buckets of {environment.name}",
            "Makes and sets up buckets and managed folders, and cannot read or write an object. Google has no such role.",
            _BUCKET_KEEPER,
        )
        grants += _ci(configuration.ci, environment, keeper, run_as)
    readable = {place.name for place in (grant.binding.place for grant in grants) if place.kind is PlaceKind.LOG_VIEW}
    return Access(
        grants=tuple(grants),
        views=tuple(view for view in _views(environment.project, teams) if view.key in readable),
        team_logs=tuple(
            TeamLogs(team.name, f"{environment.name}-{team.name}", _team_filter(team), configuration.log_retention_days)
            for team in teams
            if _team_view(team.name) in readable
        ),
        custom_roles=roles,
        ci=_identity(configuration.ci, environment) if configuration.ci else None,
    )


def access_apis(access: Access) -> tuple[str, ...]:
    """Google APIs that the grants need beyond those of every environment."""
    apis = ("cloudresourcemanager.googleapis.com",) if access.grants else ()
    return (*apis, "iamcredentials.googleapis.com", "sts.googleapis.com") if access.ci else apis


def account_email(account_id: str, project: str) -> str:
    """E-mail address of an account of the project."""
    return f"{account_id}@{project}.iam.gserviceaccount.com"


def end_of(day: str) -> datetime:
    """The end of a day in UTC, so that the day itself still counts."""
    return datetime.combine(datetime.fromisoformat(day).date(), time(), UTC) + timedelta(days=1)


def bucket_keeper_id(environment: str) -> str:
    """Id of the custom role; Google takes no hyphen in it."""
    return f"{environment.replace('-', '_')}.bucketKeeper"


def _folder(kind: BucketKind, team: str) -> Place:
    return Place(PlaceKind.FOLDER, kind.value, team)


def _team_view(team: str) -> str:
    return f"team-{team}"


def _grants(persona: Persona, team: str | None, member: str, roles: Collection[tuple[str, str]]) -> Iterator[Grant]:
    for role, reason in roles:
        yield Grant(persona, team, Binding(member, role, PROJECT_PLACE), reason)


def _team_people(team: Team, buckets: Collection[BucketKind]) -> Iterator[Grant]:
    for persona, groups in ((Persona.RESEARCHER, team.researchers), (Persona.TRAINING_ENGINEER, team.training_engineers)):
        for group in groups:
            member = f"group:{group}"
            yield from _grants(persona, team.name, member, (_SEE_CLUSTER, _SEE_METRICS))
            view = Place(PlaceKind.LOG_VIEW, _team_view(team.name), team.name)
            yield Grant(persona, team.name, Binding(member, "roles/logging.viewAccessor", view), "read the logs of the team's workloads")
            for kind in buckets:
                writes = persona is Persona.TRAINING_ENGINEER and kind is BucketKind.DATASETS
                role, reason = (_USE, f"bring in and replace {kind}") if writes else (_READ, f"read {kind}")
                yield Grant(persona, team.name, Binding(member, role, _folder(kind, team.name)), reason)


def _contractors(configuration: AccessConfiguration, buckets: Collection[BucketKind]) -> Iterator[Grant]:
    for group, contractor in configuration.contractors.items():
        member, until = f"group:{group}", end_of(contractor.until)
        role, reason = _SEE_CLUSTER
        yield Grant(Persona.CONTRACTOR, contractor.team, Binding(member, role, PROJECT_PLACE, until), reason)
        for kind in (BucketKind.CHECKPOINTS, BucketKind.ARTIFACTS):
            if kind in buckets:
                binding = Binding(member, _READ, _folder(kind, contractor.team), until)
                yield Grant(
                    Persona.CONTRACTOR, contractor.team, binding, f"read {kind}; no datasets and no logs, which hold what is private"
                )


def _operations(configuration: AccessConfiguration) -> Iterator[Grant]:
    for group in configuration.on_call:
        yield from _grants(Persona.ON_CALL, None, f"group:{group}", _ON_CALL)
        binding = Binding(f"group:{group}", "roles/logging.viewAccessor", Place(PlaceKind.LOG_VIEW, OPERATIONS_VIEW))
        yield Grant(Persona.ON_CALL, None, binding, "read all logs but who read which data")
    for group in configuration.platform_engineers:
        yield from _grants(Persona.PLATFORM_ENGINEER, None, f"group:{group}", _PLATFORM)


def _break_glass(configuration: AccessConfiguration) -> Iterator[Grant]:
    glass = configuration.break_glass
    if glass and glass.until:
        binding = Binding(f"group:{glass.group}", "roles/container.admin", PROJECT_PLACE, datetime.fromisoformat(glass.until))
        yield Grant(Persona.BREAK_GLASS, None, binding, "mend the cluster by hand in an emergency")


def _team_workloads(project: str, team: Team, buckets: Collection[BucketKind]) -> Iterator[Grant]:
    training = _workload(project, team.namespace, team.service_account)
    for kind in buckets:
        place = _folder(kind, team.name)
        yield Grant(Persona.TRAINING, team.name, Binding(training, _READ, place), f"read {kind}")
        if kind is not BucketKind.DATASETS:
            yield Grant(Persona.TRAINING, team.name, Binding(training, _CREATE, place), f"write {kind}, and replace or delete none")
    if BucketKind.CHECKPOINTS in buckets:
        pruner = _workload(project, PRUNING_NAMESPACE, pruner_service_account(team.name))
        binding = Binding(pruner, _USE, _folder(BucketKind.CHECKPOINTS, team.name))
        yield Grant(Persona.PRUNER, team.name, binding, "delete checkpoints that are no longer needed")


def _workload(project: str, namespace: str, account: str) -> str:
    """A Kubernetes service account as a principal: the project's number and its id in one text."""
    return f"principal://{_POOLS}/{project}.svc.id.goog/subject/ns/{namespace}/sa/{account}"


def _ci(ci: ContinuousIntegration, environment: EnvironmentConfiguration, keeper: str, run_as: Collection[str]) -> Iterator[Grant]:
    identity = _identity(ci, environment)
    for persona, account in zip((Persona.CI_PREVIEW, Persona.CI_DEPLOY), identity.accounts, strict=True):
        email = account_email(account.account_id, environment.project)
        member = f"serviceAccount:{email}"
        roles = _CI_PREVIEW if persona is Persona.CI_PREVIEW else (*_CI_DEPLOY, (keeper, "make buckets and folders, and read none"))
        yield from _grants(persona, None, member, roles)
        for account_id in run_as if persona is Persona.CI_DEPLOY else ():
            place = Place(PlaceKind.ACCOUNT, account_email(account_id, environment.project))
            yield Grant(persona, None, Binding(member, "roles/iam.serviceAccountUser", place), "start machines and jobs under this account")
        workflows = f"principalSet://{_POOLS}/{identity.pool}/attribute.{account.name}/{_admitted(ci, persona)}"
        place = Place(PlaceKind.ACCOUNT, email)
        yield Grant(persona, None, Binding(workflows, "roles/iam.workloadIdentityUser", place), "let the workflows act as this account")


def _admitted(ci: ContinuousIntegration, persona: Persona) -> str:
    """Value of the attribute by which workflows are admitted."""
    return f"{ci.repository}@{ci.ref if persona is Persona.CI_DEPLOY else _branch(ci)}"


def _branch(ci: ContinuousIntegration) -> str:
    return ci.ref.removeprefix("refs/heads/")


def _identity(ci: ContinuousIntegration, environment: EnvironmentConfiguration) -> ContinuousIntegrationIdentity:
    # Two providers, so that each condition stands alone: a token of a pull request can never carry the attribute of a deployment. The
    # events keep out pull_request_target, which runs on the protected branch with what a stranger sent.
    from_repository = f'assertion.repository == "{ci.repository}"'
    preview = f'{from_repository} && assertion.event_name == "pull_request" && assertion.base_ref == "{_branch(ci)}"'
    deploy = f'{from_repository} && assertion.ref == "{ci.ref}" && assertion.event_name in ["push", "workflow_dispatch"]'
    accounts = tuple(
        FederatedAccount(
            name=name,
            account_id=f"{environment.name}-ci-{name}",
            display_name=f"Continuous integration in {environment.name}: {name}",
            condition=condition,
            mapping={"google.subject": "assertion.sub", f"attribute.{name}": f'assertion.repository + "@" + assertion.{claim}'},
        )
        for name, condition, claim in (("preview", preview, "base_ref"), ("deploy", deploy, "ref"))
    )
    return ContinuousIntegrationIdentity(ci.pool or f"{environment.name}-ci", GITHUB_ISSUER, accounts)


def _views(project: str, teams: Collection[Team]) -> Iterator[LogView]:
    source = f'SOURCE("projects/{project}")'
    yield LogView(
        OPERATIONS_VIEW,
        None,
        f'{source} AND NOT LOG_ID("cloudaudit.googleapis.com/data_access")',
        "Everything but who read which data",
    )
    for team in teams:
        yield LogView(_team_view(team.name), team.name, f'{source} AND resource.type = "k8s_container"', f"Workloads of {team.name}")


def _team_filter(team: Team) -> str:
    return f'resource.type="k8s_container" AND resource.labels.namespace_name="{team.namespace}"'
