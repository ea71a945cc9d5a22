"""Puts an answer into the thread of a remark, once; a thread that takes none is no trouble of the run."""

from __future__ import annotations

from dataclasses import replace

from agentcells.comments import below, whole
from agentcells.forge import Forge, ForgeError, NotFound
from agentcells.model import Account, Item
from agentcells.plan import ReplyInThread
from agentcells.voices import our_marker

UNABLE = "gitea_no_replies"  # an older Gitea: the comment on the pull request has to do


def answer_in_thread(
    forge: Forge, viewer: Account, key: bytes, action: ReplyInThread, item: Item | None = None
) -> ForgeError | None:
    """None: it stands there. Else why this thread cannot be answered, now or ever.

    `item`: the pull request, where it was read just now.
    """
    item = item or forge.read(action.repo, action.number)
    for line in item.comments:
        made = our_marker(line, viewer, key) if line.thread_id == action.thread else None
        if made is not None and replace(made, mac="") == replace(action.marker, mac=""):
            return None
    try:
        forge.reply(item, action.thread, whole(action.marker, below(action.body), key)[1])
    except ForgeError as error:
        if not isinstance(error, NotFound) and error.key != UNABLE:
            raise
        return error
    return None
