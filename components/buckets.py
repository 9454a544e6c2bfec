"""The buckets of an environment.

Owns one bucket a kind with its history, its lifecycle and its place, the managed folder of each team, and the right of Cloud Storage to
use the key. Leaves alone the objects, the key itself, and who may do what in the folders: that is `TeamAccess`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pulumi
import pulumi_gcp as gcp

from components.naming import physical_name
from components.options import child_options
from components.token import token
from hybrid_pools.blueprint.lifecycle import LifecycleRule
from hybrid_pools.blueprint.model import Bucket
from hybrid_pools.blueprint.vocabulary import BucketKind

_KEY_USER = "roles/cloudkms.cryptoKeyEncrypterDecrypter"


@dataclass(frozen=True)
class BucketsArgs:
    """Attributes:
    project: Project id.
    buckets: The decided buckets.
    on_error: Tries again or tells the way on when Google refuses.
    """

    project: str
    buckets: Sequence[Bucket]
    on_error: pulumi.ErrorHook


class Buckets(pulumi.ComponentResource):
    """Private buckets in which nothing is lost by one wrong command, with a folder for each team."""

    names: dict[BucketKind, pulumi.Output[str]]
    """Physical name of each bucket; taken from the finished bucket, so that grants wait for it."""
    folders: dict[BucketKind, dict[str, pulumi.Output[str]]]
    """Managed folder of each team by kind and the team's name; taken from the finished folder, so that grants wait for it."""

    def __init__(self, name: str, args: BucketsArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__(token("Buckets"), name, {}, opts)
        self._name, self._args = name, args
        child = child_options(self, opts)
        keys = sorted({bucket.key for bucket in args.buckets if bucket.key})
        granted = pulumi.ResourceOptions(depends_on=[self._grant(key, child) for key in keys])
        self.names, self.folders = {}, {}
        for bucket in args.buckets:
            made = self._declare(bucket, pulumi.ResourceOptions.merge(child, granted))
            self.names[bucket.kind] = made.name
            self.folders[bucket.kind] = {
                team: gcp.storage.ManagedFolder(
                    f"{name}-{bucket.kind}-{team}",
                    bucket=made.name,
                    name=folder,
                    # Takes away the folder and the rights on it; objects stay where they are (ManagedFolder page of the provider).
                    force_destroy=True,
                    opts=child,
                ).name
                for team, folder in bucket.folders.items()
            }
        self.register_outputs({"names": {kind.value: made for kind, made in self.names.items()}})

    def _grant(self, key: str, child: pulumi.ResourceOptions) -> pulumi.Resource:
        """Lets Cloud Storage use the key. A bucket made before that is refused."""
        agent = gcp.storage.get_project_service_account_output(project=self._args.project, opts=pulumi.InvokeOptions(parent=self))
        return gcp.kms.CryptoKeyIAMMember(f"{self._name}-storage-key", crypto_key_id=key, role=_KEY_USER, member=agent.member, opts=child)

    def _declare(self, bucket: Bucket, child: pulumi.ResourceOptions) -> gcp.storage.Bucket:
        project, pair = self._args.project, bucket.data_locations
        return gcp.storage.Bucket(
            f"{self._name}-{bucket.kind}",
            name=physical_name(bucket.name_stem, project, bucket.location, pair, bucket.hierarchical_namespace),
            project=project,
            location=bucket.location,
            custom_placement_config=gcp.storage.BucketCustomPlacementConfigArgs(data_locations=list(pair)) if pair else None,
            # Google refuses it in a single region.
            rpo=("ASYNC_TURBO" if bucket.turbo_replication else "DEFAULT") if pair else None,
            storage_class="STANDARD",
            uniform_bucket_level_access=True,
            public_access_prevention="enforced",
            force_destroy=False,
            versioning=None if bucket.hierarchical_namespace else gcp.storage.BucketVersioningArgs(enabled=True),
            hierarchical_namespace=gcp.storage.BucketHierarchicalNamespaceArgs(enabled=True) if bucket.hierarchical_namespace else None,
            soft_delete_policy=gcp.storage.BucketSoftDeletePolicyArgs(retention_duration_seconds=bucket.soft_delete_seconds),
            lifecycle_rules=[_rule(rule) for rule in bucket.lifecycle],
            encryption=gcp.storage.BucketEncryptionArgs(default_kms_key_name=bucket.key) if bucket.key else None,
            labels=dict(bucket.labels),
            opts=pulumi.ResourceOptions.merge(
                child,
                pulumi.ResourceOptions(
                    protect=bucket.protected,
                    retain_on_delete=bucket.protected,
                    hooks=pulumi.ResourceHookBinding(on_error=[self._args.on_error]),
                ),
            ),
        )


def _rule(rule: LifecycleRule) -> gcp.storage.BucketLifecycleRuleArgs:
    return gcp.storage.BucketLifecycleRuleArgs(
        action=gcp.storage.BucketLifecycleRuleActionArgs(
            type=rule.action.value, storage_class=rule.storage_class.value if rule.storage_class else None
        ),
        condition=gcp.storage.BucketLifecycleRuleConditionArgs(
            age=rule.age_days,
            days_since_noncurrent_time=rule.noncurrent_days,
            num_newer_versions=rule.newer_versions,
            with_state=rule.state.value if rule.state else None,
        ),
    )
