"""Where a token comes from, what is said when it does not come, and that it is never shown."""

from __future__ import annotations

import pickle
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from agentcells.forge import Unauthorized
from agentcells.forge import token as room
from agentcells.forge.token import Secret, fetch
from agentcells.sentences import say

VALUE = "ghp_0123456789abcdef"


@dataclass(frozen=True)
class Place:
    command: tuple[str, ...] = ()
    file: str = ""
    env: str = ""


def python(code: str) -> Place:
    return Place(command=(sys.executable, "-c", code))


def refusal(place: Place | None) -> Unauthorized:
    with pytest.raises(Unauthorized) as caught:
        fetch(place)
    assert say(caught.value.key, "ja", **caught.value.slots)
    return caught.value


def test_a_token_comes_from_a_command() -> None:
    assert fetch(python(f"print({VALUE!r})")).reveal() == VALUE


def test_a_token_comes_from_a_file(tmp_path: Path) -> None:
    (tmp_path / "token").write_text(f"  {VALUE}\n\n")
    assert fetch(Place(file=str(tmp_path / "token"))).reveal() == VALUE


def test_a_token_comes_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OUR_TOKEN", VALUE)
    assert fetch(Place(env="OUR_TOKEN")).reveal() == VALUE


def test_it_is_fetched_anew_each_time(tmp_path: Path) -> None:
    """An App's token lives an hour: what a pass reads must be of this pass."""
    file = tmp_path / "token"
    for value in ("first-token", "second-token"):
        file.write_text(value)
        assert fetch(Place(file=str(file))).reveal() == value


def test_no_place_at_all_is_a_matter_of_configuration() -> None:
    error = refusal(None)
    assert (error.key, error.exit_code) == ("forge_token_none", 2)
    assert "[forge]" in say(error.key, **error.slots)


@pytest.mark.parametrize(("place", "key", "word"), [
    (Place(env="NOBODY_SET_THIS_VARIABLE"), "forge_token_empty", "$NOBODY_SET_THIS_VARIABLE"),
    (Place(file="/nonexistent/token"), "forge_token_file", "No such file"),
    (Place(command=("/nonexistent/gh", "auth", "token")), "forge_token_no_command", "No such file"),
    (python("print('   ')"), "forge_token_empty", "python"),
    (python("import sys; sys.exit('not logged in')"), "forge_token_command", "not logged in"),
    (python("print('Hello, this is your token')"), "forge_token_shape", "python"),
    (python("print('two\\nlines')"), "forge_token_shape", "python"),
    (python("print('日本語')"), "forge_token_shape", "python"),
])
def test_what_is_wrong_is_said_with_the_place(place: Place, key: str, word: str) -> None:
    error = refusal(place)
    assert error.key == key
    assert word in say(error.key, **error.slots)


def test_a_file_that_is_no_text_is_said(tmp_path: Path) -> None:
    (tmp_path / "token").write_bytes(b"\xff\xfe\x00")
    assert refusal(Place(file=str(tmp_path / "token"))).key == "forge_token_file"


def test_a_command_that_asks_a_question_does_not_wait_for_ever(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(room, "COMMAND_TIMEOUT_S", 0.3)
    assert refusal(python("import time; time.sleep(60)")).key == "forge_token_slow"
    assert fetch(python(f"input() if 0 else print({VALUE!r})")).reveal() == VALUE


def test_what_a_failed_command_says_is_shown_without_anything_like_a_token() -> None:
    error = refusal(python(f"import sys; print({VALUE!r}); sys.exit('bad ' + {VALUE!r} + ' key')"))
    assert "bad ... key" in say(error.key, **error.slots)
    assert VALUE not in repr(error) + str(error.slots)


def test_a_secret_shows_itself_nowhere() -> None:
    secret = Secret(VALUE)
    assert VALUE not in f"{secret} {secret!r} {[secret]} {vars(type(secret))}"
    with pytest.raises(TypeError):
        pickle.dumps(secret)
