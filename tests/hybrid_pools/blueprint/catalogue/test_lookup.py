"""The catalogue answers with what the sources say, says when it does not know, and is quick."""

import time
from dataclasses import FrozenInstanceError

import pytest
from pydantic import ValidationError

from hybrid_pools.blueprint.catalogue import (
    Accelerator,
    CapacityKind,
    GkeVersion,
    UnknownMachineType,
    UnknownRegion,
    UnknownVersionGate,
    catalogue,
)

MACHINE_TYPES = sorted(catalogue().machine_types)


class TestCatalogue:
    def test_is_read_once(self):
        assert catalogue() is catalogue()

    def test_cannot_be_changed(self):
        with pytest.raises(FrozenInstanceError):
            catalogue().machine_types = {}  # type: ignore[misc]
        with pytest.raises(ValidationError, match="frozen"):
            catalogue().machine_type("g2-standard-4").vcpus = 5  # type: ignore[misc]

    def test_loads_within_its_share_of_the_time_to_derive_a_blueprint(self):
        def load() -> float:
            start = time.process_time()
            catalogue.__wrapped__()
            return time.process_time() - start

        assert min(load() for _ in range(20)) <= 0.005


@pytest.mark.parametrize("name", MACHINE_TYPES)
class TestEveryMachineType:
    def test_is_found_by_its_name_which_begins_with_its_series(self, name):
        machine_type = catalogue().machine_type(name)
        assert machine_type.name == name
        assert name.startswith(machine_type.series.split("-")[0])

    def test_has_a_default_boot_disk_that_is_known(self, name):
        assert catalogue().machine_type(name).boot_disk_types[0] in catalogue().disk_types

    def test_may_ask_for_its_bundle_and_only_for_it(self, name):
        machine_type = catalogue().machine_type(name)
        if machine_type.bundled_local_ssds:
            assert machine_type.allowed_local_ssds == (machine_type.bundled_local_ssds,)

    def test_can_be_had_in_some_way_unless_nothing_is_known(self, name):
        machine_type = catalogue().machine_type(name)
        assert machine_type.capacity or not machine_type.consumption
        for kind in CapacityKind:
            assert machine_type.offers(kind) in ((True,) if kind in machine_type.capacity else (False, None))

    def test_is_sold_only_in_zones_of_known_regions(self, name):
        known = {zone for region in catalogue().regions.values() for zone in region.zones}
        zones = catalogue().zones(name)
        assert zones is None or (zones and zones <= known)

    def test_has_gpus_of_its_own_or_attachable_ones_but_not_both(self, name):
        machine_type = catalogue().machine_type(name)
        assert not (machine_type.accelerator and machine_type.attachable_accelerators)


