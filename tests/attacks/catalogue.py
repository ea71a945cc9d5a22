"""The catalogue of attacks: every row that must hold, who tries it and what is required."""


from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Row:
    id: str
    attack: str
    required: str


GROUPS = {
    "A": "Who may start a run",
    "B": "What a model is told and answers",
    "C": "What lies in the workspace",
    "D": "What a push may hold",
    "E": "What is left running",
    "F": "The forge's token",
    "G": "The sandboxes",
    "H": "What is written for people",
    "I": "A forge that fails",
    "J": "A machine that fails",
}

_TEXT = """
A01 | An issue is assigned to the owner, but a collaborator set the label | nothing runs, nothing is written
A02 | The owner set the label; a collaborator took it off and set it again | nothing runs: the last event decides
A03 | The owner's label, but somebody else or nobody is assigned | nothing runs; with the owner among several assignees it does
A04 | A label set by a bot, by another spelling of the owner's login, by an account that took over his old login | accounts are compared by id: nothing runs
A05 | Labels that look like ours: other letters, full width, zero-width characters, other case | only the exact label counts
A07 | Our label is deleted and made again under the same name | nothing runs; one line says why
A08 | An issue is transferred in with the owner's old label event | nothing runs until he labels it afterwards
A09 | Label or assignee is taken off between the start and the push | nothing of the result is written
A11 | The token belongs to neither owner nor bot | all is refused before anything is read
A12 | A comment of the owner's that a collaborator edited | it is reference, never an instruction
A14 | Words of a deleted account, a bot, an organization | reference only
A15 | The rounds are used up; then a stranger, a bot, we ourselves, an edit of an old comment | it stays stopped; the owner's new word gives the rounds afresh, once
A17 | A pull request from a fork, or a branch that we did not make | no run on a fork; nothing is ever pushed to the owner's own branch
A18 | The text is edited after the label, also back again, also its title | nothing runs; an equal time counts as after
B01 | Hidden text: HTML comments, folded parts, titles of links and images | made visible, and inside the reference block
B02 | Invisible characters: tags, variation selectors, zero width, bidirectional, fillers | none is left
B03 | A comment that imitates our delimiter, the owner or the system | the block cannot be closed from inside
B04 | A hundred long comments, a page of 10 MB, deep nesting | bounded; the oldest reference goes first; instructions are never cut
B05 | NUL, lone surrogates, bare carriage returns | replaced, no crash
B06 | Answers outside the schema: unknown next, wrong case, extra keys, an error that says success | a failure, and nothing else is written
B07 | A good answer of an agent that failed, was killed or ran out of time | a failure
B09 | The repository and the home hold settings with hooks, MCP servers, instructions for the agent | none is run or read as a setting
C01 | `.git` is a file that leads to a repository with every hook | nothing of it runs; it is refused
C02 | `.git` is a folder, or a link to another repository | nothing of it runs; it is refused
C03 | Attributes that ask for filters, drivers and encodings | nothing runs; bytes stay as they are
C05 | A repository below, also a bare one | refused; no submodule comes of it
C06 | New links, links turned elsewhere, instead of a folder, in a loop | refused; the target is never read
C07 | Hard links | refused
C08 | Pipes, sockets, devices, closed, endless, too many and too deep files | refused quickly, in little memory
C09 | Names that are options, patterns, other systems' `.git`, or no text | stored as they are or refused
C10 | Ignore rules of the agent that hide its edits | everything is seen
C11 | Replaced objects, grafts, alternates | what was looked at is what is pushed
C12 | Executable bits, line ends and encodings by attributes | the bytes looked at are the bytes pushed; modes are told
C13 | A large-file server of the agent's choice | it is never asked
C14 | Titles and texts that would be branch names, options, refspecs | the branch is made of the issue's number
C15 | Writing outside: other folders, our own code, the state | refused by the sandbox
C16 | Folders within each other beyond what a path can say, in workspace, home and temporary files | tidied away like all else; the line goes on
C17 | Files that cost nothing to make and hours to read: holes, many names of one file, names by the million | refused by size and number, unread
D01 | Protected paths: new, changed, removed, renamed, in another spelling | nothing is pushed
D02 | Actions, update bots, code owners | blocked or named in the pull request
D03 | Hooks, editors, containers, attributes, instructions for agents | blocked or named in the pull request
D04 | Manifests, lock files, build and test settings | named in the pull request
D05 | Secrets of every kind in content, path, message, title, comment | nothing is written anywhere
D07 | Comments and files that tell scanners to look away | still blocked
D08 | Attributes and NUL bytes that hide content | still found
D10 | A secret that the base has already | not blocked
D11 | The branch moved, was deleted, the base was rewritten meanwhile | never by force; told
D12 | The forge refuses the push | no pull request, no label; its words are shown, harmless
D13 | Nothing changed | no push, no pull request
E01 | Background, other sessions, double fork, nohup | ended before anything is published
E02 | No environment, another name, a deleted program, another folder | ended before anything is published
E03 | Ignores TERM, stopped, respawning, forking without end | ended within a bounded time
E05 | Asking others to start something: systemd, at, cron, tmux, ssh, docker | out of reach
E07 | The owner's own processes, also an agent of his | left alone
E08 | Something that goes on writing into the workspace | what is taken in stands still
F01 | Looking at every process while git pushes | the token is in no argument and no environment
F02 | Planted git settings and environment that redirect a push | only the forge gets the token
F03 | A forge that refuses, redirects, asks again or never answers | the token follows nothing; no question; a deadline
F04 | Errors, traces and debugging | the token is in none of them
G01 | Reading keys, homes, the state, other repositories, other processes | not there
G02 | Writing outside; reaching the forge, metadata services, loopback, DNS | refused
G03 | No bubblewrap, no namespaces | no run, and the reason with the remedy
G04 | The project's tests and builds do the same | the same limits, and no credential at all
G05 | Abuse of the door: odd arguments, a program of its name, other commands behind it | no effect outside
G06 | Modules in the workspace with the names of ours and of the library | never imported
G07 | At the door: lists within lists, words that are none, thousands of calls that leave at once | an answer or none; the run goes on, in bounded memory
G08 | At the proxy: two lengths, chunks, lines that go on, other hosts, hundreds of connections, noise without end | one request, of one length; all else is refused; bounded
G09 | Links where setup leaves what is kept | never followed, nothing outside is copied or given away
H01 | Mentions, closing words, commands of bots, images, HTML in a model's words | none is active
H02 | Messages of records that close, credit, skip, overflow | harmless and bounded
H03 | Escape sequences in output, in git's messages, in logs | escaped everywhere
I01 | An answer of 200 with errors and nulls | that item is left alone
I02 | More than a page of labels, comments, events; a page that fails | all pages or none
I03 | Limits, 5xx, answers cut off | no write is doubled; later
I05 | The repository was renamed or moved | refused until the owner looks
J01 | kill -9 at any point of publishing and tidying | one branch, one pull request, one comment, one state
"""

ROWS: dict[str, Row] = {
    row.id: row
    for row in (Row(*(part.strip() for part in line.split("|"))) for line in _TEXT.strip().splitlines())
}
