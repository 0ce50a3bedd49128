"""Passwords and keys that only the words around them give away: "… is my password".

A saying is a word for a secret, something that joins it to a value, and a value; each
has its own judge of whether that value is one. "The password was changed on Monday",
`password: str` and "reset my password" say nothing secret.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import NamedTuple

from reverie.encoding.gate.secret_values import (
    SENTENCE_WORDS,
    password,
    placeholder,
    quirky,
    random_looking,
    reference,
    spoken,
    strong,
    telling_word,
    very_random,
)

Judge = Callable[["Said"], bool]


class Said(NamedTuple):
    """A value beside a word for a secret.

    Attributes:
        value: The value, without quotation marks and the full stop after it.
        start: Where it begins.
        end: Where it ends.
        quoted: Whether it stood in quotation marks.
        loose: Whether little joins it to the word: a line end, a table's bar.
        match: The whole saying, in small letters.
        text: The text it stands in.
    """

    value: str
    start: int
    end: int
    quoted: bool
    loose: bool
    match: re.Match[str]
    text: str


class Saying(NamedTuple):
    """One way to tell a secret.

    Attributes:
        kind: What is told, in plain words.
        words: One of these, in small letters, stands in every text that has it.
        pattern: The word, what joins, and the value.
        judge: Whether the value is a secret.
        short: Whether it may be shorter than a `LONG_RUN`.
        before: Whether the value stands before the pattern: "… is my password".
    """

    kind: str
    words: tuple[str, ...]
    pattern: str
    judge: Judge
    short: bool = True
    before: bool = False

    def find(self, text: str, low: str) -> list[tuple[int, int]]:
        """Where the secrets of this kind stand.

        Args:
            text: Any text.
            low: The same in small letters, and as long.
        """
        read = _said_before if self.before else _said
        matches = _compiled(self.pattern).finditer(low)
        found = (read(match, text) for match in matches)
        return [(said.start, said.end) for said in found if self.judge(said)]


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


LONGEST = 200
"""Characters of a value that stands before its word."""

_LOOSE = frozenset(("|", "-", "--", ">"))
_TAIL = ".,:;)]}>\\*"
_QUOTES = "\"'`*(<>|,"
_QUERY = re.compile(r"&\w{1,30}=")


def _said(match: re.Match[str], text: str) -> Said:
    groups = match.groupdict()
    name = next(name for name in _VALUES if groups.get(name))
    start, end = match.span(name)
    value = text[start:end]
    if name == "bare":
        query = _QUERY.search(value)
        value = value[: query.start()] if query else value
        value = value.rstrip(_TAIL) or value
        end = start + len(value)
    loose = groups.get("joint") in _LOOSE or bool(groups.get("line"))
    return Said(value.rstrip("\\"), start, end, name in _QUOTED, loose, match, text)


def _said_before(match: re.Match[str], text: str) -> Said:
    at = match.start()
    last = text[max(0, at - LONGEST) : at].rpartition("\0")[2]
    word = last.rsplit(None, 1)[-1] if last[-1:].strip() else ""
    shown = word.rstrip(_QUOTES)
    value = shown.lstrip(_QUOTES)
    end = at - len(word) + len(shown)
    quoted = len(shown) < len(word)
    start = end - len(value)
    return Said(value, start, end, quoted, loose=False, match=match, text=text)


# --- what a value may be -----------------------------------------------------

_QUOTED = ("double", "single", "tick")
_VALUES = (*_QUOTED, "bare", "secret")
_VALUE = (
    r"(?:\\?\"(?P<double>[^\"\n\0]{1,1000})\"|'(?P<single>[^'\n\0]{1,1000})'"
    r"|`(?P<tick>[^`\n\0]{1,1000})`"
    r"|(?P<bare>[^\s\0\"'`,;:<>|][^\s\0\"'`;<>|]{0,999}))"
)
_JOINT = (
    r"[\"'`\])*_\\]{0,4}[ \t]{0,8}(?P<joint>=>|:=|->|={1,3}|:|>|\||-{1,2}(?=[ \t])"
    r"|(?<=')s(?=[ \t])|(?<=[ \t])(?:is|was|are|ist|lautet|war|est|es|\u00e9|\u00e8"
    r"|will[ \t]be|should[ \t]be)"
    r"(?:[ \t](?:now|currently|still|simply|just|jetzt|to|set[ \t]to))?:?(?=[ \t]))"
    r"[ \t]{0,8}(?P<line>\n{1,2}[ \t]{0,8})?\*{0,2}"
)
_BESIDE = r"[ \t]{1,2}[\"'`*]{0,2}(?P<secret>[a-z0-9+/=_.~-]{16,200})"
_OF = (
    r"(?:[ \t]\([^()\n\0]{1,30}\))?"
    r"(?:[ \t](?:for|of|to|on|at|in|from|f\u00fcr|vom|zum|pour|para|de|del)"
    r"(?:[ \t][\w'&.@/-]{1,30}){1,6}?)?"
)

_ENDS = re.compile(
    r"[\"'`*_)]{0,3}(?:\s*\Z|[ \t]*\n|[.,;!?)|]|[ \t]+(?:and|for|but|on|at|und|\(|-))"
)
_BRACKETS = frozenset("()[]{}")
_SPACES = re.compile(r"\s+")


def _a_password(said: Said) -> bool:
    if _ABOUT_IT.search(said.match["more"] or ""):
        return False
    if said.quoted:
        return _a_quoted_password(said.value)
    if spoken(said.value):
        return not said.loose and _a_spoken_password(said)
    sure = quirky(said.value) and _BRACKETS.isdisjoint(said.value)
    fits = sure if said.loose else password(said.value)
    return fits and not reference(said.value)


def _a_quoted_password(value: str) -> bool:
    words = _SPACES.split(value.strip())
    if len(words) > 1 and all(map(spoken, words)):
        fits = len(words) <= 8 and not placeholder(value)
        return fits and SENTENCE_WORDS.isdisjoint(map(str.lower, words))
    if spoken(value):
        return telling_word(value)
    return len(words) <= 4 and password(value.strip())


def _a_spoken_password(said: Said) -> bool:
    """An ordinary word counts where nothing goes on after it: "… is sunflower."."""
    ends = _ENDS.match(said.match.string, said.end)
    return bool(ends) and telling_word(said.value)


def _a_passphrase(said: Said) -> bool:
    words = _SPACES.split(said.value.lower())
    plain = not said.match["more"] and not said.loose
    return plain and SENTENCE_WORDS.isdisjoint(words)


def _a_strong_one(said: Said) -> bool:
    return quirky(said.value) if said.quoted else strong(said.value)


def _a_given_password(said: Said) -> bool:
    """After a name and the word: `login ann password hunter2`."""
    if spoken(said.value):
        return _a_spoken_password(said)
    return password(said.value) and not reference(said.value)


def _an_odd_word(said: Said) -> bool:
    return quirky(said.value) and not reference(said.value)


def _a_key(said: Said) -> bool:
    """After "key" alone, which may be a table's or a song's, it must be very random."""
    match = said.match
    if _ABOUT_IT.search(match["more"] or "") or reference(said.value):
        return False
    if match.groupdict().get("base") != "key" or _named_key(match):
        return random_looking(said.value)
    return very_random(said.value)


def _named_key(match: re.Match[str]) -> bool:
    """Whether it is an API key, a signing key; in programs, any `STRIPE_KEY=`."""
    start = match.start()
    before = match.string[max(0, start - 24) : start]
    variable = before[-1:] == "_" and match.groupdict().get("joint") in {"=", ":"}
    return variable or bool(_WHOSE_KEY.search(before))


def _a_long_key(said: Said) -> bool:
    return len(said.value) >= 16 and _a_key(said)


_WHOSE_KEY = re.compile(
    r"(?:api|access|auth|secret|private|preshared|signing|encryption|master|service"
    r"|account|admin|app|application|licen[sc]e|deploy|storage|shared|session|bot"
    r"|integration|webhook|hmac|jwt|project|server)[ _-]?\Z"
)
_ABOUT_IT = re.compile(
    r"(?:file|path|hash|len|min|max|polic|reset|ur[il]|field|type|name|prompt|input"
    r"|label|manag|strength|expir|age\b|count|limit|size|hint|requir|less|chang|rotat"
    r"|gener|valid|check|updat|column|attempt|histor|salt|protect|stdin|finger|ttl"
    r"|issuer|endpoint|prefix|version|arn|ref\b|class|budget|usage|_?id\b)",
    re.IGNORECASE,
)
"""Endings that make it something about a password: `password_file`, `token_limit`."""


# --- the table ---------------------------------------------------------------

_PW_WORDS = ("pass", "pw", "kennwort", "contrase", "senha", "wachtwoord", "psk")
_PW = (
    r"(?:pass(?:word|wd|phrase|[ -]?code|wort)(?:\(s\))?|kennwort|mot[ \t]de[ \t]passe"
    r"|contrase[n\u00f1]a|senha|wachtwoord|(?<![a-z])(?:pass|pwd?|psk)(?![a-z]))"
    r"(?P<more>[\w-]{0,24})"
)
_KEY_WORDS = ("key", "token", "secret", "credential", "sess", "auth")
_KEY = (
    r"(?P<base>key|token|secret(?:[ _-]?(?:access[ _-]?)?(?:key|token))?|credentials?"
    r"|(?<![a-z])auth|session[ _-]?(?:id|cookie)|phpsessid)"
    r"(?P<more>s?(?:value|string|prod|dev|live|test)?(?![a-z])[\w-]{0,24})"
)
_ISSUERS = (
    *("datadog", "heroku", "twilio", "mailgun", "cloudflare", "algolia", "mistral"),
    *("cohere", "fastly", "okta", "zendesk", "pagerduty", "segment", "amplitude"),
    *("openweather", "asana", "trello", "hubspot", "intercom", "snyk", "circleci"),
    *("codecov", "jenkins", "vercel", "spotify", "twitch", "deepseek", "pinecone"),
    *("wandb", "azure", "rapidapi", "newsapi", "sonarqube", "bitbucket", "telegram"),
)


def _issuer(name: str) -> Saying:
    """A key that looks like any number, beside its issuer's name."""
    pattern = (
        rf"{name}[^\n\0]{{0,40}}?(?:key|token|secret|auth|pat)(?P<more>[\w-]{{0,16}}?)"
        rf"{_OF}(?:{_JOINT}{_VALUE}|{_BESIDE})"
    )
    return Saying(
        f"{name.capitalize()} key", (name,), pattern, _a_long_key, short=False
    )


