"""Which segments of a workload are safe on which role of pool, and why: from what is said of each, by a table of rules."""

from hybrid_pools.training.audit.places import Places, places_of
from hybrid_pools.training.audit.reading import EXAMPLE, AuditError, read_workload
from hybrid_pools.training.audit.rules import RULES, Rule, Verdict, judge
from hybrid_pools.training.audit.segments import Segment, Workload

__all__ = ["EXAMPLE", "RULES", "AuditError", "Places", "Rule", "Segment", "Verdict", "Workload", "judge", "places_of", "read_workload"]
