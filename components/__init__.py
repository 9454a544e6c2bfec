"""Pulumi components: one class a file, each takes its part of the blueprint plus what other resources provide."""
