"""Keys that look like a vendor's, and what only looks like a key (R45, D05, D07).

Every fake key is put together from two halves, so that no scanner takes this file for a leak.
"""

from __future__ import annotations

import base64
import time

import pytest

from agentcells.secrets import Secrets, vendor_names
from agentcells.vendors import VENDORS

A36 = "q7Rt2Zk9WmX4bLc8VnD3sHf6JgP1aYuE5oTi"
HEX = "9f3c07b1e24d8a65f0c9b7312de4586a"
KEYS = {  # name: positives, each in two halves
    "GitHub token": [("ghp_", A36), ("gho_", A36), ("ghu_", A36), ("ghs_", A36), ("ghr_", A36)],
    "GitHub fine-grained token": [("github_pat_", "11AB7QX2Y0" + "kM3nP9rT6vW_" + A36)],
    "GitLab token": [("glpat-", A36[:20]), ("glrt-", A36[:20])],
    "Anthropic key": [
        ("sk-ant-api03-", A36 + "-_" + A36),
        ("sk-ant-oat01-", A36 + A36),
        ("sk-ant-sid01-", A36 * 2),
    ],
    "OpenAI key": [
        ("sk-proj-", A36 + "-_" + A36),
        ("sk-", A36 + A36[:12]),
        ("sk-svcacct-", A36 * 2),
    ],
    "OpenRouter key": [("sk-or-v1-", HEX * 2)],
    "AWS access key": [("AKIA", "Q7RTZ2KWMX4BLC3V"), ("ASIA", "Q7RTZ2KWMX4BLC3V")],
    "AWS secret key": [
        ("aws_secret_access_key = ", A36 + "/Q+9"),
        ('"SecretAccessKey": "', A36 + "/Q+9"),
    ],
    "Google API key": [("AIza", "Sy" + A36[:33])],
    "Google login": [("GOCSPX-", A36[:28]), ("ya29.", "a0" + A36 * 2)],
    "Slack token": [("xoxb-", "9215730468-1-" + A36[:20]), ("xapp-1-", A36[:24])],
    "Slack webhook": [("https://hooks.slack.com/services/", "T7QX2Y0KM/B3NP9RT6V/" + A36[:24])],
    "Stripe key": [("sk_live_", A36[:24]), ("rk_live_", A36[:24]), ("whsec_", A36)],
    "Telegram bot token": [("7215730468", ":AA" + A36[:33])],
    "npm token": [("npm_", A36)],
    "PyPI token": [("pypi-AgEI", "cHlwaS5vcmc" + A36 * 2)],
    "RubyGems token": [("rubygems_", HEX + HEX[:16])],
    "Docker Hub token": [("dckr_pat_", A36[:27])],
    "SendGrid key": [("SG.", A36[:22] + "." + A36 + A36[:7])],
    "Twilio key": [("SK", HEX)],
    "Azure storage key": [
        ("AccountKey=", A36 * 2 + A36[:14] + "=="),
        ("SharedAccessKey=", A36 + A36[:7] + "="),
    ],
    "Azure client secret": [("abc", "8Q~" + A36[:34])],
    "DigitalOcean token": [("dop_v1_", HEX * 2)],
    "Hugging Face token": [("hf_", "qRtZkWmXbLcVnDsHfJgPaYuEoTiKwQzMhN")],
    "Discord token": [("MTk4NjIyNDgzNDcxOTI1MjQ4", ".Cl2FMQ." + A36[:27])],
    "Discord webhook": [("https://discord.com/api/webhooks/", "921573046892157304/" + A36 * 2)],
    "Shopify token": [("shpat_", HEX)],
    "Databricks token": [("dapi", HEX)],
    "Atlassian token": [("ATATT3", "xFfGF0" + A36 * 3)],
    "Terraform token": [("q7Rt2Zk9WmX4bL", ".atlasv1." + A36 * 2)],
    "Vault token": [("hvs.", "CAESI" + A36 * 3)],
    "Grafana token": [("glsa_", A36[:32] + "_9f3c07b1")],
    "Linear key": [("lin_api_", A36 + "Q9z7")],
    "age key": [("AGE-SECRET-KEY-1", (A36 * 2).upper()[:58])],
    "private key": [
        ("-----BEGIN RSA PRIVATE", " KEY-----\n" + A36 + A36),
        ("-----BEGIN PRIVATE", " KEY-----\\n" + A36 + A36),
        ("-----BEGIN OPENSSH PRIVATE", " KEY-----\r\n" + A36 + A36),
        ("    -----BEGIN EC PRIVATE", " KEY-----\n      " + A36 + A36),
        ("-----BEGIN RSA PRIVATE", " KEY-----\nProc-Type: 4,ENCRYPTED"),
        ("-----BEGIN PGP PRIVATE", " KEY BLOCK-----\n\n" + A36 + A36),
    ],
    "signed token (JWT)": [("eyJhbGciOiJSUzI1NiJ9", ".eyJzdWIiOiI3Njk4NCJ9." + A36)],
    "password in an address": [
        ("postgres://app:", "s3cr3t-Zk9W@db.corp.net/app"),
        ("https://bob:", "hunter2x@git.corp.net/r.git"),
        ("redis://:", "Zk9WmX4b@cache.corp.net:6379"),
    ],
}
NONE = [
    "ghp_short",
    "ghp_" + "x" * 36,
    "ghp_" + "abcdefghijklmnopqrstuvwxyz0123456789",
    "sk-ant-api03-your-key-here-000000000000000000000000000000",
    "task-" + A36 * 2,
    "sk-learn is fine",
    "AKIA" + "IOSFODNN7EXAMPLE",
    "AKIAQ7RTZ2KWMX4BLC3V8",
    "xAKIAQ7RTZ2KWMX4BLC3V",
    "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
    '"integrity": "sha512-' + base64.b64encode(bytes(range(3, 67))).decode() + '"',
    '"resolved": "https://registry.example.org/x/-/x-1.0.0.tgz"',
    "hf_hub_download(repo_id)",
    "-----BEGIN PUBLIC KEY-----\n" + A36 * 2,
    'if "-----BEGIN PRIVATE KEY-----" in text:',
    "-----BEGIN CERTIFICATE-----\n" + A36 * 2,
    "eyJhbGciOiJIUzI1NiJ9 and eyJzdWIiOiIxIn0",
    "postgres://user:password@localhost:5432/db",
    "postgres://postgres:postgres@db/app",
    "https://user:${TOKEN}@github.com/o/r.git",
    "https://x:<token>@github.com",
    "https://a:{{ secret }}@b.org",
    "mysql://root:hunter2x@127.0.0.1/x",
    "https://bob:hunter2x@git.example.com/r",
    "https://example.org:8080/a@b",
    "http://[::1]:80/",
    "git@github.com:o/r.git",
    "SG.x.y",
    "SKIP" + HEX,
    "7215730468:AAshort",
    "commit " + HEX + HEX[:8],
    "https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX",
    "Map.of.entries.MNOabcdefghijklmnopqrstuvw.abc",
    "discord.com/api/webhooks/1/x",
    "dapixyz",
    "AccountKey=",
]


