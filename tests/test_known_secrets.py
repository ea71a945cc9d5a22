"""Which secrets the gate knows (R45): whatever cells.toml names one for, and what its name gives away."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentcells.known_secrets import environment_secrets, known_secrets
from tests.stage import Stage

VALUE = "correct-horse-9-battery-staple"


@pytest.mark.parametrize(("name", "settings"), [
    ("MY_TOKEN", ""), ("A_KEY", ""), ("DB_PASSWORD", ""), ("SOME_SECRET", ""), ("X_CREDENTIALS", ""),
    ("WEBHOOK", '[notify]\nurl_from = { env = "WEBHOOK" }\n'),
    ("NTFY", '[notify]\nurl = "https://ntfy.example/x"\ntoken = { env = "NTFY" }\n'),
])
def test_r45_the_variables_of_secrets_are_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, settings: str
) -> None:
    monkeypatch.setenv(name, VALUE)
    config = Stage(tmp_path, settings=settings).config
    assert known_secrets(config).names_in(f"x {VALUE} y".encode()) == (name,)


def test_r45_other_variables_are_none_and_the_forges_token_is_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GREETING", VALUE)
    config = Stage(tmp_path).config
    assert known_secrets(config).names_in(VALUE.encode()) == ()
    assert known_secrets(config, VALUE).names_in(VALUE.encode()) == ("forge token",)
    assert environment_secrets().names_in(VALUE.encode()) == ()