SAYINGS: tuple[Saying, ...] = (
    *map(_issuer, _ISSUERS),
    Saying("password", _PW_WORDS, rf"{_PW}{_OF}{_JOINT}{_VALUE}", _a_password),
    Saying(
        "password",
        _PW_WORDS,
        rf"{_PW}{_OF}{_JOINT}(?P<secret>[a-z]{{2,12}}(?:[ -][a-z]{{2,12}}){{2,11}})"
        r"(?=[ \t]*(?:\Z|[\n.,;!?\"'`]))",
        _a_passphrase,
    ),
    Saying(
        "password",
        _PW_WORDS,
        r"(?:set|chang|reset|updat|switch)[a-z]{0,3}(?:[ \t][\w']{1,15}){0,4}?[ \t]"
        rf"{_PW}{_OF}[ \t]to:?[ \t]{_VALUE}",
        _a_password,
    ),
    Saying(
        "password",
        ("pass", "pw", "kennwort"),
        r"(?:pass(?:word|wd|phrase|[ -]?code|wort)|kennwort|(?<![a-z])pwd?)"
        rf"[ \t]{{1,2}}{_VALUE}",
        _a_strong_one,
    ),
    Saying(
        "password",
        ("--pass", "--pw", "sshpass", "mysql"),
        r"(?:--(?:password|passwd|pass|pw)[ \t=]{1,2}|sshpass[ \t]-p[ \t]{0,2}"
        r"|mysql(?:dump)?[ \t][^\n\0]{0,60}?(?<=[ \t])-p(?![ \t]))"
        rf"{_VALUE}",
        _a_given_password,
    ),
    Saying(
        "password",
        _PW_WORDS,
        r"(?:login|user(?:name)?)[ \t:=]{1,3}(?!and\b|or\b)[^\s\0]{1,60}[ \t,;]{1,3}"
        rf"(?:and[ \t])?(?:password|pass|pw)[ \t]{{1,2}}{_VALUE}",
        _a_given_password,
    ),
    Saying(
        "password",
        _PW_WORDS,
        r"[ \t](?:is|as|ist)[ \t](?:(?:the|my|our|his|her|their|your|a|das|mein)[ \t])?"
        r"(?:[\w-]{1,20}[ \t]){0,3}?"
        r"(?:password|passcode|passphrase|passwort|kennwort)"
        r"(?=\s*\Z|[.,;:!?)\n]|[ \t](?:for|to|of|on|at)[ \t])",
        _an_odd_word,
        before=True,
    ),
    Saying(
        "password",
        ("credential", "creds", "login", "log in", "log-in", "account"),
        r"(?:credentials?|creds|logins?|log[ -]in|account)(?:[ \t](?:is|are|with|as))?"
        r"[ \t:=]{1,3}[\w.@+-]{2,40}(?::|[ \t][/|][ \t])"
        r"(?P<bare>[^\s\0\"'`,;<>|/:][^\s\0\"'`;<>|]{0,199})",
        _an_odd_word,
    ),
    Saying(
        "password",
        (" -u", "--user"),
        r"[ \t](?:-u|--user)[ \t=]{1,2}[\"']?[^\s:\"'\0$]{1,60}:"
        r"(?P<bare>[^\s\0\"'`$<>]{1,200})",
        _a_given_password,
    ),
    Saying("API key", _KEY_WORDS, rf"{_KEY}{_OF}{_JOINT}{_VALUE}", _a_key),
    Saying("API key", _KEY_WORDS, rf"{_KEY}{_BESIDE}", _a_long_key),
    Saying(
        "API key",
        _KEY_WORDS,
        r"[ \t](?:is|as|ist)[ \t](?:(?:the|my|our|his|her|their|your|a)[ \t])?"
        r"(?:[\w-]{1,20}[ \t]){0,3}?(?:api[ -]?key|token|secret"
        r"|(?:access|auth|private|secret)[ -]key)(?P<more>)\b",
        _a_long_key,
        short=False,
        before=True,
    ),
)
"""The most telling first: where two overlap, the first names what was found."""
