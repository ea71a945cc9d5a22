"""What GitHub says when it does not say what we asked for, and what the forge makes of it."""

from __future__ import annotations

import re
import traceback
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from agentcells.forge import (
    Forbidden,
    ForgeError,
    NotFound,
    Partial,
    RateLimited,
    Stale,
    Unauthorized,
    Unavailable,
    github_wire,
)
from agentcells.forge.github import GitHubForge
from agentcells.forge.github_errors import Asked, Reply, error_of
from agentcells.forge.github_parse import time
from agentcells.forge.github_whole import READ
from agentcells.sentences import SENTENCES, say
from tests.github_world import FINE, REPO, Story, story
from tests.loopback.github.desk import TokenFile

NEVER = "ghp_neverToBeSeen0123456789"
NOON = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[Story]:
    with story(tmp_path) as found:
        yield found


def sentence(error: ForgeError, language: str = "en") -> str:
    return say(error.key, language, **error.slots)


CLASSES: list[tuple[str, type[ForgeError], str, int, str]] = [
    # trouble, class, key, exit code, a word of the sentence
    ("bad_credentials", Unauthorized, "github_bad_token", 1, "401"),
    ("suspended", Unauthorized, "github_suspended", 1, "suspended"),
    ("rate_limited", RateLimited, "github_rate_limit", 75, "2026-03-01 10:00 UTC"),
    ("rate_limit_without_data", RateLimited, "github_rate_limit", 75, "10:00 UTC"),
    ("rate_limited_403", RateLimited, "github_rate_limit", 75, "10:00 UTC"),
    ("secondary_403", RateLimited, "github_secondary_limit", 75, "09:02 UTC"),
    ("secondary_200", RateLimited, "github_secondary_limit", 75, "09:01 UTC"),
    ("secondary_429", RateLimited, "github_secondary_limit", 75, "09:01 UTC"),
    ("abuse", RateLimited, "github_secondary_limit", 75, "09:01 UTC"),
    ("too_fast", RateLimited, "github_secondary_limit", 75, "09:01 UTC"),
    ("saml", Forbidden, "github_saml", 1, "https://github.com/orgs/acme/sso"),
    ("ip_list", Forbidden, "github_ip_list", 1, "IP"),
    ("scopes", Forbidden, "github_scopes", 1, "public_repo, repo"),
    ("forbidden", Forbidden, "github_forbidden", 1, "Issues: read; Pull requests: read"),
    ("forbidden_403", Forbidden, "github_forbidden", 1, "issues: write"),
    ("bad_gateway", Unavailable, "github_outage", 75, "502"),
    ("unavailable", Unavailable, "github_outage", 75, "503"),
    ("gateway_timeout", Unavailable, "github_outage", 75, "504"),
    ("timeout_200", Unavailable, "github_outage", 75, "8F2E:1C3A"),
    ("timeout_502", Unavailable, "github_outage", 75, "8F2E:1C3A"),
    ("internal", Unavailable, "github_outage", 75, "Internal"),
    ("not_json", Unavailable, "github_no_json", 75, "sign-in page"),
    ("drop", Unavailable, "github_network", 75, "127.0.0.1"),
    ("resource_limits", Partial, "github_too_large", 1, "Resource limits"),
    ("max_nodes", Partial, "github_too_large", 1, "600,000"),
    ("no_data", Partial, "github_partial", 1, "not whole"),
    ("unheard_of", Partial, "github_partial", 1, "Teapot"),
    ("stale_data", Stale, "github_stale", 1, "Expected branch"),
    ("redirect", ForgeError, "github_redirect", 1, "api_url"),
    ("no_api", NotFound, "github_no_api", 1, "/graphql"),
    ("bad_request", ForgeError, "github_refused", 1, "Problems parsing JSON"),
    ("old_schema", ForgeError, "github_old_schema", 1, "closedByPullRequestsReferences"),
]


@pytest.mark.parametrize(("trouble", "kind", "key", "code", "word"), CLASSES)
def test_every_trouble_has_its_class_and_its_sentence(
    hub: Story, trouble: str, kind: type[ForgeError], key: str, code: int, word: str
) -> None:
    number = hub.issue()
    forge = hub.forge()
    forge.viewer()
    hub.world.fail(trouble, times=2)
    with pytest.raises(ForgeError) as caught:
        forge.read(REPO, number)
    assert type(caught.value) is kind
    assert (caught.value.key, caught.value.exit_code) == (key, code)
    assert word in sentence(caught.value)
    assert sentence(caught.value, "ja") != sentence(caught.value)


