"""What is written on a node of the lab, and who reads it. Nodes are made by `lab.nodes`; their pods are run by KWOK or by this kubelet."""

from typing import Final

from hybrid_pools.blueprint.vocabulary import DOMAIN

LAB_NODE_LABEL: Final = f"{DOMAIN}/lab-node"
"""Node label: who plays the node's kubelet."""

PROCESS: Final = "process"
"""Value of the label: this kubelet does, and pods run as local processes."""

SIMULATED: Final = "simulated"
"""Value of the label: KWOK does, and pods only look as if they ran."""

STOP_ANNOTATION: Final = f"{DOMAIN}/lab-stop"
"""Node annotation: how the machine under a process node ends, from the moment it is put on."""

PREEMPT: Final = "preempt"
"""Value of the annotation: the machine is told to shut down, as at a spot preemption, and pods have the shutdown window."""

HARD: Final = "hard"
"""Value of the annotation: the machine is gone at once and says nothing any more."""

SHUTDOWN_GRACE_ANNOTATION: Final = f"{DOMAIN}/lab-shutdown-grace-period-seconds"
SHUTDOWN_GRACE_CRITICAL_ANNOTATION: Final = f"{DOMAIN}/lab-shutdown-grace-period-critical-pods-seconds"
"""Node annotations: `shutdownGracePeriodSeconds` and `shutdownGracePeriodCriticalPodsSeconds` of the pool's kubelet configuration."""

SHUTDOWN_GRACE: Final = 30
SHUTDOWN_GRACE_CRITICAL: Final = 15
"""Seconds where the pool says nothing (facts of spot training, 2.3): ordinary pods have the difference."""

SHUTTING_DOWN: Final = "node is shutting down"
"""What a node says of itself while it shuts down, word for word as a kubelet does: people and programs look for it."""

TERMINATED: Final = "Pod was terminated in response to imminent node shutdown."
"""What a pod that ends with its node says, likewise."""
