"""Runs on Vertex AI: the request that is made of a job description, and a run that goes on past the end of one job.

A Vertex AI job on Spot VMs is started again six times and then fails for good. A run may be longer than that, so it is a row of jobs, its
attempts: each resumes from the checkpoints of the one before.
"""

from hybrid_pools.training.vertex.attempts import Attempt, Ending, State
from hybrid_pools.training.vertex.machines import Machine
from hybrid_pools.training.vertex.request import Request, VertexError, vertex_request
from hybrid_pools.training.vertex.submitting import Clock, Jobs, RefusedError, RunError, UnreachableError, submit

__all__ = [
    "Attempt",
    "Clock",
    "Ending",
    "Jobs",
    "Machine",
    "RefusedError",
    "Request",
    "RunError",
    "State",
    "UnreachableError",
    "VertexError",
    "submit",
    "vertex_request",
]