@pytest.mark.parametrize("trouble", [trouble for trouble, *_ in CLASSES])
def test_what_goes_through_a_proxy_says_the_same(
    hub: Story, trouble: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It goes by httpx and gql, which know of proxies."""
    monkeypatch.setattr(github_wire, "usable", lambda loopback: False)
    forge = hub.forge()
    hub.world.fail(trouble, times=2)
    with pytest.raises(ForgeError) as caught:
        forge.listing(REPO)
    assert caught.value.key == next(key for name, _, key, _, _ in CLASSES if name == trouble)


def test_a_proxy_changes_nothing_of_what_is_written(hub: Story, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(github_wire, "usable", lambda loopback: False)
    forge = hub.forge()
    item = hub.read(hub.issue(), forge)
    forge.create_label(REPO, "ac:review", "00ff00", "")
    said = forge.comment(item, "Through the proxy.")
    forge.add_labels(item, ["ac:review"])
    read = hub.read(item.number, forge)
    assert [(one.id, one.body) for one in read.comments] == [(said.id, "Through the proxy.")]
    assert "ac:review" in {label.name for label in read.labels}
    assert "_client" in forge._wire.__dict__
    assert "_plain" not in forge._wire.__dict__


def test_all_sentences_of_this_room_are_there_and_used() -> None:
    forge = Path(__file__).parents[1] / "agentcells" / "forge"
    sources = "\n".join(
        path.read_text() for path in [*forge.glob("github*.py"), forge / "token.py"]
    )
    used = set(re.findall(r'"((?:github|forge_token)_[a-z_]+)"', sources))
    known = {k for k in SENTENCES if k.startswith(("github_", "forge_token_"))}
    modules = {path.stem for path in forge.glob("github*.py")}
    assert used - modules == known


# ---------------------------------------------------------------- limits: the time is the answer


def test_r19_the_forge_never_waits_for_a_limit(hub: Story) -> None:
    forge = hub.forge()
    forge.viewer()
    hub.world.fail("secondary_403")
    with pytest.raises(RateLimited) as caught:
        forge.labels(REPO)
    assert caught.value.slots["until"] == datetime(2026, 3, 1, 9, 2, tzinfo=UTC)
    assert sum(sent.seconds for sent in forge.sent) < 5


def test_the_hours_points_run_out_and_come_back(hub: Story) -> None:
    token = hub.world.token("cells", limit=3)
    forge = hub.forge(token=token)
    forge.viewer()
    for _ in range(2):
        forge.account("alice")
    with pytest.raises(RateLimited) as caught:
        forge.account("alice")
    assert caught.value.slots["until"] == datetime(2026, 3, 1, 10, 0, tzinfo=UTC)
    hub.world.advance(3600)
    assert forge.account("alice").login == "alice"


def asked(**more: Any) -> Asked:
    return Asked(**{
        "document": READ, "where": REPO, "login": "cells", "api": "https://api/graphql",
        "now": NOON, **more,
    })


def reply(status: int, body: dict[str, Any] | None, **headers: str) -> Reply:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Reply(status=status, headers=named, body=body)


@pytest.mark.parametrize(("headers", "until"), [
    ({"x_ratelimit_remaining": "0", "x_ratelimit_reset": "1772370000"},
     datetime(2026, 3, 1, 13, 0, tzinfo=UTC)),
    ({"x_ratelimit_remaining": "0", "x_ratelimit_reset": "soon"}, NOON + timedelta(hours=1)),
    ({"x_ratelimit_remaining": "0", "date": "Sun, 01 Mar 2026 14:00:00 GMT"},
     datetime(2026, 3, 1, 15, 0, tzinfo=UTC)),
    ({"retry_after": "600"}, NOON + timedelta(seconds=600)),
    ({"retry_after": "1"}, NOON + timedelta(seconds=60)),
    ({"retry_after": "Sunday"}, NOON + timedelta(seconds=60)),
])
def test_the_time_of_a_limit_is_read_from_whatever_github_gives(
    headers: dict[str, str], until: datetime
) -> None:
    error = error_of(reply(429, {"message": "slow down"}, **headers), asked())
    assert isinstance(error, RateLimited)
    assert error.slots["until"] == until


def test_a_whole_answer_is_no_error() -> None:
    assert error_of(reply(200, {"data": {"viewer": {}}}), asked()) is None


def test_an_answer_that_is_no_object_is_no_answer() -> None:
    bodies: list[dict[str, Any] | None] = [
        None, {}, {"data": []}, {"data": {}, "errors": [{"message": "x"}]},
    ]
    for body in bodies:
        assert error_of(reply(200, body), asked()) is not None
    assert error_of(reply(200, {"data": {}, "errors": "none"}), asked()) is None


def test_what_github_says_is_shown_in_one_printable_line() -> None:
    body = {"data": None, "errors": [{"message": "a\x1b[31m\nb\u202e" + "c" * 999}]}
    error = error_of(reply(200, body), asked())
    assert error is not None
    detail = str(error.slots["detail"])
    assert detail.isprintable()
    assert len(detail) == 300


# ---------------------------------------------------------------- asking again


@pytest.mark.parametrize(
    "trouble", ["bad_gateway", "gateway_timeout", "timeout_200", "resource_limits"]
)
def test_a_query_is_asked_once_more_in_smaller_pages(hub: Story, trouble: str) -> None:
    number = hub.issue()
    for n in range(70):
        hub.bob.comment(REPO, number, f"{n}")
    forge = hub.forge()
    forge.viewer()
    hub.world.fail(trouble)
    item = hub.read(number, forge)
    assert [c.body for c in item.comments] == [str(n) for n in range(70)]
    pages = [r.variables.get("page") for r in hub.world.engine.requests[1:]]
    assert pages == [50, None]


def test_a_query_is_asked_no_third_time(hub: Story) -> None:
    forge = hub.forge()
    hub.world.fail("bad_gateway", times=9)
    with pytest.raises(Unavailable):
        forge.viewer()
    assert len(forge.sent) == 2


@pytest.mark.parametrize("trouble", ["bad_gateway", "timeout_200", "drop", "resource_limits"])
def test_r18_a_comment_is_never_sent_twice(hub: Story, trouble: str) -> None:
    """The answer is lost although the comment stands: only a look can tell."""
    number = hub.issue()
    forge = hub.forge()
    item = hub.read(number, forge)
    hub.world.fail(trouble, operation="AddComment", after=True)
    with pytest.raises(ForgeError):
        forge.comment(item, "once")
    assert [c.body for c in hub.read(number).comments] == ["once"]


def test_r18_a_refused_first_step_leaves_the_second_to_the_caller(hub: Story) -> None:
    number = hub.issue()
    hub.alice.label(REPO, number, "ac:triage")
    forge = hub.forge()
    item = hub.read(number, forge)
    forge.labels(REPO)
    hub.world.fail("forbidden", operation="AddLabels")
    with pytest.raises(Forbidden):
        forge.add_labels(item, ["ac:implement"])
    assert {label.name for label in hub.read(number).labels} == {"ac:triage"}


# ---------------------------------------------------------------- who may what


def test_an_unknown_repository_and_a_hidden_one_look_the_same(hub: Story) -> None:
    hub.world.repository("alice/secret", private=True, files={"a": "a"})
    for name in ("alice/secret", "alice/nothing"):
        with pytest.raises(NotFound) as caught:
            hub.forge().listing(name)
        assert caught.value.key == "github_no_repository"
        assert name in sentence(caught.value)


def test_the_account_of_the_token_is_named_once_it_is_known(hub: Story) -> None:
    forge = hub.forge()
    forge.viewer()
    with pytest.raises(NotFound) as caught:
        forge.listing("alice/nothing")
    assert "cells" in sentence(caught.value)


def test_saml_of_an_organization_is_told_with_a_place_to_go(hub: Story) -> None:
    token = hub.world.token("cells", without_sso=["alice"])
    with pytest.raises(Forbidden) as caught:
        hub.forge(token=token).repository(REPO)
    assert caught.value.key == "github_saml"
    assert "https://github.com/settings/tokens" in sentence(caught.value)


@pytest.mark.parametrize(("missing", "named"), [
    ("issues", "Issues: read"),
    ("statuses", "Commit statuses: read"),
])
def test_a_missing_permission_is_named(hub: Story, missing: str, named: str) -> None:
    number = hub.issue() if missing == "issues" else hub.pull()
    permissions = {**FINE, missing: "none"}
    forge = hub.forge(token=hub.world.token("cells", "fine", permissions=permissions))
    with pytest.raises(Forbidden) as caught:
        forge.read(REPO, number)
    assert named in str(caught.value.slots["permission"])


def test_an_app_needs_both_permissions_for_a_label_on_a_pull_request(hub: Story) -> None:
    hub.world.account("robot", "Bot")
    permissions = {**FINE, "checks": "read", "issues": "read"}
    token = hub.world.token("robot", "app", permissions=permissions, repos=[REPO])
    forge = hub.forge(token=token)
    with pytest.raises(Forbidden) as caught:
        forge.add_labels(forge.read(REPO, hub.pull()), ["bug"])
    assert caught.value.slots["permission"] == (
        "Issues: read and write; Pull requests: read and write"
    )


def test_a_classic_token_without_its_scope_is_told_which(hub: Story) -> None:
    number = hub.issue()
    forge = hub.forge(token=hub.world.token("cells", scopes=["read:user"]))
    with pytest.raises(Forbidden) as caught:
        forge.comment(forge.read(REPO, number), "hello")
    assert caught.value.slots["permission"] == "public_repo, repo"


def test_an_outsider_may_comment_but_not_label(hub: Story) -> None:
    item = hub.read(hub.issue())
    bob = hub.forge("bob")
    assert bob.comment(item, "Me too").body == "Me too"
    with pytest.raises(Forbidden):
        bob.add_labels(item, ["ac:implement"])


def test_an_archived_repository_refuses_and_says_why(hub: Story) -> None:
    item = hub.read(hub.issue())
    hub.world.archive(REPO)
    assert hub.forge().repository(REPO).archived
    with pytest.raises(Forbidden) as caught:
        hub.forge().comment(item, "hello")
    assert caught.value.key == "github_archived"


def test_who_cannot_be_assigned_is_named(hub: Story) -> None:
    forge = hub.forge()
    item = hub.read(hub.issue(), forge)
    with pytest.raises(Forbidden) as caught:
        forge.assign(item, [forge.account("alice"), forge.account("bob")])
    assert caught.value.key == "github_not_assignable"
    assert caught.value.slots["login"] == "bob"


# ---------------------------------------------------------------- the token


def test_a_revoked_token_reads_nothing(hub: Story) -> None:
    token = hub.world.token("cells")
    hub.world.revoke(token)
    with pytest.raises(Unauthorized):
        hub.forge(token=token).viewer()


def test_the_token_is_in_no_repr_log_or_traceback(
    hub: Story, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG")
    hub.world.token("cells", value=NEVER)
    forge = hub.forge(token=NEVER)
    seen = [repr(forge), repr(forge.viewer()), repr(forge.remote(REPO)), str(forge.__dict__)]
    for trouble in ("bad_gateway", "drop", "not_json", "bad_credentials"):
        hub.world.fail(trouble, times=2)
        try:
            forge.labels(REPO)
        except ForgeError as error:
            told = traceback.TracebackException.from_exception(error, capture_locals=True)
            seen += [*told.format(), repr(error), str(error.slots)]
    assert any("    self = Wire(" in text for text in seen)
    assert not any(NEVER in text for text in [*seen, caplog.text])


def test_the_wire_speaks_no_plain_http_to_other_machines() -> None:
    with pytest.raises(ForgeError) as caught:
        GitHubForge(token=TokenFile("/nowhere"), api_url="http://api.github.com/graphql")
    assert (caught.value.key, caught.value.exit_code) == ("github_insecure", 2)
    for fine in ("http://127.0.0.1:1/graphql", "http://localhost/graphql", "https://x/graphql"):
        assert GitHubForge(token=TokenFile("/nowhere"), api_url=fine).sent == ()


def test_nobody_listening_is_the_weather(tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text("ghp_x123")
    forge = GitHubForge(token=TokenFile(str(file)), api_url="http://127.0.0.1:9/graphql")
    with pytest.raises(Unavailable) as caught:
        forge.viewer()
    assert (caught.value.key, caught.value.exit_code) == ("github_network", 75)


def test_an_answer_of_brackets_digits_and_odd_dates_is_no_bug(hub: Story) -> None:
    assert github_wire._reply(200, {}, b"[" * 100_000).body is None
    assert Reply(status=200, headers={"date": "Fri, 31 Dec 9999 23:59:59 -1200"}, body={}).date() is None
    with pytest.raises(Partial):
        time("yesterday")
    forge = hub.forge()
    for left, remaining in (("12", 12), ("9" * 5_000, None), ("\u00b2", None)):
        reply = Reply(status=200, headers={"x-ratelimit-remaining": left}, body={})
        forge._wire._note(READ, reply, 0.1)
        assert forge.sent[-1].remaining == remaining
