"""What holds for all tests: how many examples a property is tried with."""

from __future__ import annotations

import os

from hypothesis import settings

settings.register_profile("quick", deadline=None)
settings.register_profile("soak", deadline=None, max_examples=2000)  # `make soak`
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "quick"))
