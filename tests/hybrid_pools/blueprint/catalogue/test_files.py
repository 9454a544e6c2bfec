"""The data files agree with their shapes and with one another."""

import json
from collections.abc import Iterator
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest

from hybrid_pools.blueprint.catalogue import catalogue, files
from hybrid_pools.blueprint.catalogue.compute_quotas import ComputeQuotas
from hybrid_pools.blueprint.catalogue.facts import Frozen, ShutdownGrace
from hybrid_pools.blueprint.catalogue.loss_rates import LossRatesFile
from hybrid_pools.blueprint.catalogue.reservations import NodeReservations
from hybrid_pools.blueprint.catalogue.vertex import VertexFacts
from hybrid_pools.blueprint.monitoring.metrics import MetricsFile

DATA = Path(files.__file__).parent / "data"
SHAPES: dict[str, type[Frozen]] = {
    "accelerators.json": files.AcceleratorsFile,
    "capacity.json": files.CapacityFile,
    "compute-quotas.json": ComputeQuotas,
    "disk-types.json": files.DiskTypesFile,
    "gke-owned-keys.json": files.GkeOwnedKeysFile,
    "local-ssds.json": files.LocalSsdsFile,
    "loss-rates.json": LossRatesFile,
    "machine-types.json": files.MachineTypesFile,
    "metrics.json": MetricsFile,
    "multi-regions.json": files.MultiRegionsFile,
    "node-reservations.json": NodeReservations,
    "quotas.json": files.QuotasFile,
    "regions.json": files.RegionsFile,
    "releases.json": files.ReleasesFile,
    "series.json": files.SeriesFile,
    "shutdown-grace.json": ShutdownGrace,
    "version-gates.json": files.VersionGatesFile,
    "vertex.json": VertexFacts,
    "zones.json": files.ZonesFile,
}


def blocks_with_facts(document: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The objects that must carry a source: the document itself, or each entry of its lists."""
    if all(isinstance(value, list) for value in document.values()):
        for entries in document.values():
            yield from entries
    else:
        yield document


def test_every_file_has_a_shape_and_every_shape_a_file():
    assert {path.name for path in DATA.iterdir()} == set(SHAPES)


@pytest.mark.parametrize("name", sorted(SHAPES))
class TestEachFile:
    def test_is_of_its_shape(self, name):
        assert files.read(name, SHAPES[name])

    def test_says_source_and_day_of_each_fact_and_no_day_in_the_future(self, name):
        blocks = list(blocks_with_facts(json.loads((DATA / name).read_text("utf-8"))))
        assert blocks
        for block in blocks:
            assert block["source"].strip()
            assert date(2025, 1, 1) <= date.fromisoformat(block["as_of"]) <= datetime.now(UTC).date()

    def test_writes_no_key_twice(self, name):
        def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
            keys = [key for key, _ in pairs]
            assert len(keys) == len(set(keys)), f"a key is written twice among {keys}"
            return dict(pairs)

        json.loads((DATA / name).read_text("utf-8"), object_pairs_hook=once)


def test_a_gpu_count_without_an_accelerator_type_is_refused():
    with pytest.raises(ValueError, match="m-1: a GPU count and an accelerator type go together"):
        files.MachineTypeBlock.model_validate(
            {"series": "m", "source": "s", "as_of": "2026-01-01", "machine_types": {"m-1": {"vcpus": 1, "memory_gib": 1, "gpus": 1}}}
        )


class TestFilesAgree:
    machine_types = frozenset(
        name for block in files.read("machine-types.json", files.MachineTypesFile).blocks for name in block.machine_types
    )
    series = frozenset(block.series for block in files.read("machine-types.json", files.MachineTypesFile).blocks)

    def test_no_machine_type_is_described_twice(self):
        described = [name for block in files.read("machine-types.json", files.MachineTypesFile).blocks for name in block.machine_types]
        assert len(described) == len(set(described))

    def test_each_series_is_described_once_and_has_machine_types(self):
        described = [entry.series for entry in files.read("series.json", files.SeriesFile).series]
        assert sorted(described) == sorted(self.series)

    def test_capacity_names_known_machine_types_and_series_and_no_two_blocks_disagree(self):
        said: dict[tuple[str, str], bool] = {}
        for block in files.read("capacity.json", files.CapacityFile).blocks:
            assert block.series or block.machine_types
            assert set(block.series) <= self.series
            assert set(block.machine_types) <= self.machine_types
            for name in (*block.series, *block.machine_types):
                for kind, offered in block.kinds.items():
                    assert said.setdefault((name, kind), offered) == offered

    def test_every_machine_type_has_a_local_ssd_rule_and_only_one(self):
        ssds = files.read("local-ssds.json", files.LocalSsdsFile)
        assert set(ssds.bundled) | set(ssds.allowed) == self.machine_types
        assert not set(ssds.bundled) & set(ssds.allowed)
        assert set(ssds.size_gib_of) <= self.machine_types
        for counts in ssds.allowed.values():
            assert counts[0] == 0
            assert list(counts) == sorted(set(counts))

    def test_zones_belong_to_known_regions_and_known_machine_types(self):
        regions = files.read("regions.json", files.RegionsFile).zones
        listed: list[str] = []
        for block in files.read("zones.json", files.ZonesFile).blocks:
            listed += block.machine_types
            for region, letters in block.zones.items():
                assert set(letters) <= set(regions[region])
        assert set(listed) <= self.machine_types
        assert len(listed) == len(set(listed))

    def test_every_gpu_of_a_machine_type_is_a_known_accelerator_and_every_quota_too(self):
        known = set(catalogue().accelerators)
        used = {
            accelerator
            for block in files.read("machine-types.json", files.MachineTypesFile).blocks
            for accelerator in (block.accelerator, *block.attachable_accelerators)
            if accelerator
        }
        assert used == known
        assert set(files.read("quotas.json", files.QuotasFile).metrics) <= known

    def test_every_boot_disk_type_of_a_series_is_a_known_disk_type(self):
        used = {disk for entry in files.read("series.json", files.SeriesFile).series for disk in entry.boot_disk_types}
        assert used == set(catalogue().disk_types)
