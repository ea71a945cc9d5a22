"""What Gitea, or a proxy before it, says when it does not say what we asked for."""

from __future__ import annotations

import re
import traceback
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
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
    connection,
)
from agentcells.forge.gitea import GiteaForge
from agentcells.forge.gitea_errors import Asked, Reply, error_of
from agentcells.forge.gitea_wire import _reply
from agentcells.model import Item, Sha
from agentcells.sentences import SENTENCES, say
from tests.gitea_world import REPO, Story, story
from tests.loopback.github.desk import TokenFile

NEVER = "0123456789neverToBeSeenabcdef"
NOON = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[Story]:
    with story(tmp_path) as found:
        yield found


def sentence(error: ForgeError, language: str = "en") -> str:
    return say(error.key, language, **error.slots)


CLASSES: list[tuple[str, type[ForgeError], str, int, str]] = [
    # trouble, class, key, exit code, a word of the sentence
    ("bad_token", Unauthorized, "gitea_bad_token", 1, "401"),
    ("prohibited", Unauthorized, "gitea_blocked_account", 1, "prohibited"),
    ("must_change", Unauthorized, "gitea_blocked_account", 1, "change your password"),
    ("scope", Forbidden, "gitea_scope", 1, "write:issue"),
    ("scope_old", Forbidden, "gitea_scope", 1, "write:issue, read:issue"),
    ("forbidden", Forbidden, "gitea_forbidden", 1, "read:issue, read access to alice/game"),
    ("forbidden_empty", Forbidden, "gitea_forbidden", 1, "GET /repos/alice/game/issues"),
    ("archived", Forbidden, "gitea_archived", 1, "Unarchive"),
    ("not_found", NotFound, "gitea_not_found", 1, "not found"),
    ("not_found_empty", NotFound, "gitea_not_found", 1, "-"),
    ("no_route", ForgeError, "gitea_no_api", 1, "/api/v1"),
    ("page_404", ForgeError, "gitea_no_api", 1, "404"),
    ("no_method", ForgeError, "gitea_no_api", 1, "405"),
    ("refused_405", ForgeError, "gitea_refused", 1, "405 Not now"),
    ("conflict", Stale, "gitea_stale", 1, "push out of date"),
    ("conflict_empty", Stale, "gitea_stale", 1, "no longer"),
    ("exists", Stale, "gitea_exists", 1, "already exists"),
    ("changed", Stale, "gitea_stale", 1, "already changed"),
    ("precondition", ForgeError, "gitea_refused", 1, "open dependencies"),
    ("too_large", ForgeError, "gitea_refused", 1, "413"),
    ("invalid", ForgeError, "gitea_invalid", 1, "[Title]: Required"),
    ("bad_request", ForgeError, "gitea_refused", 1, "400 user does not"),
    ("too_many", RateLimited, "gitea_rate_limit", 75, "09:01 UTC"),
    ("too_many_120", RateLimited, "gitea_rate_limit", 75, "09:02 UTC"),
    ("timeout_408", Unavailable, "gitea_outage", 75, "408"),
    ("server_error", Unavailable, "gitea_outage", 75, "500"),
    ("bad_gateway", Unavailable, "gitea_outage", 75, "502"),
    ("unavailable", Unavailable, "gitea_outage", 75, "503"),
    ("page", Unavailable, "gitea_no_json", 75, "sign-in page"),
    ("page_403", Unavailable, "gitea_no_json", 75, "403"),
    ("nothing", Unavailable, "gitea_no_json", 75, "200"),
    ("a_word", Partial, "gitea_partial", 1, "not whole"),
    ("elsewhere", ForgeError, "gitea_redirect", 1, "api_url"),
    ("teapot", ForgeError, "gitea_refused", 1, "418 I am a teapot"),
    ("drop", Unavailable, "forge_network", 75, "127.0.0.1"),
]
TROUBLES = [trouble for trouble, *_ in CLASSES]


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Story]:
    """One Gitea with one issue, for the many questions that change nothing."""
    with story(tmp_path_factory.mktemp("gitea")) as found:
        found.issue()
        yield found