def test_every_vendor_has_an_example():
    assert {vendor.name for vendor in VENDORS} == set(KEYS)


AROUND = ("{}", "key = '{}'", "\n{}\n", "# gitleaks:allow {} pragma: allowlist secret")


@pytest.mark.parametrize("name", KEYS)
def test_d05_keys_of_vendors_are_found_and_no_comment_allows_them(name):
    for halves in KEYS[name]:
        for around in AROUND:
            content = around.format("".join(halves)).encode()
            assert name in vendor_names(content), content
            assert vendor_names(content, [content]) == ()


@pytest.mark.parametrize("text", NONE)
def test_d05_placeholders_hashes_and_ordinary_text_are_no_keys(text):
    assert vendor_names(f"a {text} b".encode()) == ()


@pytest.mark.parametrize(
    "text",
    [
        "eyJ" * 300_000,
        ".eyJ" * 200_000,
        "://" * 300_000,
        "://a:" * 200_000,
        "-----BEGIN " * 90_000,
        "-----BEGIN PRIVATE KEY-----" * 40_000,
        "M" * 900_000,
        "sk-ant-" * 130_000,
        "xoxb-" * 200_000,
        ":AA" * 300_000,
        "://" + "a" * 900_000,
        "://a:" + "b" * 900_000,
        "AKIA" * 220_000,
        "0" * 900_000,
        "%41" * 300_000,
    ],
)
def test_d05_no_content_makes_the_search_slow(text):
    start = time.process_time()
    vendor_names(text.encode())
    Secrets.of({"known": "glpat-" + A36}).names_in(text.encode())
    assert time.process_time() - start < 3  # quadratic time would be minutes
