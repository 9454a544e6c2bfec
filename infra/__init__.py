"""The Pulumi program: read the configuration, derive, compose components, export the contract."""
