"""Documents made from what the library knows: pure functions that return text. `docs/generate.py` writes them into `docs/`."""
