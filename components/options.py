"""Options of the resources inside a component."""

from typing import Any

import pulumi


def child_options(parent: pulumi.Resource, opts: pulumi.ResourceOptions | None, **own: Any) -> pulumi.ResourceOptions:
    """Options for a child: its parent, what the component waits for, and its own.

    Pulumi hands providers and protection down from a component by itself, but not `depends_on`: without it the state would not know that,
    say, a pool needs the roles of its account, and a destroy could remove them first. Nothing else is copied; merging all options would
    leak the component's own parent, aliases and ignored fields.
    """
    return pulumi.ResourceOptions(parent=parent, depends_on=opts.depends_on if opts else None, **own)
