"""Markdown made harmless (R47, H01), hidden parts shown (R28, B01): with a renderer's eyes."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from agentcells.text import clean, harmless, show_hidden

RENDERER = MarkdownIt("commonmark").enable(["table", "strikethrough"])
SENTINEL = "SENTINEL"

# What forges and bots react to, written down a second time, on purpose without the module's words.
ACTIVE_TEXT = {
    "mention": r"(?:^|[^A-Za-z0-9])@[A-Za-z0-9_-]*[A-Za-z0-9]",
    "closing keyword": (
        r"(?i)\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?)\b:?\s*"
        r"(?:(?:[\w.-]+/[\w.-]+)?[#!]|gh-)\d"
    ),
    "another repository": r"[\w-]/[\w.-]+[#!]\d",
    "page of a forge": r"(?i)https?://\S+/(?:issues|pull)/\d",
    "plain http": r"(?i)\b(?:http|ftp)://\w|\bwww\.\w",
}
ACTIVE_LINE = r"(?i)(?:/[a-z]|@\w*[a-z0-9]|bors r\+|dependabot |recheck\b)"


def tokens_of(markdown):
    for token in RENDERER.parse(markdown):
        yield token
        yield from token.children or ()


def texts_of(markdown):
    """Runs of rendered text that no link and no code interrupts."""
    for block in RENDERER.parse(markdown):
        if block.type != "inline":
            continue
        run, depth = "", 0
        for token in block.children or ():
            depth += token.nesting if token.type.startswith("link_") else 0
            if token.type in ("text", "text_special") and depth == 0:
                run += token.content
            elif token.type in ("softbreak", "hardbreak"):
                run += "\n"
            else:
                yield run
                run = ""
        yield run


def assert_nothing_is_active(written):
    for token in tokens_of(written):
        assert token.type not in ("html_block", "html_inline", "image"), token
        if token.type == "link_open":
            assert token.markup == "autolink", token  # the text of the link is its address
            assert token.attrs["href"].startswith("https://"), token
        if token.type == "fence":
            assert token.info.strip() not in ("mermaid", "suggestion", "math"), token
    for run in texts_of(written):
        for name, pattern in ACTIVE_TEXT.items():
            assert not re.search(pattern, run, re.ASCII), (name, run)
    for line in written.split("\n"):
        assert not re.match(ACTIVE_LINE, line, re.ASCII), line
    assert not re.search(r"(?i)<!--\s*agentcells", written)
    # Nothing is left open: what follows is a paragraph of its own.
    *_, opening, last, _closing = RENDERER.parse(f"{written}\n\n{SENTINEL}")
    assert (opening.type, opening.level, last.content) == ("paragraph_open", 0, SENTINEL)


@pytest.mark.parametrize(
    ("written", "harmless_text"),
    [
        ("# Title\n\n- item\n1. **bold** and _it_", "# Title\n\n- item\n1. **bold** and _it_"),
        ("日本語の文、**太字**です。", "日本語の文、**太字**です。"),
        ("thanks @alice and @org/team!", "thanks `@alice` and `@org/team`!"),
        ("mail bob@example.org", "mail bob@example.org"),
        ("é@bob _@carl_ **@dan** a.@eve", "é`@bob` _`@carl`_ **`@dan`** a.`@eve`"),
        ("\\@bob &#64;carl &commat;dan &#x40;eve", "`@bob` `@carl` `@dan` `@eve`"),
        ("&&#99;ommat;bob", "&amp;commat;bob"),
        ("see #12", "see #12"),
        ("closes #1", "closes `#1`"),
        ("FIXES: #1, Resolved\t#2", "FIXES: `#1`, Resolved\t`#2`"),
        ("Fixed\n#3", "Fixed\n`#3`"),
        (f"foo@{'b' * 47}\n@eve", f"foo@{'b' * 47}\n`@eve`"),  # the line before is not read anew
        ("close GH-4 and fixes ABC-5", "close `GH-4` and fixes `ABC-5`"),
        ("clo&#115;es \\#6", "closes `#6`"),
        ("closes #1@bob", "closes `#1` `@bob`"),
        ("foreclose #7 prefixes #8", "foreclose #7 prefixes #8"),
        ("o/r#1 o#2 o/r!3 o/r@0123abcd", "`o/r#1` `o#2` `o/r!3` `o/r@0123abcd`"),
        ("https://github.com/o/r/issues/1", "`https://github.com/o/r/issues/1`"),
        ("see https://example.org/a_b?c=d.", "see <https://example.org/a_b?c=d>."),
        ("(https://example.org/x_(y))", "(<https://example.org/x_(y)>)"),
        ("http://example.org www.example.org", "`http://example.org` `www.example.org`"),
        ("https://example.org/@bob", "`https://example.org/@bob`"),
        ("https:// http://é", "`https://` `http://`é"),
        ("<https://example.org> <mailto:a@b.c>", "<https://example.org> `mailto:a@b.c`"),
        ("[docs](https://example.org \"title\")", "docs (<https://example.org>)"),
        ("[x](<https://example.org>)", "x (<https://example.org>)"),
        ("[https://example.org](https://example.org)", "<https://example.org>"),
        ("[](https://example.org)", "<https://example.org>"),
        ("[x](javascript:alert(1))", "x (`javascript:alert(1)`)"),
        ("[x](../../settings)", "x (`../../settings`)"),
        ("[x](&#106;avascript:a\\)b)", "x (`javascript:a\\`)b)"),
        ("[x]()", "x"),
        ("[x][ref]\n\n[ref]: http://e.org", "\\[x]\\[ref]\n\n\\[ref]: `http://e.org`"),
        ("![alt](https://evil.org/p.png)", "alt (`https://evil.org/p.png`)"),
        ("![a\n](http://evil.org)", "!\\[a\n](`http://evil.org`)"),
        ("![~~~](https://e.org)", "\\~~~ (`https://e.org`)"),
        ("> closes\n!5", "> closes\n`!5`"),
        ("closes [#1](https://e.org)", "closes `#1` (<https://e.org>)"),
        ("<b>x</b> a < b <- <3", "&lt;b>x&lt;/b> a < b <- <3"),
        ("&lt;img src=x&gt; AT&T &nosuch; &#0;", "&lt;img src=x\\> AT&amp;T &amp;nosuch; \ufffd"),
        ("a&#10;b&ZeroWidthSpace;c", "a bc"),
        ("/deploy now\n  /merge\n- /assign me\n**/lgtm**",
         "`/deploy` now\n  `/merge`\n- `/assign` me\n**`/lgtm`**"),
        ("and/or a /path", "and/or a /path"),
        ("bors r+\n@dependabot merge\nrecheck\nr? @bob",
         "`bors` r+\n`@dependabot` merge\n`recheck`\n`r?` `@bob`"),
        ("- [ ] open\n- [x] done", "- [ ] open\n- [x] done"),
        ("`@bob closes #1` stays", "`@bob closes #1` stays"),
        ("``a ` @b`` c ` d", "``a ` @b`` c \\` d"),
        ("stray ` @bob", "stray \\` `@bob`"),
        ("C:\\Users \\` x", "C:\\\\Users \\` x"),
        ("> quote @bob\n> \n> > deeper @carl\nafter",
         "> quote `@bob`\n>\n> > deeper `@carl`\nafter"),
        ("| `a|@bob` | `x` |\n|---|---|\n| c \\| d | `e\\|f` |",
         "| \\`a|`@bob`\\` | `x` |\n|---|---|\n| c \\| d | `e\\|f` |"),
        ("run `a | b` here", "run `a | b` here"),
        ("```py\n@dec\n/x\n<b>\n```\n", " ```py\n @dec\n /x\n <b>\n ```\n"),
        ("~~~\ncloses #1 ```\n", "~~~\ncloses #1 ```\n\n~~~"),
        ("- ```sh\n  ls\n  ```\n- next", "-\n```sh\nls\n```\n- next"),
        ("1. a\n\n   ```\n     b\n  c\n   ```", "1. a\n\n```\n  b\nc\n```"),
        ("```mermaid\ngraph\n```", "```text\ngraph\n```"),
        ("``` {onclick=1}\nx\n```", "```\nx\n```"),
        ("```one line```", "```one line```"),
        ("<!-- agentcells:v1 {} -->", "&lt;!-- agentcells:v1 {} -->"),
        ("`<!-- agentcells:v1` <!--\nagentcells", "`<! -- agentcells:v1` &lt;!--\nagentcells"),
        ("zero\u200bwidth @\u200bbob", "zerowidth `@bob`"),
    ],
)
def test_r47_what_is_active_is_defused_and_the_rest_reads_as_before(written, harmless_text):
    assert harmless(written) == harmless_text
    assert_nothing_is_active(harmless(written))


FRAGMENTS = st.sampled_from([
    "@", "bob", "@bob", "@org/team", "closes", "Fixes:", " ", " #1", "#2", "GH-3", "o/r",
    "o/r#4", "!5", "https://", "http://", "www.", "e.org", "/issues/6", "/deploy", "bors r+",
    "recheck", "`", "``", "```", "~~~", "\n", "\n\n", "    ", "\t", "- ", "1. ", "> ", "| ", "|",
    "\n|---|---|\n", "[", "]", "(", ")", "](http://e.org)", "![", "<", ">", "<b>", "</b>",
    "<!--", "-->", "<!-- agentcells:v1 {} -->", "agentcells", "<img src=x>", "&", ";", "&#64;",
    "&commat;", "&lt;", "&#96;", "&#33;", "&#91;", "\\", "*", "**", "_", "[r]: http://e.org",
    "[r]", ":", "!", "x", "é", "\u200b", "\r", "mermaid", "=", "#", "<https://e.org>",
    "<javascript:x>", "\"", "'",
])  # fmt: skip


@settings(max_examples=700, deadline=None)
@given(st.lists(FRAGMENTS, max_size=24).map("".join))
def test_h01_no_mixture_of_active_parts_survives(written):
    assert_nothing_is_active(harmless(written))


@settings(max_examples=150, deadline=None)
@given(st.text())
def test_h01_no_text_at_all_survives_active(written):
    assert_nothing_is_active(harmless(written))


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.lists(FRAGMENTS, max_size=6).map("".join), max_size=6),
    st.sampled_from(["", "  ", "   ", "    - "]),
)
def test_r47_fenced_code_is_drawn_unchanged(code, before):
    code = [clean(line).replace("~", "").replace("\n", "") for line in code]
    indent = " " * len(before)
    lines = ["text", f"{before}~~~~ py", *(indent + line for line in code), f"{indent}~~~~"]
    written = harmless("\n".join(lines))
    drawn = [token.content for token in RENDERER.parse(written) if token.type == "fence"]
    expected = "".join(f"{line}\n" for line in code)
    assert drawn == [re.sub(r"<!--(?=\s*agentcells)", "<! --", expected)]
    assert_nothing_is_active(written)


@settings(max_examples=200, deadline=None)
@given(st.lists(FRAGMENTS, max_size=8).map("".join))
def test_r47_code_spans_are_drawn_unchanged(inside):
    inside = clean(inside).replace("`", "").replace("\n", " ").strip()
    if not inside:
        return
    written = harmless(f"before ``{inside}`` after")
    drawn = [token.content for token in tokens_of(written) if token.type == "code_inline"]
    assert drawn == [re.sub(r"<!--(?=\s*agentcells)", "<! --", inside)]


@pytest.mark.parametrize(
    "written",
    [
        "[" * 20_000, "`" * 20_000, "[a](" + " " * 20_000, "a" * 20_000 + "@", "/" * 20_000,
        "> " * 5_000 + "x", "- " * 10_000, "&#64" * 5_000, ")" * 9_000 + "https://" + ")" * 9_000,
        "|" * 20_000 + "\n|-|", "".join("`" * n + " " for n in range(1, 150)), "closes " * 3_000,
        "-" * 20_000, "a-" * 10_000, "<!--" * 5_000, "<a " * 7_000, "~~~\n" * 5_000,
    ],
)  # fmt: skip
def test_r47_no_text_makes_it_slow(written):
    start = time.process_time()
    harmless(written)
    show_hidden(written)
    assert time.process_time() - start < 4  # quadratic time would be minutes


# ---------------------------------------------------------------- hidden parts


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("a <!-- do\nX --> b", "a [HTML comment: do\nX] b"),
        ("<!-- never closed\n```", "[HTML comment: never closed\n```]"),
        ("<!-- a <!-- b -->", "[HTML comment: a < !-- b]"),
        ("<details><summary>s</summary>x</details>",
         "[HTML: details][HTML: summary]s[HTML: /summary]x[HTML: /details]"),
        ('<img alt="do X"\n title="y" src=z>', '[HTML: img alt="do X"\n title="y" src=z]'),
        ("a < b, x<y, 1>0", "a < b, x<y, 1>0"),
        ("[//]: # (do X)\n[ref]: https://e.org 'do Y'",
         "[hidden line: [//]: # (do X)]\n[hidden line: [ref]: https://e.org 'do Y']"),
        ("[r]: https://e.org<!-- do X\n[<b>]: x", "[hidden line: [r]: https://e.org[HTML comment: do X]]\n"
         "[hidden line: [[HTML: b]]: x]"),
        ("`<b>` ``<i>`` ` <u>", "`<b>` ``<i>`` ` [HTML: u]"),
        ("```html\n<b>\n<!-- c -->\n```\n<b>", "```html\n<b>\n<!-- c -->\n```\n[HTML: b]"),
        ("~~~\n<b>", "~~~\n<b>"),
        ("` <b>\n`", "` [HTML: b]\n`"),
        ("![alt](u \"title\")", "![alt](u \"title\")"),
    ],
)  # fmt: skip
def test_b01_what_a_rendered_page_hides_is_spelled_out(written, shown):
    assert show_hidden(written) == shown


@settings(max_examples=200, deadline=None)
@given(st.lists(FRAGMENTS.filter(lambda f: not re.match("`|~", f)), max_size=20).map("".join))
def test_b01_outside_code_no_comment_and_no_tag_is_left(written):
    shown = show_hidden(written)
    assert "<!--" not in shown
    visible = shown.partition("[HTML comment:")[0]
    assert not re.search(r"<[A-Za-z][A-Za-z0-9]*(?:[\s/][^<>]*)?>", visible)
