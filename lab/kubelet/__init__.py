"""A small kubelet: the pods of process nodes run as local processes, with the lives and deaths that a kubelet gives them.

What it leaves out: images (a container needs its `command`), cgroups (limits are not enforced; the scheduler counts them), network
namespaces (every pod is 127.0.0.1), users (`securityContext` is not looked at), probes, sidecars and volumes of storage systems.
"""