@pytest.mark.parametrize(("trouble", "kind", "key", "code", "word"), CLASSES)
def test_every_trouble_has_its_class_and_its_sentence(
    shared: Story, trouble: str, kind: type[ForgeError], key: str, code: int, word: str
) -> None:
    forge = shared.forge()
    forge.viewer()
    for ask in (lambda: forge.read(REPO, 1), lambda: forge.listing(REPO)):
        shared.world.fail(trouble)
        with pytest.raises(ForgeError) as caught:
            ask()
        assert type(caught.value) is kind
        assert (caught.value.key, caught.value.exit_code) == (key, code)
        assert word in sentence(caught.value)
        assert sentence(caught.value, "ja") != sentence(caught.value)


def test_all_sentences_of_this_room_are_there_and_used() -> None:
    forge = Path(__file__).parents[1] / "agentcells" / "forge"
    files = [*forge.glob("gitea*.py"), forge / "connection.py"]
    sources = "\n".join(path.read_text() for path in files)
    used = set(re.findall(r'"((?:gitea|forge)_[a-z_]+)"', sources))
    known = {k for k in SENTENCES if k.startswith("gitea_")}
    modules = {path.stem for path in files}
    assert {key for key in used if key.startswith("gitea_")} - modules == known
    assert used - modules <= set(SENTENCES)


def asked(**more: Any) -> Asked:
    return Asked(**{
        "method": "GET", "path": f"/repos/{REPO}/issues/1", "repo": REPO, "login": "cells",
        "api": "https://git.example/api/v1", "now": NOON, **more,
    })


def reply(status: int, message: str = "", **headers: str) -> Reply:
    named = {name.replace("_", "-"): text for name, text in headers.items()}
    return Reply(status=status, headers=named, body={"message": message}, is_json=True)


# ---------------------------------------------------------------- limits and time-outs


@pytest.mark.parametrize(("headers", "until"), [
    ({}, NOON + timedelta(seconds=60)),
    ({"retry_after": "600"}, NOON + timedelta(seconds=600)),
    ({"retry_after": "0"}, NOON + timedelta(seconds=1)),
    ({"retry_after": "999999"}, NOON + timedelta(days=1)),
    ({"retry_after": "Sunday"}, NOON + timedelta(seconds=60)),
    ({"date": "Sun, 01 Mar 2026 14:00:00 GMT"}, datetime(2026, 3, 1, 14, 1, tzinfo=UTC)),
])
def test_r19_the_time_of_a_limit_is_given_and_never_waited_for(
    headers: dict[str, str], until: datetime
) -> None:
    error = error_of(reply(429, "slow down", **headers), asked())
    assert isinstance(error, RateLimited)
    assert error.slots["until"] == until


def test_an_answer_that_takes_too_long_is_the_weather(
    hub: Story, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "TIMEOUT_S", 0.1)
    hub.world.fail("slow")
    with pytest.raises(Unavailable) as caught:
        hub.forge().viewer()
    assert (caught.value.key, caught.value.exit_code) == ("forge_network", 75)


