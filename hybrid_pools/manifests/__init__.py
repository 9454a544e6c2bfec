"""Kubernetes objects of an environment as plain data, worked out from the blueprint. Pure: nothing here talks to a cluster."""
