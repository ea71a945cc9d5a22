"""Notices, delivered: a real command, a real server on the loopback, real passes and ticks."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from agentcells import notify
from agentcells.alerts import Alert
from agentcells.config_model import Notify
from agentcells.model import Problem
from tests.factory import Factory, answer
from tests.pair_world import config
from tests.stage import Stage, rule

ASKS = [rule("triage", answer("needs-human", "Which key should it be?"))]


@dataclass
class Heard:
    """What came in at the loopback server; `status` is what it answers."""

    url: str = ""
    status: int = 200
    posts: list[tuple[dict[str, str], bytes]] = field(default_factory=list)

    @property
    def texts(self) -> list[str]:
        return [json.loads(body)["text"] for _, body in self.posts]


@contextmanager
def listening() -> Iterator[Heard]:
    heard = Heard()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            heard.posts.append((dict(self.headers), body))
            self.send_response(heard.status)
            self.end_headers()

        def log_message(self, *_words: Any) -> None:
            """Quiet."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        heard.url = f"http://127.0.0.1:{server.server_address[1]}/hook"
        try:
            yield heard
        finally:
            server.shutdown()
            thread.join()


@pytest.fixture
def heard() -> Iterator[Heard]:
    with listening() as found:
        yield found


def test_a_question_is_told_once_and_the_next_one_anew(tmp_path, heard):
    stage = Stage(tmp_path, rules=ASKS, settings=f'[notify]\nurl = "{heard.url}"\n')
    number = stage.file("triage")
    stage.tick()
    assert len(heard.posts) == 1
    value = json.loads(heard.posts[0][1])
    assert value["alerts"][0]["kind"] == "human"
    assert value["alerts"][0]["item"] == f"alice/game#{number}"
    assert "needs your answer (More lives)" in value["text"]
    stage.tick()
    stage.tick()
    assert len(heard.posts) == 1
    stage.say(number, "The space bar.")
    stage.tick()
    assert len(heard.posts) == 2
    assert not [word for word in stage.state.brake().told
                if word.startswith("notify:") and word.count(str(number)) == 0]


def test_a_webhook_that_fails_stops_nothing_and_is_tried_again(tmp_path, heard):
    stage = Stage(tmp_path, rules=ASKS, settings=f'[notify]\nurl = "{heard.url}"\n')
    stage.file("triage")
    heard.status = 503
    ticked = stage.tick()
    assert ticked.problem is None
    assert "answered 503" in ticked.of("notify_failed")[0]["text"]
    heard.status = 200
    assert stage.tick().of("notified")
    assert not stage.tick().of("notified")


def test_a_command_gets_the_text_as_a_word_and_json_on_its_input(tmp_path):
    out = tmp_path / "told"
    command = ["sh", "-c", 'printf "%s\\n" "$1" > "$2"; cat >> "$2"', "sh", "{text}", str(out)]
    stage = Stage(tmp_path / "stage", rules=ASKS,
                  settings=f"[notify]\ncommand = {json.dumps(command)}\n")
    stage.file("triage", title="$(touch pwned); `id`")
    stage.tick()
    text, value = out.read_text().split("\n", 1)
    assert "$(touch pwned); `id`" in text
    assert json.loads(value)["text"] == text
    assert not list(tmp_path.rglob("pwned"))


def test_an_address_that_is_a_secret_stays_in_its_place(tmp_path, heard):
    secret = f"{heard.url}/T0/SECRETSECRET"
    (tmp_path / "hook").write_text(secret)
    stage = Stage(tmp_path / "stage", rules=ASKS, settings=(
        f'[notify]\nkind = "slack"\nurl_from = {{ file = "{tmp_path}/hook" }}\n'))
    stage.file("triage", title="<!channel> look & see")
    heard.status = 404
    events = json.dumps(stage.tick().events)
    assert "SECRETSECRET" not in events
    assert "answered 404" in events
    assert "&lt;!channel&gt; look &amp; see" in heard.texts[0]


def test_ntfy_gets_a_title_a_link_and_its_token(tmp_path, heard, monkeypatch):
    monkeypatch.setenv("NTFY", "tk_0123456789")
    settings = config().model_copy(update={"notify": Notify.model_validate(
        {"url": heard.url, "kind": "ntfy", "token": {"env": "NTFY"}})})
    notify.send(settings, (
        Alert(kind="human", reason="a", text="日本語 waits", url="https://forge/12"),))
    notify.send(settings, (Alert(kind="limit", reason="b", text="spent"),
                           Alert(kind="human", reason="c", text="x", url="https://forge/13")))
    (headers, body), (urgent, two) = heard.posts
    assert body.decode() == "日本語 waits https://forge/12"
    assert headers["Click"] == "https://forge/12"
    assert headers["Title"] == "agentcells"
    assert headers["Authorization"] == "Bearer tk_0123456789"
    assert urgent["Priority"] == "high"
    assert "Click" not in urgent
    assert two.decode().splitlines() == ["spent", "x https://forge/13"]


def test_many_at_once_are_one_message_that_counts_the_rest():
    many = tuple(Alert(kind="human", reason=str(n), text=f"item {n}") for n in range(13))
    lines = notify.message(config(), many).splitlines()
    assert len(lines) == 11
    assert lines[-1] == "and 3 more"


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (["/nowhere/at-all"], "No such file or directory"),
        (["sh", "-c", "echo it went wrong >&2; exit 3"], "it went wrong"),
        (["false"], "exit 1"),
    ],
)
def test_a_command_that_fails_is_named_with_what_it_said(command, said):
    settings = config().model_copy(update={"notify": Notify(command=tuple(command))})
    with pytest.raises(Problem) as refused:
        notify.send(settings, (Alert(kind="limit", reason="b", text="spent"),))
    assert refused.value.slots["detail"] == said
    assert refused.value.slots["command"] == command[0]


def test_a_server_that_is_not_there_is_named_without_its_address():
    settings = config().model_copy(update={"notify": Notify(url="http://127.0.0.1:9/SECRET")})
    with pytest.raises(Problem) as refused:
        notify.send(settings, (Alert(kind="limit", reason="b", text="spent"),))
    assert refused.value.slots == {"detail": "ConnectError"}


def test_a_tick_that_fails_three_times_is_told_once(tmp_path: Path, heard):
    factory = Factory(tmp_path, settings=f'[notify]\nurl = "{heard.url}"\n')
    text = factory.cells_path.read_text()
    factory.cells_path.write_text(text.replace('"alice/game"]', '"alice/nowhere"]'))
    for count in (0, 0, 1, 1):
        assert factory.tick().code == 1
        assert len(heard.posts) == count
    assert "3 ticks in a row failed" in heard.texts[0]
    status = factory.run("status", "--json")
    assert json.loads(status.stdout)["last_tick"]["failures"] == 4
    factory.cells_path.write_text(text)
    assert factory.tick().code == 0
    assert json.loads(factory.run("status", "--json").stdout)["last_tick"]["failures"] == 0
