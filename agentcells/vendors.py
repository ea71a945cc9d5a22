"""What the keys of vendors look like: anchored patterns for keys that we do not know (R45).

Linear in time: each pattern begins with a literal, counts its characters, and nests no repetition.
That nothing is found proves nothing; the guarantee is the search for known secrets.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_ASCENDING = (b"0123456789", b"abcdefghijklmnopqrstuvwxyz", b"ABCDEFGHIJKLMNOPQRSTUVWXYZ")
_SAYS_SO = re.compile(
    rb"example|redacted|placeholder|your[_-]|changeme|dummy|[x*.0-]{8}|(.)\1{7}",
    re.IGNORECASE | re.DOTALL,
)
_RUN = 8  # so many neighbours of an alphabet in a row: typed by hand, not drawn by lot
_TYPED = frozenset(
    alphabet[at : at + _RUN] for alphabet in _ASCENDING for at in range(len(alphabet) - _RUN + 1)
)


@dataclass(frozen=True, slots=True)
class Vendor:
    """`literals`: one of them is in every match, so that most files need no search at all."""

    name: str
    literals: tuple[bytes, ...]
    pattern: re.Pattern[bytes]

    def matches(self, content: bytes) -> Iterator[re.Match[bytes]]:
        if any(literal in content for literal in self.literals):
            for match in self.pattern.finditer(content):
                if not self.is_placeholder(match):
                    yield match

    def is_placeholder(self, match: re.Match[bytes]) -> bool:
        """Whether the match says of itself that it is none, as the keys in documentation do."""
        if self.name == "password in an address":
            return _is_password_placeholder(match)
        if self.name == "private key":
            return False
        key = match[0]
        parts = (key[at : at + _RUN] for at in range(len(key) - _RUN + 1))
        return bool(_SAYS_SO.search(key)) or any(part in _TYPED for part in parts)


_ORDINARY_PASSWORD = re.compile(
    rb"(?:pass(?:word|wd)?|pw|pwd|secret|token|user(?:name)?|test(?:ing)?|admin|root|guest|dev|postgres"
    rb"|mysql|rabbitmq|changeme|example|x{3,}|\*+|\.+|-+)[0-9!]{0,3}\Z"
    rb"|[$%{<\[]|.*(?:\$\{|\{\{|%\(|<|EXAMPLE|REDACTED|PLACEHOLDER|YOUR)",
    re.IGNORECASE,
)
_HOST_OF_NOBODY = re.compile(
    rb"(?:[^.]*|[0-9.]{7,15}|(?:.*\.)?(?:example\.(?:com|org|net)|(?:[^.]*\.)*(?:local|localhost|test"
    rb"|example|invalid|internal)))\Z",
    re.IGNORECASE,
)


def _is_password_placeholder(match: re.Match[bytes]) -> bool:
    ordinary = _ORDINARY_PASSWORD.match(match["password"])
    return bool(ordinary or _HOST_OF_NOBODY.match(match["host"]))


def _vendor(name: str, literals: str, pattern: str) -> Vendor:
    return Vendor(name, tuple(literals.encode().split()), re.compile(pattern.encode()))


_W = "[A-Za-z0-9_-]"  # the letters of base64url
_A = "[A-Za-z0-9]"
_NOT_AFTER_WORD = "(?<![A-Za-z0-9_])"

VENDORS: tuple[Vendor, ...] = (
    _vendor("GitHub token", "ghp_ gho_ ghu_ ghs_ ghr_", rf"gh[pousr]_{_A}{{36}}"),
    _vendor("GitHub fine-grained token", "github_pat_", r"github_pat_[A-Za-z0-9_]{50}"),
    _vendor("GitLab token", "gl",
            rf"gl(?:pat|oas|dt|rt|cbt|ptt|ft|imt|agent|soat|ffct)-{_W}{{20}}"),
    _vendor("Anthropic key", "sk-ant-", rf"sk-ant-[a-z]{{2,10}}[0-9]{{2}}-{_W}{{40}}"),
    _vendor("OpenAI key", "sk-", rf"(?<!{_A})sk-(?:(?:proj|svcacct|admin)-{_W}{{40}}|{_A}{{40}})"),
    _vendor("OpenRouter key", "sk-or-", r"sk-or-v1-[0-9a-f]{64}"),
    _vendor("AWS access key", "AKIA ASIA ABIA ACCA",
            r"(?<![A-Za-z0-9+/])A(?:KIA|SIA|BIA|CCA)[A-Z2-7]{16}(?![A-Za-z0-9+/=])"),
    _vendor("AWS secret key", "aws_secret_access_key AWS_SECRET_ACCESS_KEY SecretAccessKey",
            r"(?:aws_secret_access_key|AWS_SECRET_ACCESS_KEY|SecretAccessKey)[\"' \t=:>]{1,8}"
            r"[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+])"),
    _vendor("Google API key", "AIza", rf"AIza{_W}{{35}}(?!{_W})"),
    _vendor("Google login", "GOCSPX- ya29.", rf"GOCSPX-{_W}{{28}}|ya29\.{_W}{{40}}"),
    _vendor("Slack token", "xox xapp-",
            r"xox[abeoprs]-[0-9A-Za-z-]{20}|xapp-[0-9]-[0-9A-Za-z-]{20}"),
    _vendor("Slack webhook", "hooks.slack.com",
            rf"hooks\.slack\.com/(?:services|workflows)/[A-Z0-9]{{8,12}}/[A-Z0-9]{{8,12}}/{_A}{{20}}"),
    _vendor("Stripe key", "k_live_ whsec_",
            rf"{_NOT_AFTER_WORD}[rs]k_live_{_A}{{20}}|whsec_[A-Za-z0-9+/]{{32}}"),
    _vendor("Telegram bot token", ":AA", rf"(?<!{_W})[0-9]{{8,10}}:AA{_W}{{33}}(?!{_W})"),
    _vendor("npm token", "npm_", rf"npm_{_A}{{36}}"),
    _vendor("PyPI token", "pypi-AgEI", rf"pypi-AgEI{_W}{{50}}"),
    _vendor("RubyGems token", "rubygems_", r"rubygems_[0-9a-f]{48}"),
    _vendor("Docker Hub token", "dckr_pat_", rf"dckr_pat_{_W}{{27}}"),
    _vendor("SendGrid key", "SG.", rf"SG\.{_W}{{22}}\.{_W}{{43}}"),
    _vendor("Twilio key", "SK", rf"(?<!{_W})SK[0-9a-f]{{32}}(?!{_W})"),
    _vendor("Azure storage key", "AccountKey= SharedAccessKey=",
            r"AccountKey=[A-Za-z0-9+/]{86}==|SharedAccessKey=[A-Za-z0-9+/]{43}="),
    _vendor("Azure client secret", "8Q~", r"(?<![\w~.-])[\w~.-]{3}8Q~[A-Za-z0-9_~.-]{31}"),
    _vendor("DigitalOcean token", "_v1_", r"do[oprt]_v1_[0-9a-f]{64}"),
    _vendor("Hugging Face token", "hf_", rf"{_NOT_AFTER_WORD}hf_[A-Za-z]{{34}}(?!{_W})"),
    _vendor("Discord token", ".",
            rf"(?<!{_W})[MNO]{_W}{{23,25}}\.{_W}{{6}}\.{_W}{{27}}"),
    _vendor("Discord webhook", "/api/webhooks/",
            rf"discord(?:app)?\.com/api/webhooks/[0-9]{{17,20}}/{_W}{{60}}"),
    _vendor("Shopify token", "shp", r"shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}"),
    _vendor("Databricks token", "dapi", rf"{_NOT_AFTER_WORD}dapi[0-9a-f]{{32}}"),
    _vendor("Atlassian token", "ATATT3", r"ATATT3[A-Za-z0-9_=-]{100}"),
    _vendor("Terraform token", ".atlasv1.", rf"{_A}{{14}}\.atlasv1\.{_W}{{60}}"),
    _vendor("Vault token", "hvs. hvb.", rf"hv[sb]\.{_W}{{80}}"),
    _vendor("Grafana token", "glsa_", rf"glsa_{_A}{{32}}_[0-9A-Fa-f]{{8}}"),
    _vendor("Linear key", "lin_api_", rf"lin_api_{_A}{{40}}"),
    _vendor("age key", "AGE-SECRET-KEY-1", r"AGE-SECRET-KEY-1[0-9A-Z]{58}"),
    _vendor("private key", "-----BEGIN",
            r"-----BEGIN (?:[A-Z0-9]{1,16} ){0,4}PRIVATE KEY(?: BLOCK)?-----"
            r"(?:\\[rn]|[\s\"'+,#>*/]){0,40}+(?:[A-Za-z0-9+/]{40}|Proc-Type:|Version:|Comment:)"),
    _vendor("signed token (JWT)", ".eyJ",
            rf"\.eyJ(?<={_W}{{17}}\.eyJ){_W}{{8,}}+\.{_W}{{16}}"),
    _vendor("password in an address", "://",
            r"://[^\s:/@\"'<>`]{0,64}+:(?P<password>[^\s/@\"'<>`]{4,128}+)@(?P<host>[A-Za-z0-9._-]+)"),
)  # fmt: skip
