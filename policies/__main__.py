"""Serves the pack to the engine. The constructor does not return, so nothing else belongs here."""

from policies.adapter import serve

serve()
