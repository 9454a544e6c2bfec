"""Pulumi components: one class a file, each takes its part of the blueprint plus what other resources provide."""

from components.on_demand import load_on_demand

load_on_demand("pulumi_gcp")
