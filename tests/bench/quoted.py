"""What the READMEs quote of docs/benchmarks.md: the rows of the table side by side, in their own words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tests.bench.cost import head

START = "| one idle round |"
ENGLISH = {
    "one idle round": "one idle round", "processes": "processes", "requests": "requests", "CPU": "CPU",
    "times cold": "times the first", "times warm": "times the listing", "times quiet": "times the quiet",
    "agentcells, the first tick": "`agentcells tick`, the first one",
    "agentcells, something had changed": "`agentcells tick`, something has changed: it lists",
    "agentcells, nothing had changed": "`agentcells tick`, nothing has changed: the usual one",
    "gh issue list and gh pr list for each label":
        "`gh issue list` and `gh pr list` for each of five labels, in a loop",
    "ghswarm": "`ghswarm loop --once`", "vigilante-cli": "`vigilante daemon run --once`",
}
JAPANESE = {
    "one idle round": "何もない一巡", "processes": "プロセス", "requests": "リクエスト", "CPU": "CPU",
    "times cold": "初回の何倍", "times warm": "一覧する回の何倍", "times quiet": "静かな回の何倍",
    "agentcells, the first tick": "`agentcells tick`、最初の回",
    "agentcells, something had changed": "`agentcells tick`、何か変わっていて一覧する回",
    "agentcells, nothing had changed": "`agentcells tick`、何も変わっていない普段の回",
    "gh issue list and gh pr list for each label":
        "5 つのラベルそれぞれに `gh issue list` と `gh pr list` を回すループ",
    "ghswarm": "`ghswarm loop --once`", "vigilante-cli": "`vigilante daemon run --once`",
}
READMES: dict[str, Mapping[str, str]] = {"README.md": ENGLISH, "README.ja.md": JAPANESE}


def quoted(page: str, words: Mapping[str, str]) -> list[str]:
    """The table of the page in a README's words."""
    rows = list(_table(page.splitlines(), START))
    titles, body = rows[0], rows[2:]
    return [
        *head(*(words[title] for title in titles)),
        *(f"| {' | '.join([words[name], *figures])} |" for name, *figures in body),
    ]


def renewed(text: str, page: str, words: Mapping[str, str]) -> str:
    """A README with the table of this page in the place of its own. A page without one changes nothing."""
    if START not in page:
        return text
    lines = text.splitlines()
    start = f"| {words['one idle round']} |"
    at = next(number for number, line in enumerate(lines) if line.startswith(start))
    after = at + len(list(_table(lines, start)))
    return "\n".join([*lines[:at], *quoted(page, words), *lines[after:]]) + "\n"


def _table(lines: list[str], start: str) -> Iterator[list[str]]:
    inside = False
    for line in lines:
        inside = line.startswith(start) or (inside and line.startswith("|"))
        if inside:
            yield [cell.strip() for cell in line.strip("|").split("|")]
