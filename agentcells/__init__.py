"""agentcells: a label-driven factory that turns issues into reviewed pull requests."""

__version__ = "0.1.0"
