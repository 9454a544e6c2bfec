"""Entry point of the Pulumi program."""

from infra.configuration import blueprint_of_stack
from infra.outputs import export_outputs
from infra.program import compose

blueprint = blueprint_of_stack()
export_outputs(blueprint, compose(blueprint))