@pytest.mark.parametrize(
    ("name", "size", "gpus", "local_ssds"),
    [
        ("g2-standard-4", (4, 16), ("nvidia-l4", 1), (0, 375)),
        ("g2-standard-24", (24, 96), ("nvidia-l4", 2), (0, 375)),
        ("g2-standard-32", (32, 128), ("nvidia-l4", 1), (0, 375)),
        ("g2-standard-48", (48, 192), ("nvidia-l4", 4), (0, 375)),
        ("g4-standard-48", (48, 180), ("nvidia-rtx-pro-6000", 1), (0, 375)),
        ("g4-standard-384", (384, 1440), ("nvidia-rtx-pro-6000", 8), (0, 375)),
        ("a2-highgpu-1g", (12, 85), ("nvidia-tesla-a100", 1), (0, 375)),
        ("a2-highgpu-8g", (96, 680), ("nvidia-tesla-a100", 8), (0, 375)),
        ("a2-megagpu-16g", (96, 1360), ("nvidia-tesla-a100", 16), (0, 375)),
        # One public map says 40 GB for these; Google's page says 80 GB.
        ("a2-ultragpu-1g", (12, 170), ("nvidia-a100-80gb", 1), (1, 375)),
        ("a2-ultragpu-8g", (96, 1360), ("nvidia-a100-80gb", 8), (8, 375)),
        ("a3-highgpu-1g", (26, 234), ("nvidia-h100-80gb", 1), (2, 375)),
        ("a3-highgpu-8g", (208, 1872), ("nvidia-h100-80gb", 8), (16, 375)),
        ("a3-edgegpu-8g", (208, 1872), ("nvidia-h100-80gb", 8), (16, 375)),
        ("a3-megagpu-8g", (208, 1872), ("nvidia-h100-mega-80gb", 8), (16, 375)),
        ("a3-ultragpu-8g", (224, 2952), ("nvidia-h200-141gb", 8), (32, 375)),
        ("a4-highgpu-8g", (224, 3968), ("nvidia-b200", 8), (32, 375)),
        ("a4x-highgpu-4g", (140, 884), ("nvidia-gb200", 4), (4, 3000)),
        ("a4x-maxgpu-4g-metal", (144, 960), ("nvidia-gb300", 4), (4, 3000)),
    ],
)
def test_gpu_machine_types_are_what_google_says(name, size, gpus, local_ssds):
    machine_type = catalogue().machine_type(name)
    assert (machine_type.vcpus, machine_type.memory_gib) == size
    assert machine_type.accelerator == Accelerator(type=gpus[0], count=gpus[1])
    assert (machine_type.bundled_local_ssds, machine_type.local_ssd_gib) == local_ssds


@pytest.mark.parametrize(
    ("name", "counts"),
    [
        ("g2-standard-32", (0, 1)),
        ("g2-standard-96", (0, 8)),
        ("a2-highgpu-1g", (0, 1, 2, 4, 8)),
        ("a2-highgpu-4g", (0, 4, 8)),
        ("a2-megagpu-16g", (0, 8)),
        ("n2-standard-16", (0, 2, 4, 8, 16, 24)),
        ("n2d-standard-48", (0, 2, 4, 8, 16, 24)),
        ("n1-standard-4", (0, 1, 2, 3, 4, 5, 6, 7, 8, 16, 24)),
        ("e2-standard-4", (0,)),
        ("c3-standard-8", (0,)),
    ],
)
def test_local_ssds_come_in_the_steps_that_google_allows(name, counts):
    assert catalogue().machine_type(name).allowed_local_ssds == counts


@pytest.mark.parametrize(
    ("name", "disks"),
    [
        ("a4-highgpu-8g", ("hyperdisk-balanced",)),
        ("a3-ultragpu-8g", ("hyperdisk-balanced",)),
        ("g4-standard-48", ("hyperdisk-balanced",)),
        ("n4-standard-4", ("hyperdisk-balanced",)),
        ("a3-megagpu-8g", ("pd-balanced", "pd-ssd", "hyperdisk-balanced")),
        ("a2-highgpu-1g", ("pd-balanced", "pd-ssd", "pd-standard")),
        ("g2-standard-4", ("pd-balanced", "pd-ssd")),
        ("e2-standard-4", ("pd-balanced", "pd-ssd", "pd-standard")),
    ],
)
def test_boot_disk_types_are_those_of_the_series(name, disks):
    assert catalogue().machine_type(name).boot_disk_types == disks


