"""What Vertex AI takes and where it stops: custom jobs on Spot VMs."""

from collections.abc import Mapping
from functools import cache

from hybrid_pools.blueprint.catalogue.facts import Fact
from hybrid_pools.blueprint.catalogue.files import read


class VertexFacts(Fact):
    """`vertex.json`.

    Attributes:
        accelerators: Vertex AI's name of a GPU model by its GKE accelerator type. One that is missing cannot be had there.
        machine_series: Machine series that are known to be taken for custom training. Of others nothing is known: the API has no list.
        environment_variables: Most of one container.
        executor_images: What the images begin with that run Python packages: those that Google has made for it.
        variables_set: Environment variables that Vertex AI sets itself. RANK and its kin only where there are several replicas.
    """

    accelerators: Mapping[str, str]
    machine_series: tuple[str, ...]
    environment_variables: int
    executor_images: tuple[str, ...]
    variables_set: tuple[str, ...]


@cache
def vertex_facts() -> VertexFacts:
    """The facts; read once a process."""
    return read("vertex.json", VertexFacts)
