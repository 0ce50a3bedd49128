"""The formats of secrets that can be told by their own looks, as a table.

Facts about prefixes and lengths, as their issuers publish them. What can only be told
by the words around it ("my password is …") is in `secret_sayings.py`.

Not in the table: what is no secret though it looks like one. A publishable key, a
public key, a fingerprint, a hash. An IBAN either: it stands on every invoice, and
people want it remembered; it lets nobody take money without a signed mandate.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import NamedTuple

from reverie.encoding.gate.secret_values import (
    card_number,
    decoded,
    issued,
    placeholder,
    very_random,
)

Check = Callable[[str], bool]

MASKED = "\0"
"""What stands where a secret was found already; no pattern may cross it."""


def _always(_: str) -> bool:
    return True


class Format(NamedTuple):
    """One kind of secret.

    Attributes:
        kind: What it is, in plain words.
        words: One of these, in small letters, stands in every text that has it.
        pattern: How it looks. The secret is the group `secret`, or all of it.
        sound: Whether the group `rest`, or the secret, is one and no example.
        short: Whether it may be shorter than a `LONG_RUN`.
        not_after: A word shortly before it that says it is something else.
    """

    kind: str
    words: tuple[str, ...]
    pattern: str
    sound: Check = issued
    short: bool = False
    not_after: str = ""

    def find(self, text: str, _: str) -> list[tuple[int, int]]:
        """Where the secrets of this kind stand."""
        matches = _compiled(self.pattern).finditer(text)
        return [_span(match) for match in matches if self._holds(match)]

    def _holds(self, match: re.Match[str]) -> bool:
        groups = match.groupdict()
        rest = groups.get("rest") or groups.get("secret") or match[0]
        before = match.string[max(0, match.start() - NEAR) : match.start()]
        near = before.rpartition(MASKED)[2].lower()
        other = self.not_after and _compiled(self.not_after).search(near)
        return not other and self.sound(rest)


LONG_RUN = re.compile(r"(?<![\w./+=:-])[\w./+=:-]{16}")
"""Most texts have no such run, and so none of the formats that need one."""


NEAR = 24
"""Characters before a number that may say what it is."""


def _span(match: re.Match[str]) -> tuple[int, int]:
    return match.span("secret" if "secret" in match.re.groupindex else 0)


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


_LEFT = r"(?<![A-Za-z0-9])"
_RIGHT = r"(?![A-Za-z0-9])"


def _token(kind: str, prefix: str, rest: str, words: tuple[str, ...] = ()) -> Format:
    """A prefix that its issuer put there so that it is found."""
    # The letters first: it is them that a search can skip to.
    left = rf"{prefix}(?<![A-Za-z0-9]{prefix})" if prefix.isalnum() else _LEFT + prefix
    pattern = rf"{left}(?P<rest>{rest}){_RIGHT}"
    return Format(kind, words or (prefix.replace("\\", "").lower(),), pattern)


def _armoured(value: str) -> bool:
    """Whether there is a key between the lines, and not three dots."""
    return bool(re.search(r"[A-Za-z0-9+/=]{16}", value))


def _snowflake(value: str) -> bool:
    """The first part of a Discord token is a user's number in base64."""
    return decoded(value.partition(".")[0]).isdigit()


def _login(value: str) -> bool:
    """What a Basic header holds: a name, a colon, a password."""
    return ":" in decoded(value)


def _not_filled_in(value: str) -> bool:
    return not placeholder(value) and value.lower() not in _COMMON_FILLING


_COMMON_FILLING = frozenset(
    ("pass", "password", "passwd", "pwd", "pw", "secret", "token", "key", "port")
)

_ARMOUR = (
    r"-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----"
    r"(?:[^\0-]*(?:-(?!----)[^\0-]*)*-----END (?:[A-Z0-9]+ ){0,3}PRIVATE KEY"
    r"(?: BLOCK)?-----|(?:(?:\s|\\[nr]){1,4}[A-Za-z0-9+/=]{16,})+"
    r"(?:(?:\s|\\[nr])[A-Za-z0-9+/=]{1,80})?)"
)

