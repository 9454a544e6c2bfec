"""A plugin that prints its arguments and never ends by itself."""

import sys
import threading

print(sys.argv[1:], flush=True)  # noqa: T201
threading.Event().wait()
