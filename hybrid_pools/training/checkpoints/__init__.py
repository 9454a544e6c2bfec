"""Checkpoints that survive: published whole or not at all, found again, and never written by two.

How it works and what it promises: docs/checkpoints.md.
"""

from hybrid_pools.training.checkpoints.checkpoints import Checkpoints, Restored
from hybrid_pools.training.checkpoints.errors import CheckpointError
from hybrid_pools.training.checkpoints.format import Manifest
from hybrid_pools.training.checkpoints.run import TrainingRun

__all__ = ["CheckpointError", "Checkpoints", "Manifest", "Restored", "TrainingRun"]
