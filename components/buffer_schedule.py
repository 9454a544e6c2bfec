"""The schedule: Cloud Scheduler jobs that give buffer pools the limits of services or of training.

Owns the jobs, the account they call as and its role. Leaves alone who may use the nodes: that is the queues' business. The limits that the
jobs set are left alone by the buffer pools in turn (`BufferPool`), so each field has one owner. No code runs in the cloud.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from dataclasses import dataclass

import pulumi
import pulumi_gcp as gcp

from components.naming import physical_name
from components.options import child_options
from components.token import token
from hybrid_pools.blueprint.model.schedule import RETRIES, SWITCHING_PERMISSIONS, Schedule, SwitchJob

_API = "https://container.googleapis.com/v1"
_SCOPE = "https://www.googleapis.com/auth/cloud-platform"
_DIGITS_OF_ROLE = 12


@dataclass(frozen=True)
class BufferScheduleArgs:
    """What the schedule takes from other resources.

    Attributes:
        schedule: The decided schedule.
        project: Project id.
        region: Region of the cluster and of the jobs.
        cluster: Physical name of the cluster.
        node_pools: Physical name of each buffer pool by the pool's name.
    """

    schedule: Schedule
    project: str
    region: str
    cluster: pulumi.Input[str]
    node_pools: Mapping[str, pulumi.Input[str]]


class BufferSchedule(pulumi.ComponentResource):
    """Switches buffer pools by calendar."""

    account: pulumi.Output[str]
    """E-mail of the account that the jobs call as, for alerts on its calls."""

    job_names: dict[str, pulumi.Output[str]]
    """Physical name of each job, for running one by hand."""

    def __init__(self, name: str, args: BufferScheduleArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__(token("BufferSchedule"), name, {}, opts)
        account = gcp.serviceaccount.Account(
            f"{name}-schedule",
            account_id=args.schedule.account_id,
            display_name=f"Switches the buffer pools of {name}",
            # An earlier run whose answer was lost may have made it; the same id is the same account.
            create_ignore_already_exists=True,
            opts=child_options(self, opts),
        )
        grant = _grant(name, args.project, account, self, opts)
        self.account = account.email
        self.job_names = {job.name: self._job(name, job, args, grant, opts).name for job in args.schedule.jobs}
        self.register_outputs({"account": self.account, "jobNames": self.job_names})

    def _job(
        self, name: str, job: SwitchJob, args: BufferScheduleArgs, grant: pulumi.Resource, opts: pulumi.ResourceOptions | None
    ) -> gcp.cloudscheduler.Job:
        cluster = pulumi.Output.from_input(args.cluster)
        uri = pulumi.Output.format(
            f"{_API}/projects/{args.project}/locations/{args.region}/clusters/{{0}}/nodePools/{{1}}:{job.method}",
            # A cluster of somebody else may come as its whole identifier.
            cluster.apply(lambda text: text.rpartition("/")[2]),
            args.node_pools[job.pool],
        )
        logical = f"{name}-{job.name}"
        return gcp.cloudscheduler.Job(
            logical,
            name=physical_name(logical, args.project, args.region),
            region=args.region,
            description=job.purpose,
            schedule=job.cron,
            time_zone=args.schedule.calendar.zone,
            paused=job.paused,
            attempt_deadline=f"{RETRIES.deadline}s",
            retry_config=gcp.cloudscheduler.JobRetryConfigArgs(
                retry_count=RETRIES.count,
                min_backoff_duration=f"{RETRIES.first_pause}s",
                max_backoff_duration=f"{RETRIES.longest_pause}s",
                max_doublings=RETRIES.doublings,
            ),
            http_target=gcp.cloudscheduler.JobHttpTargetArgs(
                http_method="POST",
                uri=uri,
                headers={"Content-Type": "application/json"},
                body=base64.b64encode(json.dumps(job.body, sort_keys=True).encode()).decode(),
                oauth_token=gcp.cloudscheduler.JobHttpTargetOauthTokenArgs(service_account_email=self.account, scope=_SCOPE),
            ),
            # A job that calls before the grant is refused, and nobody would know why.
            opts=pulumi.ResourceOptions.merge(child_options(self, opts), pulumi.ResourceOptions(depends_on=[grant])),
        )


def _grant(
    name: str, project: str, account: gcp.serviceaccount.Account, parent: pulumi.Resource, opts: pulumi.ResourceOptions | None
) -> gcp.projects.IAMMember:
    role = gcp.projects.IAMCustomRole(
        f"{name}-schedule-role",
        project=project,
        # The id of a deleted role stays blocked for weeks; a stack that is made again gets another one, since Google numbers accounts anew.
        role_id=account.unique_id.apply(lambda number: f"bufferSchedule{number[-_DIGITS_OF_ROLE:]}"),
        title=f"Switch buffer pools of {name}",
        description="Set limits and sizes of node pools, and see whether that was done.",
        permissions=list(SWITCHING_PERMISSIONS),
        opts=child_options(parent, opts),
    )
    return gcp.projects.IAMMember(
        f"{name}-schedule-grant", project=project, role=role.name, member=account.member, opts=child_options(parent, opts)
    )
