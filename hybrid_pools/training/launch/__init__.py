"""From a job description and the contract of an environment to a manifest that is right there, and to what it means in plain words."""

from hybrid_pools.training.launch.plan import Plan
from hybrid_pools.training.launch.planning import plan
from hybrid_pools.training.launch.problems import LaunchError
from hybrid_pools.training.launch.rendering import manifest, text

__all__ = ["LaunchError", "Plan", "manifest", "plan", "text"]