def test_nobody_listening_is_the_weather(tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text("abcd1234")
    nobody = "http://127.0.0.1:9"
    forge = GiteaForge(
        token=TokenFile(str(file)), api_url=f"{nobody}/api/v1", git_url=nobody
    )
    with pytest.raises(Unavailable) as caught:
        forge.viewer()
    assert (caught.value.key, caught.value.exit_code) == ("forge_network", 75)


def test_what_gitea_says_is_shown_in_one_printable_line() -> None:
    error = error_of(reply(422, "a\x1b[31m\nb\u202e" + "c" * 999), asked())
    assert error is not None
    detail = str(error.slots["detail"])
    assert detail.isprintable()
    assert len(detail) == 300
    body = Reply(status=409, headers={}, body={"message": ["no", "text"]}, is_json=True)
    stale = error_of(body, asked())
    assert stale is not None
    assert stale.slots["detail"] == "-"


def test_a_date_that_is_none_is_no_clock() -> None:
    for text in ("", "yesterday", "Sun, 99 Mar 2026 14:00:00 GMT"):
        assert reply(200, "", date=text).date() is None


def test_a_count_is_believed_only_when_it_is_one() -> None:
    counts = {"": None, "12": 12, "-1": None, "many": None, "9" * 12: None, "٣": None}
    assert {text: reply(200, "", x_total_count=text).total for text in counts} == counts


# ---------------------------------------------------------------- nothing is sent twice


Write = Callable[[GiteaForge, Item], object]
WRITES: dict[str, tuple[Write, str]] = {
    "comment": (lambda forge, item: forge.comment(item, "once"), "POST .*/comments"),
    "issue": (lambda forge, _: forge.create_issue(REPO, "Once", "", (), ()), "POST .*/issues$"),
    "label": (lambda forge, item: forge.add_labels(item, ["bug"]), "POST .*/labels"),
    "pull": (
        lambda forge, _: forge.open_pull(REPO, "agentcells/1", "main", "Once", ""), "POST .*/pulls"
    ),
}


@pytest.mark.parametrize("trouble", ["bad_gateway", "drop", "too_many", "page", "conflict"])
@pytest.mark.parametrize("name", WRITES)
def test_r18_a_write_is_never_sent_twice(hub: Story, name: str, trouble: str) -> None:
    """The answer is lost although the effect is there: only a look can tell."""
    hub.cells.push(REPO, "agentcells/1", {"ball.txt": "bounce\n"})
    number = hub.issue()
    forge = hub.forge()
    item = hub.read(number, forge)
    write, match = WRITES[name]
    hub.world.fail(trouble, match=match, after=True)
    with pytest.raises(ForgeError):
        write(forge, item)
    assert sum(bool(re.match(match, sent)) for sent in hub.world.requests) == 1
    now = hub.world.item(REPO, number)
    count = {
        "comment": len(now["comments"]), "label": len(now["labels"]),
        "issue": len(hub.world.numbers(REPO)) - 1, "pull": len(hub.world.numbers(REPO)) - 1,
    }
    assert count[name] == 1


def test_r3_a_refused_second_label_leaves_the_first(hub: Story) -> None:
    number = hub.issue()
    forge = hub.forge()
    item = hub.read(number, forge)
    hub.world.fail("forbidden", match="POST .*/labels", at=2)
    with pytest.raises(Forbidden):
        forge.add_labels(item, ["ac:implement", "ac:working"])
    assert hub.world.item(REPO, number)["labels"] == ["ac:implement"]


# ---------------------------------------------------------------- "not found" is Gitea's word alone


@pytest.mark.parametrize("trouble", ["page_404", "no_route"])
def test_r21_the_page_of_a_proxy_is_never_gone(shared: Story, trouble: str) -> None:
    forge = shared.forge()
    item = shared.read(1, forge)
    asks: list[Callable[[], object]] = [
        lambda: forge.read(REPO, 1),
        lambda: forge.branch(REPO, "main"),
        lambda: forge.branches(REPO, "agentcells/"),
        lambda: forge.delete_branch(REPO, "agentcells/9"),
        lambda: forge.pull_by_head(REPO, "agentcells/9"),
        lambda: forge.account("bob"),
        lambda: forge.edit_comment(item, "1", "x"),
    ]
    for ask in asks:
        shared.world.fail(trouble)
        with pytest.raises(ForgeError) as caught:
            ask()
        assert not isinstance(caught.value, NotFound)


def test_r21_dependencies_that_a_proxy_swallows_are_not_none(shared: Story) -> None:
    shared.world.fail("page_404", match="dependencies")
    with pytest.raises(ForgeError):
        shared.read(1)


@pytest.mark.parametrize("name", ["alice/secret", "alice/nothing"])
def test_an_unknown_repository_and_a_hidden_one_look_the_same(hub: Story, name: str) -> None:
    hub.world.repository("alice/secret", private=True, files={"a": "a"})
    forge = hub.forge()
    forge.viewer()
    asks: list[Callable[[], object]] = [
        lambda: forge.listing(name), lambda: forge.read(name, 1), lambda: forge.repository(name),
        lambda: forge.branch(name, "main"), lambda: forge.delete_branch(name, "x"),
    ]
    for ask in asks:
        with pytest.raises(NotFound) as caught:
            ask()
        assert caught.value.key == "gitea_no_repository"
        assert name in sentence(caught.value)
        assert "cells" in sentence(caught.value)


def test_a_renamed_repository_says_its_new_name(hub: Story) -> None:
    hub.world.rename_repository(REPO, "alice/world")
    for ask in (hub.forge().listing, hub.forge().repository, hub.forge().labels):
        with pytest.raises(Stale) as caught:
            ask(REPO)
        assert caught.value.key == "gitea_renamed"
        assert "alice/world" in sentence(caught.value)


@pytest.mark.parametrize(("place", "key"), [
    ("https://git.example/api/v1/repos/alice/other/issues/1", "gitea_renamed"),
    ("/api/v1/repos/alice/other/issues/1", "gitea_renamed"),
    ("https://elsewhere.example/api/v1/repos/alice/other", "gitea_redirect"),
    ("/user/login", "gitea_redirect"),
    ("", "gitea_redirect"),
])
def test_a_redirection_is_followed_nowhere(place: str, key: str) -> None:
    error = error_of(Reply(status=307, headers={"location": place}, empty=True), asked())
    assert error is not None
    assert error.key == key


# ---------------------------------------------------------------- who may what


@pytest.mark.parametrize(("scopes", "named"), [
    (["read:user", "write:repository"], "read:issue"),
    (["read:user", "read:issue"], "read:repository"),
    (["write:issue", "write:repository"], "read:user"),
])
def test_a_missing_scope_is_named(hub: Story, scopes: list[str], named: str) -> None:
    number = hub.pull()
    with pytest.raises(Forbidden) as caught:
        hub.read(number, hub.forge(token=hub.world.token("cells", scopes)))
    assert caught.value.slots["permission"] == named
    assert "write:repository" in sentence(caught.value)


def test_a_token_that_only_reads_says_what_writing_needs(hub: Story) -> None:
    token = hub.world.token("cells", ["read:user", "read:issue", "read:repository"])
    forge = hub.forge(token=token)
    item = hub.read(hub.issue(), forge)
    with pytest.raises(Forbidden) as caught:
        forge.comment(item, "hello")
    assert caught.value.slots["permission"] == "write:issue"


def test_an_outsider_may_comment_but_not_label_nor_edit(hub: Story) -> None:
    item = hub.read(hub.issue())
    ours = hub.forge().comment(item, "ours")
    bob = hub.forge("bob")
    bob.viewer()
    assert bob.comment(item, "Me too").body == "Me too"
    writes: list[Callable[[], object]] = [
        lambda: bob.add_labels(item, ["ac:implement"]), lambda: bob.remove_labels(item, ["bug"]),
        lambda: bob.edit_comment(item, ours.id, "mine"), lambda: bob.close(item),
        lambda: bob.delete_branch(REPO, "main"), lambda: bob.assign(item, [bob.viewer()]),
    ]
    for write in writes:
        with pytest.raises(Forbidden) as caught:
            write()
        assert caught.value.slots["permission"]
        assert "bob" in sentence(caught.value)


def test_labels_that_were_left_out_without_a_word_are_told(hub: Story) -> None:
    bob = hub.forge("bob")
    with pytest.raises(Forbidden) as caught:
        bob.create_issue(REPO, "T", "", ["bug"], [bob.viewer()])
    assert caught.value.key == "gitea_left_out"
    assert "#1 was filed" in sentence(caught.value)


def test_an_archived_repository_refuses_and_says_why(hub: Story) -> None:
    item = hub.read(hub.issue())
    hub.world.archive(REPO)
    assert hub.forge().repository(REPO).archived
    with pytest.raises(Forbidden) as caught:
        hub.forge().comment(item, "hello")
    assert caught.value.key == "gitea_archived"


def test_the_default_branch_is_not_deleted(hub: Story) -> None:
    with pytest.raises(Forbidden) as caught:
        hub.forge().delete_branch(REPO, "main")
    assert "default branch" in sentence(caught.value)


def test_who_has_no_access_cannot_be_assigned(hub: Story) -> None:
    forge = hub.forge()
    item = hub.read(hub.issue(), forge)
    with pytest.raises(ForgeError) as caught:
        forge.assign(item, [forge.account("bob")])
    assert caught.value.key == "gitea_invalid"
    assert "access" in sentence(caught.value)


# ---------------------------------------------------------------- a merge that is refused


def _moved(hub: Story, number: int) -> None:
    hub.bob.push(REPO, "agentcells/1", {"more.txt": "more\n"})


MERGES: dict[str, tuple[Callable[[Story, int], object], type[ForgeError], str, str]] = {
    "moved": (_moved, Stale, "gitea_stale", "head out of date"),
    "conflict": (
        lambda hub, _: hub.alice.push(REPO, "main", {"ball.txt": "other\n"}),
        Stale, "gitea_merge_wait", "try again later",
    ),
    "checking": (
        lambda hub, n: hub.world.still_checking(REPO, n, 9), Stale, "gitea_merge_wait", "later",
    ),
    "draft": (
        lambda hub, n: hub.alice.rename(REPO, n, "WIP: Bounce"), Stale, "gitea_merge_wait", "draft",
    ),
    "merged": (lambda hub, n: hub.alice.merge(REPO, n), Stale, "gitea_not_open", "merged"),
    "closed": (lambda hub, n: hub.alice.close(REPO, n), Stale, "gitea_not_open", "closed"),
    "protected": (
        lambda hub, _: hub.world.protect(REPO, "Does not have enough approvals"),
        ForgeError, "gitea_merge_refused", "enough approvals",
    ),
    "no right": (
        lambda hub, _: hub.world.set_role(REPO, "cells", "read"),
        Forbidden, "gitea_forbidden", "merging into the base branch of alice/game",
    ),
    "down": (
        lambda hub, _: hub.world.fail("bad_gateway", match="POST .*/merge"),
        Unavailable, "gitea_outage", "502",
    ),
    "gone": (
        lambda hub, _: hub.world.fail("not_found", match="POST .*/merge"),
        NotFound, "gitea_not_found", "not found",
    ),
}


@pytest.mark.parametrize("name", MERGES)
def test_r18_a_refused_merge_says_why_and_merges_nothing(hub: Story, name: str) -> None:
    number = hub.pull(files={"ball.txt": "bounce\n"})
    forge = hub.forge()
    item = hub.read(number, forge)
    assert item.pull is not None
    prepare, kind, key, word = MERGES[name]
    prepare(hub, number)
    tip = hub.world.tips(REPO)["main"]
    with pytest.raises(ForgeError) as caught:
        forge.merge(item, item.pull.head_sha)
    assert (type(caught.value), caught.value.key) == (kind, key)
    assert word in sentence(caught.value)
    assert hub.world.tips(REPO)["main"] == tip


@pytest.mark.parametrize("style", ["merge", "squash"])
def test_a_merge_goes_by_the_style_of_the_repository(hub: Story, style: str) -> None:
    hub.world.merge_style(REPO, style)
    forge = hub.forge()
    item = hub.read(hub.pull(), forge)
    assert item.pull is not None
    assert forge.merge(item, item.pull.head_sha) == Sha(hub.world.tips(REPO)["main"])


def test_closing_what_was_merged_meanwhile_is_no_error(hub: Story) -> None:
    forge = hub.forge()
    item = hub.read(hub.pull(), forge)
    hub.alice.merge(REPO, item.number)
    forge.close(item)
    assert hub.read(item.number).state == "merged"


def test_an_issue_that_waits_for_another_is_not_closed(hub: Story) -> None:
    first, second = hub.issue(), hub.issue()
    hub.alice.block(REPO, second, by=first)
    forge = hub.forge()
    with pytest.raises(ForgeError) as caught:
        forge.close(hub.read(second, forge))
    assert "open dependencies" in sentence(caught.value)


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
    for trouble in ("bad_gateway", "drop", "page", "bad_token"):
        hub.world.fail(trouble)
        with pytest.raises(ForgeError) as caught:
            forge.labels(REPO)
        told = traceback.TracebackException.from_exception(caught.value, capture_locals=True)
        seen += [*told.format(), repr(caught.value), str(caught.value.slots)]
    assert any("    self = Wire(" in text for text in seen)
    assert not any(NEVER in text for text in [*seen, caplog.text])
    assert forge.sent[0].operation == "GET /user"


def test_no_token_goes_over_plain_http_to_another_machine() -> None:
    def made(url: str) -> GiteaForge:
        return GiteaForge(token=TokenFile("/nowhere"), api_url=url, git_url="")

    with pytest.raises(ForgeError) as caught:
        made("http://git.example/api/v1")
    assert (caught.value.key, caught.value.exit_code) == ("forge_insecure", 2)
    for fine in ("http://127.0.0.1:1/api/v1", "http://localhost/api/v1", "https://x/api/v1"):
        assert made(fine).sent == ()


def test_an_answer_of_brackets_and_odd_dates_is_no_bug() -> None:
    deep = _reply(httpx.Response(200, content=b"[" * 100_000, headers={"date": "Fri, 31 Dec 9999 23:59:59 -1200"}))
    assert (deep.is_json, deep.date()) == (False, None)
