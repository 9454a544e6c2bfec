"""What the cluster must be and have for the Kubernetes side."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta

from hybrid_pools.blueprint.calendar import zones
from hybrid_pools.blueprint.calendar.switching import Calendar, trainings
from hybrid_pools.blueprint.catalogue import Catalogue
from hybrid_pools.blueprint.configuration import NewCluster
from hybrid_pools.blueprint.configuration.reading import Reading
from hybrid_pools.blueprint.rules.rule import Finding, section_rule, version_of
from hybrid_pools.blueprint.rules.schedule_plan import Plan, is_endless, place, plan_of
from hybrid_pools.blueprint.rules.switching import at_changes
from hybrid_pools.blueprint.vocabulary import PRUNING_NAMESPACE, SYSTEM_NAMESPACE, SYSTEM_NAMESPACES, team_namespace

_GATES = ("cron-job-time-zone", "validating-admission-policy", "pod-failure-policy")
_TAKEN = ("default", "jobset-system", "kube-node-lease", "kube-public", "kueue-system", PRUNING_NAMESPACE, SYSTEM_NAMESPACE)
_CRON = "CronJob page of the Kubernetes documentation, time zones"
_WEEK = timedelta(days=7)


@section_rule("CFG-900", "Kubernetes, queues and teams are declared together", "requirement A7", needs_all=True)
def sections_go_together(reading: Reading, _: Catalogue) -> Iterator[Finding]:
    """Queues without the rest are never made; the rest without teams serves nobody."""
    if reading.queues is not None and reading.kubernetes is None:
        yield Finding(
            "queues",
            reading.queues,
            "is only read with the section kubernetes, so no queue would be made",
            "queues together with kubernetes",
            "add kubernetes: {}, or remove queues",
        )
    if reading.kubernetes is not None and not reading.teams:
        yield Finding(
            "kubernetes",
            reading.kubernetes,
            "has no team to make namespaces and queues for",
            "kubernetes together with at least one team",
            "add a team under teams, or remove kubernetes",
        )


@section_rule("CFG-909", "Every team has a namespace of its own", "requirement B1; Kubernetes documentation, multi-tenancy")
def namespaces_are_apart(reading: Reading, _: Catalogue) -> Iterator[Finding]:
    """Whoever may make pods in a namespace may use every account and secret in it; in an exempt one he may reach every node."""
    exempt = {*SYSTEM_NAMESPACES, *(reading.kubernetes.exempt_namespaces if reading.kubernetes else ())}
    owners: dict[str, str] = {}
    for name, team in reading.teams.items():
        namespace = team.namespace or team_namespace(name)
        at, value = (f"teams.{name}.namespace", namespace) if team.namespace else (f"teams.{name}", namespace)
        if namespace in owners:
            yield Finding(
                at,
                value,
                f"is the namespace of {owners[namespace]} too: each could use the other's quota and account",
                "another namespace for each team",
                f"remove namespace for {team_namespace(name)}, or name another one",
            )
        elif namespace in exempt or namespace in _TAKEN:
            why = "whose pods admission does not judge" if namespace in exempt else "which others use"
            yield Finding(
                at, value, f"is a namespace {why}", "a namespace of the team's own", f"remove namespace for {team_namespace(name)}"
            )
        owners.setdefault(namespace, name)


@section_rule("CFG-911", "Kueue and JobSet are of a known version", "catalogue of releases")
def releases_are_known(reading: Reading, catalogue: Catalogue) -> Iterator[Finding]:
    """Between versions of Kueue fields change their names and meanings; an object of another version is refused or means another thing."""
    said = reading.kubernetes
    for key, name, component in (("kueue", "Kueue", said.kueue), ("jobSet", "JobSet", said.job_set)) if said else ():
        known = [version for of, version in catalogue.releases if of == name.lower()]
        if component.version not in known:
            yield Finding(
                f"kubernetes.{key}.version",
                component.version,
                f"is a version of {name} on which this project was never tried",
                ", ".join(known),
                "write one of them" if component.install else "bring the cluster's own to one of them first",
            )


@section_rule("CFG-912", "The cluster has the version that the Kubernetes side needs", "catalogue of version gates and releases")
def cluster_is_new_enough(reading: Reading, catalogue: Catalogue) -> Iterator[Finding]:
    """An older cluster refuses the policies, or Kueue never starts, after half of the stack is up."""
    said, version = reading.kubernetes, version_of(reading)
    if said is None or version is None:
        return
    needs = [(catalogue.gate(feature).minimum, catalogue.gate(feature).why) for feature in _GATES]
    for name, component in (("Kueue", said.kueue), ("JobSet", said.job_set)):
        release = catalogue.releases.get((name.lower(), component.version))
        if release:
            needs.append((release.minimum, f"what {name} {release.version} needs"))
    minimum, why = max(needs)
    if version < minimum:
        yield Finding(
            "kubernetes",
            said,
            f"GKE {minimum} is the first with {why}, but the cluster is only known to have {version}",
            f"a cluster from {minimum} on",
            "raise cluster.minimumVersion (after the upgrade on an existing cluster), or remove kubernetes and queues",
        )


@section_rule(
    "CFG-913", "There is an image for the jobs that open and close the buffer", "Kubernetes documentation, Images", needs_all=True
)
def switches_have_an_image(reading: Reading, _: Catalogue) -> Iterator[Finding]:
    """Without them training never gets the buffer's quota. By digest, because they hold rights over the queues of all teams."""
    if reading.kubernetes and reading.schedule and reading.kubernetes.kubectl_image is None:
        yield Finding(
            "kubernetes.kubectlImage",
            None,
            "is missing although there is a schedule: nothing could open and close the buffer's quota",
            "IMAGE@sha256: and 64 hexadecimal digits",
            "name an image with kubectl and a shell by its digest",
        )


