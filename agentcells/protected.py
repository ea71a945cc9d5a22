"""The paths that a run may never change unless the owner's cells.toml says otherwise (R45).

What lies here runs outside every sandbox: on the forge's own machines with the repository's
secrets, or on the machine of whoever opens the folder in an editor or with an agent. It is the
default of `[gate] protected`, shown by `agentcells config`, so nothing is protected in secret.
"""

from __future__ import annotations

DEFAULT_PROTECTED: tuple[str, ...] = (
    "**/.claude/**",
    "**/.mcp.json",
    ".github/workflows/**",
    ".github/actions/**",
    ".gitea/workflows/**",
    ".gitea/actions/**",
    ".forgejo/workflows/**",
    ".forgejo/actions/**",
    "**/action.yml",
    "**/action.yaml",
    "**/.gitmodules",
    "**/.lfsconfig",
    "**/.husky/**",
    "**/.githooks/**",
    "cells.toml",
    "agentcells.lock.toml",
)
