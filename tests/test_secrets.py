"""Known secrets in every disguise (R45, D05, D10).

The fake key is put together from two halves, so that no scanner takes this file for a leak.
"""

from __future__ import annotations

import base64
import re
import sys
import time
from pathlib import Path
from urllib.parse import quote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentcells.secrets import Secrets

CORE = "q7Rt2Zk9WmX4bLc8VnD3sHf6JgP1aYuE5oTi"
TOKEN = "ghp_" + CORE
KNOWN = Secrets.of({"forge token": TOKEN})


def hidden(secret: str) -> dict[str, bytes]:
    raw = secret.encode()
    wrapped = base64.encodebytes(b"some text before it " + raw + b" and after").replace(
        b"\n", b"\r\n"
    )
    return {
        "raw": raw,
        "in a line": b"token = '" + raw + b"'\n",
        "reversed": raw[::-1],
        "base64, aligned": base64.b64encode(raw),
        "base64, one before": base64.b64encode(b"x" + raw + b"y"),
        "base64, two before": base64.b64encode(b"xy" + raw),
        "base64 for addresses": base64.urlsafe_b64encode(b"\xff\xfe" + raw),
        "base64, wrapped": wrapped,
        "hex": raw.hex().encode(),
        "hex in capitals": raw.hex().upper().encode(),
        "hex with colons": raw.hex(":").encode(),
        "hex as bytes of C": ", ".join(f"0x{byte:02X}" for byte in raw).encode(),
        "hex as escapes": "".join(f"\\x{byte:02x}" for byte in raw).encode(),
        "escapes of JSON": "".join(f"\\u{byte:04x}" for byte in raw).encode(),
        "url-quoted": "".join(f"%{byte:02x}" for byte in raw).encode(),
        "half url-quoted": quote(secret, safe="").replace("q", "%71").encode(),
        "UTF-16": secret.encode("utf-16"),
        "broken into lines": b"\n".join(raw[at : at + 5] for at in range(0, len(raw), 5)),
        "without its ends": raw[9:-9],
    }


@pytest.mark.parametrize("disguise", hidden(TOKEN))
def test_d05_a_known_secret_is_found_in_every_disguise(disguise):
    content = b"before\n" + hidden(TOKEN)[disguise] + b"\nafter"
    assert KNOWN.names_in(content) == ("forge token",)


@pytest.mark.parametrize("before", range(9))
def test_d05_any_twelve_bytes_are_a_leak_wherever_they_stand(before):
    for start in range(len(CORE) - 11):
        window = CORE[start : start + 12].encode()
        encoded = base64.b64encode(b"-" * before + window + b"-")
        for content in (window, window[::-1], encoded, window.hex().encode()):
            padded = b"." * before + content + b".."
            assert KNOWN.names_in(padded) == ("forge token",), padded


def test_d05_eleven_bytes_and_the_public_prefix_are_none():
    assert KNOWN.names_in(b"ghp_ " + CORE[:11].encode() + b" " + CORE[12:23].encode()[:11]) == ()
    assert KNOWN.names_in(b"ghp_ghp_ghp_ghp_ghp_ghp_") == ()


PUBLIC = {
    "sk-ant-": "api03-",
    "sk-proj": "-",
    "github_pat": "_",
    "glpat": "-",
    "npm": "_",
    "hf": "_",
    "AK": "IA",
    "xox": "b-",
    "eyJhbGciOiJIUzI1NiJ9": ".",
}


@pytest.mark.parametrize(("first", "second"), PUBLIC.items())
def test_d05_what_every_key_of_a_vendor_begins_with_is_no_secret(first, second):
    prefix = first + second
    known = Secrets.of({"key": prefix + CORE})
    assert known.names_in((prefix + "example").encode() * 3) == ()
    assert known.names_in(CORE[3:20].encode()) == ("key",)


def test_d10_what_was_shared_before_is_not_added():
    content = b"x = " + TOKEN.encode()
    assert KNOWN.names_in(content, [b"old", content]) == ()
    assert KNOWN.names_in(content, [b"old", TOKEN[:20].encode()]) == ("forge token",)
    quoted = hidden(TOKEN)["url-quoted"]
    assert KNOWN.names_in(quoted, [quoted]) == ()