@section_rule("CFG-914", "The buffer's quota opens before it closes, at times that exist", _CRON)
def quota_opens_and_closes(reading: Reading, _: Catalogue) -> Iterator[Finding]:
    """Training is asked to go drainMinutes before services' limits come back. Closed before it opens, the quota would stay open all day."""
    plan = plan_of(reading)
    if reading.kubernetes is None or plan is None or is_endless(plan.calendar):
        return
    drain, told = timedelta(minutes=plan.schedule.drain_minutes), set()
    needed = timedelta(minutes=plan.calendar.lead + plan.spread) + drain
    for calendar, first, last in _stretches(plan.calendar):
        for training in trainings(calendar, first, last):
            at = place(plan, training.end)
            if training.end - training.start <= needed and at not in told:
                told.add(at)
                yield Finding(
                    at,
                    f"{training.end:%a %H:%M}".lower(),
                    f"training would be asked to go before it has the buffer's quota: it lasts {_minutes(training.end - training.start)} "
                    f"minutes, of which {_minutes(needed)} are leadMinutes, drainMinutes and the calls",
                    f"more than {_minutes(needed)} minutes",
                    "lengthen it, or shorten leadMinutes or drainMinutes",
                )
    yield from _at_clock_changes(plan, drain, told)


def _at_clock_changes(plan: Plan, drain: timedelta, told: set[str]) -> Iterator[Finding]:
    for change, training in at_changes(plan.calendar):
        closes, at = training.back - drain, place(plan, training.end)
        if change.troubles(closes) and at not in told:
            told.add(at)
            how = "is skipped" if change.skipped else "comes twice"
            yield Finding(
                at,
                f"{training.end:%a %H:%M}".lower(),
                f"training is asked to go at {closes:%H:%M}, a time that {how} in {plan.schedule.time_zone} on {closes:%Y-%m-%d}",
                f"closing before {change.first:%H:%M} or from {change.last:%H:%M} on",
                "move the end, leadMinutes or drainMinutes",
            )


def _stretches(calendar: Calendar) -> Iterator[tuple[Calendar, datetime, datetime]]:
    """A regular week, and the weeks around each exception."""
    start = datetime(zones.YEARS[0], 1, 1)
    yield replace(calendar, dates_off=frozenset(), overrides=()), start, start + 2 * _WEEK
    for override in calendar.overrides:
        yield calendar, override.start - _WEEK, override.end + _WEEK


def _minutes(length: timedelta) -> int:
    return length // timedelta(minutes=1)


@section_rule("CFG-915", "Groups can be named in role bindings", "Google Groups for RBAC page of the GKE documentation")
def groups_reach_role_bindings(reading: Reading, _: Catalogue) -> Iterator[Finding]:
    """A cluster that was not told its group of groups knows no groups: everybody would be locked out of his team's namespace."""
    if reading.kubernetes is None or not isinstance(reading.cluster, NewCluster) or reading.cluster.security_group is not None:
        return
    group = next((group for team in reading.teams.values() for group in (*team.researchers, *team.training_engineers)), None)
    if group:
        domain = group.rpartition("@")[2]
        yield Finding(
            "cluster.securityGroup",
            None,
            f"is missing, so role bindings for groups such as {group} would bind nobody",
            "the group gke-security-groups of the organization's domain",
            f"add securityGroup: gke-security-groups@{domain}, and put the groups of the teams into it",
        )
