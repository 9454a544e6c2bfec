"""`python -m lab.google`: the provider plugin. The engine's arguments are not needed."""

import contextlib

from lab.google.catalogue import is_kept
from lab.google.protocol import leave_out_sdk
from lab.google.store import store_path

with contextlib.suppress(KeyboardInterrupt):
    if is_kept(store_path().parent):
        leave_out_sdk()
    # Only now, since it imports the protocol.
    from lab.google.server import serve

    serve()
