"""Parts of the logs that can be granted on their own.

Owns the log bucket of each team with the sink that fills it, and the views. Leaves alone the project's default log bucket, which keeps a
copy of everything, and who may read a view (`TeamAccess`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pulumi
import pulumi_gcp as gcp

from components.naming import physical_name
from components.options import child_options
from components.token import token
from hybrid_pools.blueprint.model.access import LogView, TeamLogs

_DEFAULT_BUCKET, _DEFAULT_LOCATION = "_Default", "global"


@dataclass(frozen=True)
class LogViewsArgs:
    """Attributes:
    project: Project id.
    location: Region of the teams' log buckets.
    views: What can be granted.
    team_logs: Log buckets to make.
    """

    project: str
    location: str
    views: Sequence[LogView]
    team_logs: Sequence[TeamLogs]


class LogViews(pulumi.ComponentResource):
    """Log views: of the default log bucket for operations, and of a bucket of its own for each team.

    Views know no namespaces, so a team's logs are routed into a bucket of their own. Google blocks the id of a deleted log bucket for seven
    days; `gcloud logging buckets undelete` brings it back.
    """

    views: Mapping[str, gcp.logging.LogView]
    """Views by their key."""

    def __init__(self, name: str, args: LogViewsArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__(token("LogViews"), name, {}, opts)
        parent = f"projects/{args.project}"
        buckets: dict[str | None, tuple[pulumi.Input[str], str]] = {None: (_DEFAULT_BUCKET, _DEFAULT_LOCATION)}
        for logs in args.team_logs:
            bucket = gcp.logging.ProjectBucketConfig(
                f"{name}-{logs.team}-logs",
                project=args.project,
                location=args.location,
                bucket_id=physical_name(logs.name, args.location),
                description=f"Logs of the workloads of {logs.team}",
                retention_days=logs.retention_days,
                opts=child_options(self, opts),
            )
            gcp.logging.ProjectSink(
                f"{name}-{logs.team}-logs",
                project=args.project,
                name=logs.name,
                destination=bucket.name.apply(lambda resource: f"logging.googleapis.com/{resource}"),
                filter=logs.filter,
                description=f"Routes the logs of the workloads of {logs.team}",
                unique_writer_identity=True,
                opts=child_options(self, opts),
            )
            buckets[logs.team] = (bucket.bucket_id, args.location)
        views = {}
        for view in args.views:
            bucket_id, location = buckets[view.team]
            views[view.key] = gcp.logging.LogView(
                f"{name}-{view.key}-view",
                parent=parent,
                location=location,
                bucket=bucket_id,
                name=view.key,
                filter=view.filter,
                description=view.description,
                opts=child_options(self, opts),
            )
        self.views = views
        self.register_outputs({})
