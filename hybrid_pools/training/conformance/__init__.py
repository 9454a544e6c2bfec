"""Whether a trainer survives what happens on Spot VMs, found out by doing it to the trainer. docs/conformance.md lists the checks."""

from hybrid_pools.training.conformance.checks import Measured, Outcome, Report, Result
from hybrid_pools.training.conformance.trial import Settings, trial

__all__ = ["Measured", "Outcome", "Report", "Result", "Settings", "trial"]