@pytest.mark.parametrize(
    ("name", "offered", "refused", "unknown"),
    [
        ("a4x-highgpu-4g", {"reservation"}, {"on-demand", "spot", "flex-start", "queued-provisioning"}, set()),
        ("a4-highgpu-8g", {"spot", "flex-start", "queued-provisioning", "reservation"}, {"on-demand"}, set()),
        ("a3-highgpu-1g", {"spot", "flex-start"}, {"on-demand", "reservation"}, {"queued-provisioning"}),
        ("a3-highgpu-8g", {"on-demand", "spot", "flex-start", "queued-provisioning", "reservation"}, set(), set()),
        ("a2-ultragpu-1g", {"on-demand", "spot", "flex-start", "queued-provisioning", "reservation"}, set(), set()),
        ("n1-standard-4", {"on-demand", "spot", "reservation"}, set(), {"flex-start", "queued-provisioning"}),
        ("e2-standard-4", {"on-demand", "spot", "reservation"}, {"flex-start", "queued-provisioning"}, set()),
        ("a3-edgegpu-8g", set(), set(), set(CapacityKind)),
    ],
)
def test_capacity_is_offered_refused_or_not_known(name, offered, refused, unknown):
    machine_type = catalogue().machine_type(name)
    assert {kind for kind in CapacityKind if machine_type.offers(kind)} == machine_type.capacity == offered
    assert {kind for kind in CapacityKind if machine_type.offers(kind) is False} == refused
    assert {kind for kind in CapacityKind if machine_type.offers(kind) is None} == unknown


class TestArchitecture:
    def test_only_the_grace_machines_are_arm(self):
        arm = {name for name, machine_type in catalogue().machine_types.items() if machine_type.architecture == "arm64"}
        assert arm == {"a4x-highgpu-4g", "a4x-maxgpu-4g-metal"}


class TestZones:
    @pytest.mark.parametrize(
        ("name", "region", "zones"),
        [
            ("a2-highgpu-1g", "us-central1", {"us-central1-a", "us-central1-b", "us-central1-c", "us-central1-f"}),
            ("a2-ultragpu-8g", "us-east5", {"us-east5-a", "us-east5-b"}),
            ("g2-standard-4", "europe-west1", {"europe-west1-b", "europe-west1-c"}),
            ("a3-highgpu-8g", "europe-west8", set()),
            ("a3-highgpu-1g", "europe-west8", {"europe-west8-c"}),
            ("a3-megagpu-8g", "asia-south1", set()),
            ("a4-highgpu-8g", "us-west3", {"us-west3-b", "us-west3-c"}),
        ],
    )
    def test_are_those_of_the_price_list(self, name, region, zones):
        sold = catalogue().zones(name)
        assert sold is not None
        assert sold & set(catalogue().region(region).zones) == zones

    def test_are_not_known_for_general_purpose_machine_types(self):
        assert catalogue().zones("e2-standard-4") is None

    def test_of_an_unknown_machine_type_are_an_error(self):
        with pytest.raises(UnknownMachineType):
            catalogue().zones("g2-standard-5")


class TestRegions:
    @pytest.mark.parametrize(
        ("name", "letters"), [("us-central1", "abcf"), ("us-east1", "bcd"), ("europe-west1", "bcd"), ("europe-west4", "abc")]
    )
    def test_have_the_zones_of_google_s_list(self, name, letters):
        assert catalogue().region(name).zones == tuple(f"{name}-{letter}" for letter in letters)

    def test_have_three_zones_or_more(self):
        assert all(len(region.zones) >= 3 for region in catalogue().regions.values())


class TestUnknownNames:
    def test_a_misspelt_machine_type_gets_the_closest_ones(self):
        with pytest.raises(UnknownMachineType) as caught:
            catalogue().machine_type("a2-highgpu-1")
        assert caught.value.name == "a2-highgpu-1"
        assert "a2-highgpu-1g" in caught.value.closest
        assert str(caught.value).startswith("machine type 'a2-highgpu-1' is not in the catalogue; did you mean a2-highgpu-1g")
        assert isinstance(caught.value, KeyError)

    def test_nothing_close_is_no_suggestion(self):
        with pytest.raises(UnknownMachineType) as caught:
            catalogue().machine_type("?")
        assert caught.value.closest == ()
        assert str(caught.value) == "machine type '?' is not in the catalogue"

    def test_regions_and_gates_say_what_they_are(self):
        with pytest.raises(UnknownRegion, match="region 'europe-west11' is not in the catalogue; did you mean"):
            catalogue().region("europe-west11")
        with pytest.raises(UnknownVersionGate, match="version gate 'flexstart' is not in the catalogue; did you mean flex-start"):
            catalogue().gate("flexstart")


