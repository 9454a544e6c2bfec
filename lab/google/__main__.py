"""`python -m lab.google`: the provider plugin. The engine's arguments are not needed."""

import contextlib

from lab.google.server import serve

with contextlib.suppress(KeyboardInterrupt):
    serve()