_OTHER_NUMBERS = (
    r"\b(?:order|invoice|tracking|imei|serial|ticket|parcel|ref|shipment|batch|phone"
    r"|isbn"
    r"|ean|gtin|timestamp|id|account|iban|booking|case|article|part|member|customer)"
)
"""Words before sixteen digits that are no card."""

FORMATS: tuple[Format, ...] = (
    Format("private key", ("private key",), _ARMOUR, _armoured),
    Format(
        "private key",
        ("putty-user-key-file",),
        r"PuTTY-User-Key-File-\d:[^\0]{0,4000}?Private-MAC: ?[0-9a-f]+",
        _always,
    ),
    _token("private key", "AGE-SECRET-KEY-1", "[A-Z0-9]{58}"),
    _token("private key", "nsec1", "[a-z0-9]{58}"),
    _token("private key", "[xyzt]prv", "[1-9A-HJ-NP-Za-km-z]{100,112}", ("prv",)),
    Format(
        "one-time password seed",
        ("otpauth://",),
        r"(?i)otpauth://[th]otp/[^\s\0\"'<>]{0,300}secret=(?P<rest>[a-z2-7]{8,})"
        r"[^\s\0\"'<>]{0,300}",
        _always,
    ),
    _token(
        "AWS access key",
        "(?:AKIA|ASIA|ABIA|ACCA)",
        "[A-Z2-7]{16}",
        ("akia", "asia", "abia", "acca"),
    ),
    Format(
        "AWS secret key",
        (
            "akia",
            "asia",
            "aws",
            "secret access key",
            "secretaccesskey",
            "secret_access",
        ),
        r"(?<![A-Za-z0-9/+_-])[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=_-])",
        very_random,
    ),
    _token(
        "GitHub token",
        "gh[pousr]_",
        "[A-Za-z0-9]{36,}",
        ("ghp_", "gho_", "ghu_", "ghs_", "ghr_"),
    ),
    _token("GitHub token", "github_pat_", "[A-Za-z0-9_]{36,}"),
    _token(
        "GitLab token",
        "gl(?:pat|dt|rt|rtr|cbt|ptt|ft|soat|imt|agent|oas|ffct)-",
        r"[A-Za-z0-9_-]{20,}(?:\.[A-Za-z0-9_-]{2,12}){0,2}",
        (
            "glpat-",
            "gldt-",
            "glrt",
            "glcbt-",
            "glptt-",
            "glft-",
            "glsoat-",
            "glimt-",
            "glagent-",
            "gloas-",
            "glffct-",
        ),
    ),
    _token("Slack token", r"xox[a-z](?:\.xox[a-z])?-", "[A-Za-z0-9-]{12,}", ("xox",)),
    _token("Slack token", "xapp-", r"\d-[A-Za-z0-9-]{20,}"),
    Format(
        "Slack webhook",
        ("hooks.slack.com",),
        r"(?i)(?:https?://)?hooks\.slack\.com/(?:services|workflows"
        r"|triggers)/(?P<rest>[A-Za-z0-9/_-]{20,})",
    ),
    _token(
        "Stripe key", "[sr]k_(?:live|test)_", "[A-Za-z0-9]{16,}", ("k_live_", "k_test_")
    ),
    _token("Stripe key", "whsec_", "[A-Za-z0-9+/=]{24,}"),
    _token("Anthropic key", "sk-ant-", "[A-Za-z0-9_-]{20,}"),
    _token(
        "OpenAI key", "sk-(?:proj|svcacct|admin|None)-", "[A-Za-z0-9_-]{20,}", ("sk-",)
    ),
    _token("OpenAI key", "sk-", "[A-Za-z0-9]{20,}(?:[A-Za-z0-9_-]*[A-Za-z0-9])?"),
    _token("OpenRouter key", "sk-or-", "v1-[0-9a-f]{32,}"),
    _token("Google API key", "AIza", "[A-Za-z0-9_-]{35}"),
    _token("Google client secret", "GOCSPX-", "[A-Za-z0-9_-]{24,}"),
    _token("Google token", r"ya29\.", "[A-Za-z0-9_-]{20,}"),
    _token("Google token", "1//0", "[A-Za-z0-9_-]{30,}"),
    Format(
        "Azure key",
        ("accountkey", "sharedaccesskey"),
        r"(?i)(?:account|sharedaccess)key ?= ?[\"']?"
        r"(?P<secret>[A-Za-z0-9+/]{40,88}={0,2})",
    ),
    Format(
        "Azure key",
        ("sig=",),
        r"(?i)[?&;]sig=(?P<secret>[A-Za-z0-9%+/]{40,120}(?:={1,2}|%3d){0,2})",
    ),
    Format(
        "Azure key",
        ("q~",),
        rf"{_LEFT}[A-Za-z0-9_~.-]{{3}}\dQ~[A-Za-z0-9_~.-]{{31,34}}",
    ),
    Format(
        "JSON web token",
        ("eyj",),
        rf"{_LEFT}eyJ[A-Za-z0-9_-]{{8,}}\.[A-Za-z0-9_-]{{8,}}"
        r"(?:\.[A-Za-z0-9_-]+){0,3}",
    ),
    _token("npm token", "npm_", "[A-Za-z0-9]{36,}"),
    _token("PyPI token", "pypi-", "Ag[A-Za-z0-9_-]{40,}"),
    _token("Twilio key", "SK", "[0-9a-f]{32}"),
    _token("SendGrid key", r"SG\.", r"[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{16,64}"),
    Format(
        "Telegram bot token",
        (":aa",),
        rf"{_LEFT}\d{{8,10}}:AA[A-Za-z0-9_-]{{32,34}}{_RIGHT}",
    ),
    Format(
        "Discord token",
        (),
        r"[MNO](?<![A-Za-z0-9][MNO])[A-Za-z0-9_-]{22,27}\.[A-Za-z0-9_-]{6}"
        r"\.[A-Za-z0-9_-]{27,40}",
        _snowflake,
    ),
    Format(
        "Discord webhook",
        ("/api/webhooks/",),
        r"(?i)(?:https?://)?(?:\w{1,10}\.)?discord(?:app)?\.com/api/(?:v\d+/)?webhooks/\d{10,20}/(?P<rest>[\w-]{40,})",
    ),
    _token("Hugging Face token", "hf_", "[A-Za-z0-9]{30,}"),
    _token("DigitalOcean token", "do[opr]_v1_", "[0-9a-f]{64}", ("_v1_",)),
    _token("Heroku key", "HRKU-", "[A-Za-z0-9_-]{36,}"),
    _token("Mailgun key", "key-", "[0-9a-f]{32}"),
    _token(
        "Mailgun key", "", "[0-9a-f]{32}-[0-9a-f]{8}-[0-9a-f]{8}", ("mailgun", "key")
    ),
    _token("Mailchimp key", "", r"[0-9a-f]{32}-us\d{1,2}", ("-us",)),
    _token("Brevo key", "xkeysib-", "[0-9a-f]{64}-[A-Za-z0-9]{16}"),
    _token("Shopify token", "shp(?:at|ca|pa|ss)_", "[0-9a-fA-F]{32}", ("shp",)),
    _token("Square token", r"sq0[a-z]{3}-", "[A-Za-z0-9_-]{22,}", ("sq0",)),
    _token("Facebook token", "EAA", "[A-Za-z0-9]{80,}"),
    _token("Linear key", "lin_(?:api|oauth)_", "[A-Za-z0-9]{32,}", ("lin_",)),
    _token("Notion token", "(?:secret|ntn)_", "[A-Za-z0-9]{40,}", ("secret_", "ntn_")),
    _token("Airtable token", "pat", r"[A-Za-z0-9]{14}\.[0-9a-f]{64}"),
    _token("Figma token", "figd_", "[A-Za-z0-9_-]{38,}"),
    _token("Postman key", "PMAK-", "[0-9a-f]{24}-[0-9a-f]{34}"),
    _token("Databricks token", "dapi", r"[0-9a-f]{32}(?:-\d)?"),
    _token("Dropbox token", r"sl\.", "[A-Za-z0-9_-]{60,}"),
    _token("Grafana token", "gl(?:c|sa)_", "[A-Za-z0-9+/=_]{32,}", ("glc_", "glsa_")),
    _token("Vault token", r"hv[sbr]\.", "[A-Za-z0-9_-]{24,}", ("hvs.", "hvb.", "hvr.")),
    _token(
        "Terraform token",
        "",
        r"[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{60,}",
        (".atlasv1.",),
    ),
    _token(
        "New Relic key",
        "NR(?:AK|II|JS|RA)-",
        "[A-Za-z0-9]{24,}",
        ("nrak-", "nrii-", "nrjs-", "nrra-"),
    ),
    _token("Sentry token", "sntry[su]_", "[A-Za-z0-9+/=_-]{40,}", ("sntry",)),
    _token(
        "Supabase key",
        "(?:sbp|sb_secret)_",
        "[A-Za-z0-9_-]{24,}",
        ("sbp_", "sb_secret_"),
    ),
    _token("Groq key", "gsk_", "[A-Za-z0-9]{40,}"),
    _token("xAI key", "xai-", "[A-Za-z0-9]{40,}"),
    _token("Perplexity key", "pplx-", "[A-Za-z0-9]{40,}"),
    _token("Replicate token", "r8_", "[A-Za-z0-9]{32,}"),
    _token("LangSmith key", "lsv2_(?:pt|sk)_", "[0-9a-f_]{32,}", ("lsv2_",)),
    _token("RubyGems key", "rubygems_", "[0-9a-f]{48}"),
    _token("Docker Hub token", "dckr_pat_", "[A-Za-z0-9_-]{24,}"),
    _token(
        "Atlassian token",
        "AT(?:ATT3|BB|CTT3)",
        "[A-Za-z0-9_=-]{28,}",
        ("atatt3", "atbb", "atctt3"),
    ),
    _token("Tailscale key", "tskey-", "(?:auth|api|client)-[A-Za-z0-9-]{16,}"),
    _token("Netlify token", "nfp_", "[A-Za-z0-9]{36,}"),
    _token(
        "PlanetScale token",
        "pscale_(?:tkn|pw|oauth)_",
        "[A-Za-z0-9_.=-]{32,}",
        ("pscale_",),
    ),
    _token("Doppler token", r"dp\.(?:pt|st|ct|sa)\.", r"[A-Za-z0-9_.-]{32,}", ("dp.",)),
    _token("Fly token", "fm[12]_", "[A-Za-z0-9+/=,_-]{60,}", ("fm1_", "fm2_")),
    _token("Pulumi token", "pul-", "[0-9a-f]{40}"),
    _token("Mapbox token", r"sk\.eyJ", r"[A-Za-z0-9_-]{20,}\.[A-Za-z0-9_-]{20,}"),
    _token("ElevenLabs key", "sk_", "[0-9a-f]{48}"),
    _token("Alibaba key", "LTAI", "[A-Za-z0-9]{16,}"),
    _token("Teams webhook", r"webhook\.office\.com/webhookb2/", "[A-Za-z0-9@/-]{60,}"),
    Format(
        "password in a URL",
        ("://",),
        r"://[^\s/:@?#\"'<>\0]{0,100}:(?P<secret>[^\s/\"'<>\0]{4,200})@[\w.\[-]",
        _not_filled_in,
        short=True,
    ),
    Format(
        "token in a URL",
        ("://",),
        r"://(?P<secret>[A-Za-z0-9_-]{20,200})@[\w.\[-]",
        very_random,
    ),
    Format(
        "Authorization header",
        ("bearer ",),
        r"(?i)(?<![a-z])bearer[ \t:]{1,3}[\"'`]?(?P<secret>[A-Za-z0-9._~+/=-]{16,})",
    ),
    Format(
        "Authorization header",
        ("basic ",),
        r"(?i)(?<![a-z])basic[ \t:]{1,3}(?P<secret>[A-Za-z0-9+/]{8,}={0,2})",
        _login,
        short=True,
    ),
    Format(
        "payment card",
        (),
        r"\d(?<![A-Za-z0-9.,/+_#-]\d)(?<!\d[ -]\d)(?:\d{13,18}"
        r"|\d{3}(?P<gap>[ -])(?:\d{4}(?P=gap)\d{4}(?P=gap)\d{4}|\d{6}(?P=gap)\d{4,5}))"
        r"(?![A-Za-z0-9_]|[.,]\d|[ -]\d{4}(?!\d))",
        card_number,
        short=True,
        not_after=_OTHER_NUMBERS,
    ),
)
"""The most telling first: where two overlap, the first names what was found."""
