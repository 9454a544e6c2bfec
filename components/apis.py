"""Google APIs that the environment needs.

Owns their being on. Leaves them on when the stack goes: other stacks of the project may need them.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import pulumi
import pulumi_gcp as gcp

from components.options import child_options
from components.token import token


@dataclass(frozen=True)
class ApisArgs:
    """Attributes:
    project: Project id.
    services: API names, for example container.googleapis.com.
    """

    project: str
    services: Sequence[str]


class Apis(pulumi.ComponentResource):
    """Turns on the APIs. Everything else depends on it: the first call to an API that is off fails."""

    def __init__(self, name: str, args: ApisArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__(token("Apis"), name, {}, opts)
        for service in args.services:
            gcp.projects.Service(
                f"{name}-{service.removesuffix('.googleapis.com')}",
                project=args.project,
                service=service,
                disable_on_destroy=False,
                opts=child_options(self, opts),
            )
        self.register_outputs({})
