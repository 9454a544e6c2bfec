"""What all pool components have in common: the node pool resource and its options."""

from collections.abc import Sequence
from dataclasses import dataclass

import pulumi
import pulumi_gcp as gcp

from components.naming import physical_name
from components.node_config import node_config
from components.options import child_options
from components.siblings import Siblings
from hybrid_pools.blueprint.configuration.scaling import BlueGreen
from hybrid_pools.blueprint.model import NodeLimits, Pool

_REPLACING = ["nodeConfig.machineType"]
"""GKE would roll the nodes of the old pool in place; a new pool beside the old one keeps what runs there until it is up
(terraform-provider-google#16566)."""


@dataclass(frozen=True)
class PoolArgs:
    """What a pool takes from other resources.

    Attributes:
        pool: The decided pool.
        cluster: Name of the cluster, as an output of the cluster, so that the pool waits for it.
        location: Region of the cluster.
        service_account: E-mail of the account the nodes run as.
        on_error: Tries again or tells the way on when Google refuses.
        siblings: The pools that it is made beside; None for one that others wait for.
    """

    pool: Pool
    cluster: pulumi.Input[str]
    location: str
    service_account: pulumi.Input[str]
    on_error: pulumi.ErrorHook
    siblings: Siblings | None


def declare_node_pool(
    name: str, args: PoolArgs, component: pulumi.Resource, opts: pulumi.ResourceOptions | None, owned_elsewhere: Sequence[str]
) -> gcp.container.NodePool:
    """Declare the GKE node pool of a component.

    Args:
        component: The pool component that owns it.
        opts: The component's options.
        owned_elsewhere: Fields that somebody else changes after creation and that no later run may set back.
    """
    pool = args.pool
    made = gcp.container.NodePool(
        f"{name}-pool",
        name=node_pool_name(name, args.location, pool),
        cluster=args.cluster,
        location=args.location,
        node_locations=list(pool.zones),
        autoscaling=_autoscaling(pool.limits, pool.location_policy.value),
        initial_node_count=pool.initial_nodes_per_zone,
        max_pods_per_node=pool.max_pods_per_node,
        management=gcp.container.NodePoolManagementArgs(auto_repair=pool.auto_repair, auto_upgrade=True),
        upgrade_settings=_upgrade_settings(pool),
        placement_policy=gcp.container.NodePoolPlacementPolicyArgs(type="COMPACT", policy_name=pool.placement.policy)
        if pool.placement
        else None,
        queued_provisioning=gcp.container.NodePoolQueuedProvisioningArgs(enabled=True)
        if pool.capacity.value == "queued-provisioning"
        else None,
        best_effort_provisioning=gcp.container.NodePoolBestEffortProvisioningArgs(
            enabled=True, min_provision_nodes=pool.best_effort.minimum_nodes
        )
        if pool.best_effort
        else None,
        maintenance_policies=[
            gcp.container.NodePoolMaintenancePolicyArgs(
                exclusion_until_end_of_supports=[gcp.container.NodePoolMaintenancePolicyExclusionUntilEndOfSupportArgs(enabled=True)]
            )
        ]
        if pool.hold_upgrades_until_end_of_support
        else None,
        node_drain_configs=[_drain(pool)] if pool.drain else None,
        ignore_node_count_changes=True if pool.ignore_node_count_changes else None,
        deletion_policy=pool.deletion_policy.value.upper(),
        node_config=node_config(pool, args.service_account),
        opts=child_options(
            component,
            opts,
            protect=pool.protected,
            ignore_changes=list(owned_elsewhere),
            replace_on_changes=_REPLACING,
            hooks=pulumi.ResourceHookBinding(on_error=[args.on_error]),
        ),
    )
    if args.siblings:
        args.siblings.add(made.pulumi_resource_name, made.id)
    return made


def node_pool_name(name: str, location: str, pool: Pool) -> str:
    """Physical name of a pool: another one wherever GKE could not change the pool in place.

    The count at creation is left out, since nobody changes it later.
    """
    return physical_name(
        f"{name}-pool",
        location,
        pool.role,
        pool.capacity,
        pool.machine.name,
        pool.accelerators,
        pool.local_ssd,
        pool.preloaded_image,
        pool.reservation,
        pool.placement,
        pool.max_run_seconds,
        pool.max_pods_per_node,
        pool.boot_disk.key,
        pool.confidential,
        pool.host_maintenance,
        pool.best_effort,
    )


def _autoscaling(limits: NodeLimits, location_policy: str) -> gcp.container.NodePoolAutoscalingArgs:
    if limits.per_zone:
        return gcp.container.NodePoolAutoscalingArgs(
            location_policy=location_policy, min_node_count=limits.minimum, max_node_count=limits.maximum
        )
    return gcp.container.NodePoolAutoscalingArgs(
        location_policy=location_policy, total_min_node_count=limits.minimum, total_max_node_count=limits.maximum
    )


def _upgrade_settings(pool: Pool) -> gcp.container.NodePoolUpgradeSettingsArgs | None:
    upgrade = pool.upgrade
    if upgrade is None:
        return None
    if upgrade.surge is not None:
        return gcp.container.NodePoolUpgradeSettingsArgs(
            strategy="SURGE", max_surge=upgrade.surge.max_surge, max_unavailable=upgrade.surge.max_unavailable
        )
    return gcp.container.NodePoolUpgradeSettingsArgs(
        strategy="BLUE_GREEN", blue_green_settings=_blue_green(upgrade.blue_green) if upgrade.blue_green else None
    )


def _blue_green(settings: BlueGreen) -> gcp.container.NodePoolUpgradeSettingsBlueGreenSettingsArgs:
    soak = f"{settings.soak_seconds}s"
    if settings.batch_percent is None:
        return gcp.container.NodePoolUpgradeSettingsBlueGreenSettingsArgs(
            autoscaled_rollout_policy=gcp.container.NodePoolUpgradeSettingsBlueGreenSettingsAutoscaledRolloutPolicyArgs(),
            node_pool_soak_duration=soak,
        )
    return gcp.container.NodePoolUpgradeSettingsBlueGreenSettingsArgs(
        standard_rollout_policy=gcp.container.NodePoolUpgradeSettingsBlueGreenSettingsStandardRolloutPolicyArgs(
            batch_percentage=settings.batch_percent / 100
        ),
        node_pool_soak_duration=soak,
    )


def _drain(pool: Pool) -> gcp.container.NodePoolNodeDrainConfigArgs:
    drain = pool.drain
    assert drain is not None  # noqa: S101 — called only where the pool has one
    return gcp.container.NodePoolNodeDrainConfigArgs(
        respect_pdb_during_node_pool_deletion=drain.respect_disruption_budgets,
        grace_termination_duration=f"{drain.grace_seconds}s" if drain.grace_seconds is not None else None,
        pdb_timeout_duration=f"{drain.disruption_budget_timeout_seconds}s" if drain.disruption_budget_timeout_seconds is not None else None,
    )