@pytest.mark.parametrize(
    ("feature", "minimum"),
    [
        ("spot-shutdown-grace", "1.35.0-gke.1171000"),
        ("flex-start", "1.33.0-gke.1712000"),
        ("flex-start-consolidation-delay", "1.34.1-gke.2364000"),
        ("secondary-boot-disks", "1.28.3-gke.106700"),
        ("autoscaled-blue-green", "1.34.0-gke.2201000"),
        ("default-gpu-driver", "1.30.1-gke.1156000"),
    ],
)
def test_version_gates_are_those_of_the_sources(feature, minimum):
    assert catalogue().gate(feature).minimum == GkeVersion(minimum)


class TestQuota:
    @pytest.mark.parametrize(
        ("accelerator", "preemptible", "metric"),
        [
            ("nvidia-l4", False, "NVIDIA_L4_GPUS"),
            ("nvidia-l4", True, "PREEMPTIBLE_NVIDIA_L4_GPUS"),
            ("nvidia-tesla-a100", True, "PREEMPTIBLE_NVIDIA_A100_GPUS"),
            ("nvidia-a100-80gb", False, "NVIDIA_A100_80GB_GPUS"),
            ("nvidia-h100-80gb", True, None),
            ("no-such-gpu", False, None),
        ],
    )
    def test_is_named_where_the_name_is_known(self, accelerator, preemptible, metric):
        assert catalogue().quota(accelerator, preemptible).name == metric


class TestPartitions:
    def test_of_an_a100_are_nvidia_s_profiles(self):
        assert catalogue().partitions("nvidia-tesla-a100") == {"1g.5gb": 7, "2g.10gb": 3, "3g.20gb": 2, "4g.20gb": 1, "7g.40gb": 1}

    def test_of_an_l4_are_none_at_all(self):
        assert catalogue().partitions("nvidia-l4") == {}

    def test_of_a_gpu_without_a_source_are_not_known(self):
        assert catalogue().partitions("nvidia-gb300") is None
        assert catalogue().partitions("no-such-gpu") is None

    def test_never_exceed_the_compute_slices_of_a_gpu(self):
        for accelerator in catalogue().accelerators.values():
            for size, count in (accelerator.partitions or {}).items():
                assert int(size.split("g.")[0]) * count <= 7


class TestShutdownGrace:
    def test_leaves_an_ordinary_pod_half_of_the_default_window(self):
        grace = catalogue().shutdown_grace
        assert (grace.default_seconds, grace.default_critical_pods_seconds) == (30, 15)

    def test_ends_with_the_longest_allowed_window(self):
        grace = catalogue().shutdown_grace
        assert grace.allowed_seconds == (0, 30, 120)
        assert max(grace.allowed_seconds) == grace.maximum_seconds


class TestDisks:
    def test_hold_at_least_ten_gib_and_persistent_disks_at_most_64_tib(self):
        assert {disk.min_gib for disk in catalogue().disk_types.values()} == {10}
        assert catalogue().disk_types["pd-ssd"].max_gib == 64 * 1024
        assert catalogue().disk_types["hyperdisk-balanced"].max_gib is None

    def test_local_ssds_have_375_gib(self):
        assert catalogue().local_ssd.size_gib == 375


class TestKeysThatGkeOwns:
    def test_the_gpu_taint_is_owned_with_value_and_effect(self):
        taint = catalogue().gke_taints["nvidia.com/gpu"]
        assert (taint.value, taint.effect) == ("present", "NoSchedule")

    def test_the_spot_key_is_both_label_and_taint(self):
        assert catalogue().gke_labels["cloud.google.com/gke-spot"].value == "true"
        assert catalogue().gke_taints["cloud.google.com/gke-spot"].effect == "NoSchedule"

    def test_a_key_with_an_unknown_value_is_still_owned(self):
        assert catalogue().gke_taints["cloud.google.com/impending-node-termination"].value is None