def telling(secret: str) -> bool:
    """Also without its ends it has twelve bytes that no ordinary word has."""
    core = secret[9:-9]
    windows = (core[at : at + 12] for at in range(len(core) - 11))
    return any(
        len(set(window)) > 7 and re.search(r"\d", window)
        and re.search("[a-z]", window) and re.search("[A-Z]", window)
        for window in windows
    )


SECRET = st.text("ABCDEFGHIJabcdefghij0123456789_-+/", min_size=34, max_size=90).filter(telling)


@settings(max_examples=150, deadline=None)
@given(st.lists(SECRET, min_size=1, max_size=4), st.data())
def test_d05_no_secret_leaves_in_any_disguise_at_any_place(values, data):
    known = Secrets.of({str(number): value for number, value in enumerate(values)})
    number = data.draw(st.integers(0, len(values) - 1))
    content = data.draw(st.sampled_from(sorted(hidden("")))).encode()
    content = hidden(values[number])[content.decode()]
    before = data.draw(st.binary(max_size=40)).replace(b"%", b"")
    after = data.draw(st.binary(max_size=40))
    assert str(number) in known.names_in(before + b"\n" + content + b"\n" + after)


@pytest.mark.parametrize(
    ("value", "harmless", "leak"),
    [
        ("short", "short", ""),
        ("production", "production", ""),
        ("PRODUCTION", "PRODUCTION", ""),
        ("  ", "", ""),
        ("hunter2hunter2", "hunter2", "hunter2hunter2"),
        ("development-key-for-tests", "development-setup", "development-key-for-tests"),
        (
            "/home/bob/.config/key7.json",
            "/home/bob/.config/other7.json",
            "/home/bob/.config/key7.json",
        ),
        (
            "https://api9.example.org/v1/things",
            "https://api9.example.org/v2",
            "https://api9.example.org/v1/things",
        ),
        (
            "postgres://app:pa55W0rd-9x@db.example.org/app",
            "postgres://app:other@db.example.org/app",
            "pa55W0rd-9x",
        ),
        (
            "correct horse battery staple 7",
            "correct horse battery",
            "correct horse battery staple 7",
        ),
        ("00000000000000000000000000000000", "000000000000", "00000000000000000000000000000000"),
        (
            '{"claudeAiOauth":{"accessToken":"' + CORE + '","rateLimitTier":"default_max_20x"}}',
            '"accessToken": "rateLimitTier" default_max_20x',
            CORE[5:25],
        ),
        (
            f"-----BEGIN KEY-----\n{CORE}\n{CORE[::-1]}\n-----END KEY-----",
            "-----BEGIN KEY-----",
            CORE[:14],
        ),
        (
            '{"plain": "words only", "nothing": "more"}',
            '"plain": "words only"',
            '{"plain":"words only", "nothing":"more"}',
        ),
    ],
)
def test_d05_ordinary_parts_of_a_value_block_nothing(value, harmless, leak):
    known = Secrets.of({"VALUE": value})
    assert known.names_in(f"x {harmless} y".encode()) == ()
    assert known.names_in(f"x {leak} y".encode()) == (("VALUE",) if leak else ())
    assert known.ignored == (() if leak else ("VALUE",))
    assert known.names == (("VALUE",) if leak else ())


def test_d05_secrets_do_not_show_in_a_traceback():
    assert TOKEN[:12] not in repr(KNOWN) + str(KNOWN)
    assert repr(KNOWN) == "Secrets(forge token)"
    assert Secrets().names_in(b"anything") == ()


def test_ten_megabytes_and_five_secrets_take_less_than_a_second():
    source = Path(__file__).read_bytes() + b"\n"
    content = (source * (10_000_000 // len(source) + 1))[:10_000_000]
    known = Secrets.of(
        {str(n): f"sk-ant-api03-{n}" + (CORE[n:] + CORE[:n]) * 3 for n in range(3, 8)}
    )
    assert CORE.encode() in content
    spent = []
    for text in (content.replace(CORE.encode(), b""), content.replace(b"%", b"")):
        start = time.process_time()
        known.names_in(text)
        spent.append(time.process_time() - start)
    slow = 1 if sys.gettrace() is None else 20  # when every line is traced
    assert spent[0] < slow
    assert spent[1] < 3 * slow  # it stands there hundreds of times
