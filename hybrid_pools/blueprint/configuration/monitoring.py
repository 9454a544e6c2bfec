"""Monitoring: who is told, at which thresholds, within which budget and objective."""

from enum import StrEnum
from typing import Annotated, Self

from pydantic import Field, model_validator

from hybrid_pools.blueprint.configuration.model import Form, Model, ResourceName, refusal

Email = Annotated[
    str,
    Field(pattern=r"^[A-Za-z0-9._+-]+@[a-z0-9-]+(\.[a-z0-9-]+)+$"),
    Form("An e-mail address with its domain, for example oncall@acme.example"),
]
Topic = Annotated[
    str,
    Field(pattern=r"^projects/[a-z][-a-z0-9]+/topics/[A-Za-z][-A-Za-z0-9._~+%]{2,254}$"),
    Form("A Pub/Sub topic, for example projects/acme-ops/topics/alerts"),
]
ChannelResource = Annotated[
    str,
    Field(pattern=r"^projects/[a-z][-a-z0-9]+/notificationChannels/[0-9]+$"),
    Form("A notification channel, for example projects/acme-ml-prod/notificationChannels/1234567890"),
]
HttpsAddress = Annotated[
    str,
    Field(pattern=r"^https://[^/\s]+(/[^\s]*)?[^/\s]$"),
    Form("An address that begins with https:// and ends without a slash, for example https://wiki.acme.example/runbooks"),
]
AlertName = Annotated[
    str,
    Field(pattern=r"^[a-z]([-a-z0-9]{0,38}[a-z0-9])?$"),
    Form("A lower-case letter, then at most 39 lower-case letters, digits or `-`, not ending in `-`"),
]


class Severity(StrEnum):
    """How urgent an alert is, in Google's spelling."""

    CRITICAL = "CRITICAL"
    ERROR = "ERROR"
    WARNING = "WARNING"


class Channel(Model):
    """One way to reach someone. Channels that need a secret (PagerDuty, Slack, webhooks) are made by hand once and named here."""

    email: Email | None = None
    """Mails to this address, best that of a group."""

    topic: Topic | None = None
    """Messages to this Pub/Sub topic. Cloud Monitoring's own service account must be allowed to publish there."""

    existing: ChannelResource | None = None
    """A channel that is there already; its secret then never comes near this configuration or the state."""

    @model_validator(mode="after")
    def _one_address(self) -> Self:
        given = [name for name in ("email", "topic", "existing") if getattr(self, name) is not None]
        if len(given) != 1:
            raise refusal(
                f"has {len(given)} addresses ({', '.join(given)})" if given else "has no address, so nobody would be told",
                "exactly one of email, topic and existing",
                "write email: with the address of the people on call",
            )
        return self


class Thresholds(Model):
    """When to tell someone. The defaults fit a cluster of some dozens of GPUs."""

    spot_interruptions_per_hour: Annotated[int, Field(ge=1, le=1000)] = 5
    """Spot VMs of one pool that Google takes back within an hour before it counts as a storm."""

    idle_gpu_percent: Annotated[int, Field(ge=1, le=50)] = 5
    """Mean duty cycle in percent below which a GPU counts as idle."""

    idle_gpu_minutes: Annotated[int, Field(ge=10, le=720)] = 30
    """Minutes over which the duty cycle is averaged."""

    queue_wait_minutes: Annotated[int, Field(ge=5, le=1440)] = 60
    """Minutes that 95 of 100 workloads must not wait longer in their queue."""

    failed_jobs_per_hour: Annotated[int, Field(ge=1, le=1000)] = 3
    """Jobs of one namespace that may fail for good within an hour."""

    checkpoint_age_minutes: Annotated[int, Field(ge=10, le=1440)] = 90
    """Minutes without a written checkpoint while GPUs work. Well above the longest checkpoint interval."""

    node_not_ready_minutes: Annotated[int, Field(ge=5, le=120)] = 15
    """Minutes that a node may be there without being ready."""


class BudgetConfiguration(Model):
    """What a month may cost. Tells, never stops anything."""

    billing_account: Annotated[str, Field(pattern=r"^[0-9A-F]{6}-[0-9A-F]{6}-[0-9A-F]{6}$", examples=["0A1B2C-3D4E5F-678901"])]
    """Billing account that pays for the project, for example 0A1B2C-3D4E5F-678901."""

    monthly_amount: Annotated[int, Field(ge=1, le=1_000_000_000)]
    """Whole units of the currency for a calendar month."""

    currency_code: Annotated[str, Field(pattern=r"^[A-Z]{3}$")]
    """The billing account's own currency, for example USD. Google refuses another."""


class RecoveryConfiguration(Model):
    """How soon an interrupted run must train again."""

    goal: Annotated[float, Field(ge=0.5, le=0.999)] = 0.95
    """Share of recoveries that must be in time."""

    within_minutes: Annotated[int, Field(ge=1, le=1440)] = 15
    """Minutes from the end of the old process to the first step after the restored checkpoint."""

    period_days: Annotated[int, Field(ge=1, le=30)] = 28
    """Days over which the share is taken, always the last ones."""


class ExtraAlert(Model):
    """An alert of one's own, beside the built-in ones."""

    query: Annotated[str, Field(min_length=1, max_length=4000)]
    """PromQL that answers with something when people must be told; `$cluster` stands for the cluster's physical name.

    Metrics and labels are checked against those that are known.
    """

    for_minutes: Annotated[int, Field(ge=0, le=1440)] = 5
    """Minutes that the query must go on answering."""

    severity: Severity = Severity.WARNING
    runbook: HttpsAddress
    """Page that says what to do, for example https://wiki.acme.example/runbooks/loss-spikes."""


class MonitoringConfiguration(Model):
    """Dashboard, alerts, log-based metrics, objective and budget of the environment."""

    channels: Annotated[dict[ResourceName, Channel], Field(min_length=1)]
    """Who is told, by name. An alert that reaches nobody is none."""

    runbooks: HttpsAddress
    """Where docs/runbooks of this repository can be read; each alert links to its page there."""

    thresholds: Thresholds = Thresholds()
    budget: BudgetConfiguration | None = None
    """Left out: no budget is made."""

    recovery: RecoveryConfiguration | None = None
    """Left out: recovery is shown but not judged."""

    extra_alerts: dict[AlertName, ExtraAlert] = Field(default_factory=dict)
    """By name."""
