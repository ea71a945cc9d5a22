"""Values out of Gitea's JSON: each is there and of its kind, or the answer was not whole. No I/O.

A value that is missing raises Partial: it is never taken for "none" (R21). Gitea itself writes an
empty list as null in many places, so null is an empty list where a list is promised.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, TypeAlias

from agentcells.forge import Partial
from agentcells.model import Account, Label

Node: TypeAlias = Mapping[str, Any]

ACTIONS_ID = -2  # Gitea's own account for its Actions


def partial(what: str, repo: str = "-") -> Partial:
    return Partial("gitea_partial", repo=repo, detail=what)


# ---------------------------------------------------------------- values that must be there


def node(value: object, what: str) -> Node:
    if not isinstance(value, Mapping):
        raise partial(what)
    return value


def rows(value: object, what: str) -> tuple[Node, ...]:
    if value is None:
        return ()
    if not isinstance(value, Sequence) or isinstance(value, str):
        raise partial(what)
    return tuple(node(one, what) for one in value)


def inner_rows(of: Node, name: str) -> tuple[Node, ...]:
    if name not in of:
        raise partial(name)
    return rows(of[name], name)


def number(of: Node, name: str) -> int:
    value = of.get(name)
    if not isinstance(value, int) or isinstance(value, bool):
        raise partial(name)
    return value


def text(of: Node, name: str) -> str:
    value = of.get(name)
    if not isinstance(value, str):
        raise partial(name)
    return value


def time(of: Node, name: str) -> datetime:
    try:
        return _aware(datetime.fromisoformat(text(of, name)))
    except ValueError:
        raise partial(name) from None


def _aware(at: datetime) -> datetime:
    if at.tzinfo is None:
        raise partial("time zone")
    return at


def maybe_time(of: Node, name: str) -> datetime | None:
    return time(of, name) if of.get(name) else None


# ---------------------------------------------------------------- accounts and labels


def account(value: object) -> Account | None:
    """None: a deleted account, which Gitea shows as "Ghost" with an id that nobody has."""
    if value is None:
        return None
    found = node(value, "account")
    account_id = number(found, "id")
    if account_id == ACTIONS_ID:
        return Account(id=str(account_id), login=text(found, "login"), kind="bot")
    if account_id <= 0:
        return None
    return Account(id=str(account_id), login=text(found, "login"))


def author(of: Node) -> Account | None:
    """Who wrote it here. What was migrated names its writer elsewhere: here it is nobody's word."""
    return None if of.get("original_author") else account(of.get("user"))


def label(of: Node) -> Label:
    return Label(id=str(number(of, "id")), name=text(of, "name"))


def labels(of: Node) -> tuple[Label, ...]:
    return tuple(map(label, inner_rows(of, "labels")))


def accounts(of: Node, name: str) -> tuple[Account, ...]:
    found = map(account, inner_rows(of, name))
    return tuple(one for one in found if one is not None)
