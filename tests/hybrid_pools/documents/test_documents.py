"""The documents say all there is to say."""

import re
from pathlib import Path

import pytest

import hybrid_pools.blueprint
from hybrid_pools.blueprint.catalogue import catalogue
from hybrid_pools.blueprint.configuration.model import Model
from hybrid_pools.blueprint.configuration.pools import BufferPoolConfiguration, SpotPoolConfiguration, StablePoolConfiguration
from hybrid_pools.blueprint.configuration.stack import SECTIONS
from hybrid_pools.blueprint.resilience import zones
from hybrid_pools.documents import catalogue as catalogue_document
from hybrid_pools.documents import configuration, contract, pools
from hybrid_pools.documents.markdown import table
from tests.environments import ENVIRONMENTS, blueprint_of

MODELS = [*(model for models in configuration.MODELS.values() for model in models.values()), *configuration.POOLS.values()]


class TestConfiguration:
    text = configuration.render()

    def test_has_a_chapter_for_every_section(self):
        assert re.findall(r"^## `hybrid-node-pools:(\w+)`$", self.text, re.MULTILINE) == list(SECTIONS)

    @pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__name__)
    def test_explains_every_key(self, model: type[Model]):
        keys = configuration.model_keys(model)
        assert [key.path for key in keys if not key.meaning] == []
        assert [key.path for key in keys if f"| `{key.path}` |" not in self.text] == []

    @pytest.mark.parametrize("model", [StablePoolConfiguration, SpotPoolConfiguration, BufferPoolConfiguration])
    def test_knows_the_keys_of_nested_blocks(self, model: type[Model]):
        assert {"limits.total.maximum", "taints.<key>.effect", "accelerator.sharing.clientsPerGpu"} <= {
            key.path for key in configuration.model_keys(model)
        }

    def test_explains_every_rule_that_the_code_names(self):
        folder = Path(hybrid_pools.blueprint.__file__).parent
        named = {rule for file in folder.rglob("*.py") for rule in re.findall(r"CFG-\d{3}", file.read_text())}
        assert {rule for rule in named if f"| `{rule}` |" not in self.text} == set()


class TestPools:
    text = pools.render(blueprint_of(name) for name in ENVIRONMENTS)

    @pytest.mark.parametrize("name", ENVIRONMENTS)
    def test_has_a_chapter_for_every_environment_with_its_pools_and_zones(self, name):
        chapter = self.text.split(f"## {name}\n")[1].split("\n## ")[0]
        blueprint = blueprint_of(name)
        assert [pool.name for pool in blueprint.pools if f"| `{pool.name}` |" not in chapter] == []
        assert [zone for zone in zones(blueprint) if f"without `{zone}`" not in chapter] == []

    def test_says_what_production_loses_with_its_spot_nodes(self):
        rows = [line for line in self.text.split("## prod\n")[1].splitlines() if line.startswith("| training on")]
        assert [row.split(" | ")[0].strip("| ") + ": " + row.rstrip(" |").split(" | ")[-1] for row in rows] == [
            "training on `nvidia-h100-80gb`: **stops**",
            "training on `nvidia-l4`: moves to `buffer-l4` (16 nodes, 32 GPUs)",
            "training on `nvidia-tesla-a100`: **stops**",
        ]


class TestCatalogue:
    text = catalogue_document.render()

    def test_names_every_machine_type_gpu_model_region_disk_and_version_gate(self):
        facts = catalogue()
        names = [*facts.machine_types, *facts.accelerators, *facts.regions, *facts.disk_types, *facts.version_gates, *facts.multi_regions]
        assert [name for name in names if f"`{name}`" not in self.text] == []

    def test_names_every_source(self):
        facts = catalogue()
        sources = {machine.source for machine in facts.machine_types.values()}
        sources |= {fact.source for fact in (*facts.accelerators.values(), *facts.version_gates.values(), *facts.gke_taints.values())}
        sources |= {release.source for release in facts.releases.values()}
        assert {source for source in sources if source not in self.text} == set()


def test_the_contract_document_shows_every_pool_of_its_example_and_no_real_address() -> None:
    text = contract.render(blueprint_of("prod"))
    assert all(f'"name": "{pool.name}"' in text for pool in blueprint_of("prod").pools)
    assert ".gke.example" in text


def test_a_table_stays_one_whatever_its_cells_hold() -> None:
    lines = table(["a", "b"], [["1 | 2", "3\n4"]]).splitlines()
    assert lines == ["| a | b |", "| --- | --- |", "| 1 \\| 2 | 3 4 |"]
