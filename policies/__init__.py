"""The CrossGuard pack: rules on resources as pure functions with an id, a reason and a fix, and the adapter that hands them to the engine.

What it judges are declarations, not live resources. It builds nothing and asks nobody.
"""
