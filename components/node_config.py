"""The node configuration of a pool, field by field as the provider takes it."""

import pulumi
import pulumi_gcp as gcp

from hybrid_pools.blueprint.configuration.nodes import Kubelet, LocalSsdUse, SharingStrategy
from hybrid_pools.blueprint.model import Accelerators, Pool, ShutdownGrace

_SHARING = {SharingStrategy.TIME_SHARING: "TIME_SHARING", SharingStrategy.MPS: "MPS"}
_DRIVER = {"default": "DEFAULT", "latest": "LATEST", "disabled": "INSTALLATION_DISABLED"}


def node_config(pool: Pool, service_account: pulumi.Input[str]) -> gcp.container.NodePoolNodeConfigArgs:
    """What the nodes of a pool are made of.

    Args:
        pool: The decided pool; nothing here can be inconsistent.
        service_account: E-mail of the account the nodes run as.
    """
    ssd = pool.local_ssd
    return gcp.container.NodePoolNodeConfigArgs(
        machine_type=pool.machine.name,
        image_type="COS_CONTAINERD",
        disk_type=pool.boot_disk.type,
        disk_size_gb=pool.boot_disk.size_gib,
        boot_disk_kms_key=pool.boot_disk.key,
        spot=True if pool.is_spot_vm else None,
        flex_start=True if pool.capacity.value == "flex-start" else None,
        max_run_duration=f"{pool.max_run_seconds}s" if pool.max_run_seconds else None,
        reservation_affinity=_reservation(pool),
        guest_accelerators=[_accelerator(pool.accelerators)] if pool.accelerators else None,
        ephemeral_storage_local_ssd_config=gcp.container.NodePoolNodeConfigEphemeralStorageLocalSsdConfigArgs(local_ssd_count=ssd.count)
        if ssd and ssd.use is LocalSsdUse.EPHEMERAL_STORAGE
        else None,
        local_nvme_ssd_block_config=gcp.container.NodePoolNodeConfigLocalNvmeSsdBlockConfigArgs(local_ssd_count=ssd.count)
        if ssd and ssd.use is LocalSsdUse.RAW_BLOCK
        else None,
        secondary_boot_disks=[
            gcp.container.NodePoolNodeConfigSecondaryBootDiskArgs(disk_image=pool.preloaded_image, mode="CONTAINER_IMAGE_CACHE")
        ]
        if pool.preloaded_image
        else None,
        # Written out even where it is off: GKE fills a default otherwise and the preview never settles (magic-modules#11553).
        gcfs_config=gcp.container.NodePoolNodeConfigGcfsConfigArgs(enabled=pool.image_streaming),
        gvnic=gcp.container.NodePoolNodeConfigGvnicArgs(enabled=True),
        fast_socket=gcp.container.NodePoolNodeConfigFastSocketArgs(enabled=True) if pool.fast_socket else None,
        kubelet_config=_kubelet(pool.kubelet, pool.shutdown_grace),
        linux_node_config=_linux(pool),
        shielded_instance_config=gcp.container.NodePoolNodeConfigShieldedInstanceConfigArgs(
            enable_secure_boot=True, enable_integrity_monitoring=True
        ),
        confidential_nodes=gcp.container.NodePoolNodeConfigConfidentialNodesArgs(enabled=True) if pool.confidential else None,
        host_maintenance_policy=gcp.container.NodePoolNodeConfigHostMaintenancePolicyArgs(maintenance_interval=pool.host_maintenance.value)
        if pool.host_maintenance
        else None,
        workload_metadata_config=gcp.container.NodePoolNodeConfigWorkloadMetadataConfigArgs(mode="GKE_METADATA"),
        metadata={"disable-legacy-endpoints": "true"},
        service_account=service_account,
        # The scope is wide on purpose: what the account may do is limited by its IAM roles alone.
        oauth_scopes=["https://www.googleapis.com/auth/cloud-platform"],
        labels=dict(pool.labels),
        resource_labels=dict(pool.resource_labels),
        taints=[
            gcp.container.NodePoolNodeConfigTaintArgs(key=taint.key, value=taint.value, effect=taint.effect.google) for taint in pool.taints
        ],
        tags=list(pool.network_tags) or None,
    )


def _accelerator(gpus: Accelerators) -> gcp.container.NodePoolNodeConfigGuestAcceleratorArgs:
    return gcp.container.NodePoolNodeConfigGuestAcceleratorArgs(
        type=gpus.type,
        count=gpus.count,
        gpu_driver_installation_config=gcp.container.NodePoolNodeConfigGuestAcceleratorGpuDriverInstallationConfigArgs(
            gpu_driver_version=_DRIVER[gpus.driver]
        ),
        gpu_partition_size=gpus.partition,
        gpu_sharing_config=gcp.container.NodePoolNodeConfigGuestAcceleratorGpuSharingConfigArgs(
            gpu_sharing_strategy=_SHARING[gpus.sharing.strategy], max_shared_clients_per_gpu=gpus.sharing.clients_per_gpu
        )
        if gpus.sharing
        else None,
    )


def _reservation(pool: Pool) -> gcp.container.NodePoolNodeConfigReservationAffinityArgs | None:
    if pool.reservation is None:
        # Queued and flex-start pools are refused unless they say that they use none (terraform-provider-google#18341).
        if pool.capacity.value in ("flex-start", "queued-provisioning"):
            return gcp.container.NodePoolNodeConfigReservationAffinityArgs(consume_reservation_type="NO_RESERVATION")
        return None
    if pool.reservation.name is None:
        return gcp.container.NodePoolNodeConfigReservationAffinityArgs(consume_reservation_type="ANY_RESERVATION")
    shared = pool.reservation.project
    return gcp.container.NodePoolNodeConfigReservationAffinityArgs(
        consume_reservation_type="SPECIFIC_RESERVATION",
        key="compute.googleapis.com/reservation-name",
        values=[f"projects/{shared}/reservations/{pool.reservation.name}" if shared else pool.reservation.name],
    )


def _kubelet(kubelet: Kubelet | None, grace: ShutdownGrace | None) -> gcp.container.NodePoolNodeConfigKubeletConfigArgs | None:
    if kubelet is None and grace is None:
        return None
    return gcp.container.NodePoolNodeConfigKubeletConfigArgs(
        cpu_manager_policy=kubelet.cpu_manager if kubelet else None,
        pod_pids_limit=kubelet.pod_pids_limit if kubelet else None,
        image_gc_high_threshold_percent=kubelet.image_gc_high_percent if kubelet else None,
        shutdown_grace_period_seconds=grace.seconds if grace else None,
        shutdown_grace_period_critical_pods_seconds=grace.critical_seconds if grace else None,
    )


def _linux(pool: Pool) -> gcp.container.NodePoolNodeConfigLinuxNodeConfigArgs | None:
    linux = pool.linux
    if linux is None:
        return None
    return gcp.container.NodePoolNodeConfigLinuxNodeConfigArgs(
        sysctls=dict(linux.sysctls) if linux.sysctls else None,
        hugepages_config=gcp.container.NodePoolNodeConfigLinuxNodeConfigHugepagesConfigArgs(hugepage_size2m=linux.hugepages_2mib)
        if linux.hugepages_2mib
        else None,
    )
