"""What a training team says of a run: a short file, `version: 1`, from which manifests and requests are made."""

from hybrid_pools.training.description.model import Job
from hybrid_pools.training.description.parts import CheckpointNeeds, Coordinator, Package, Workers
from hybrid_pools.training.description.reading import DescriptionError, read_description

__all__ = ["CheckpointNeeds", "Coordinator", "DescriptionError", "Job", "Package", "Workers", "read_description"]
