"""The lab: a real Pulumi engine on one machine, with a stand-in for Google's API, and the tools that build and start it."""
