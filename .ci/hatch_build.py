"""Carries what a user starts from into the wheel, below agentcells/data (see `config.resource`).

An editable install needs no copies: there the files of the top level are read themselves.
"""

from __future__ import annotations

from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CarryData(BuildHookInterface):  # type: ignore[type-arg]
    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if self.target_name == "wheel" and version != "editable":
            for name in ("prompts", "systemd", "cells.toml"):
                build_data["force_include"][name] = f"agentcells/data/{name}"
