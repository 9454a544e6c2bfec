"""The Pulumi program: read the configuration, derive, compose components, export the contract."""

import components  # noqa: F401 - says how the SDK is loaded, so it comes before the first module that imports it
