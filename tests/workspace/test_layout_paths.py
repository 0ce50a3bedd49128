"""Names that may be touched, and the many that may not."""

from __future__ import annotations

# ruff: noqa: RUF001 - look-alikes are what this is about
import os
import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from reverie.errors import RefusedError
from reverie.workspace.layout import (
    NAME_BYTES,
    PATH_BYTES,
    UnsafePathError,
    alias_key,
    is_private,
    is_safe,
    safe_path,
)

TRAVERSAL = [
    *("", ".", "..", "./", "../", "...", "/", "//"),
    *("../x.md", "../../etc/passwd", "memory/..", "memory/../x.md", "a/../../b"),
    *("memory/../../x", "memory/./x.md", "./memory/x.md", "memory//x.md", "a/.."),
    *("memory/", "memory/x.md/", "memory/ /x.md", "memory/. /x", "memory/.. /x"),
    *("memory/..\\x", "..\\x", "..\\..\\windows\\system32", "memory/.../x.md"),
    *("../work", "../workspace/x.md", "memory/x/../../../y", "a/./b", "a/b/."),
]
ABSOLUTE = [
    *("/etc/passwd", "/memory/x.md", "//server/share/x", "\\\\server\\share"),
    *("\\\\?\\C:\\x", "\\\\.\\COM1", "C:\\x", "C:/x", "c:x", "C:", "z:/memory/x.md"),
    *("file:///etc/passwd", "/dev/null", "/proc/self/environ", "\\x", "\\"),
]
ENCODED = [
    *("%2e%2e/x", "%2E%2E/x", "%2e./x", ".%2e/x", "memory%2fx.md", "memory%2Fx"),
    *("%2e%2e%2fx", "..%2fx", "..%5cx", "%5c..%5cx", "memory/%2e%2e/x.md"),
    *("x%00.md", "%00", "memory/x.md%00.txt", "%5C%5Cserver", "a/%2E/b"),
]
CONTROL = [
    f"memory/{name}"
    for name in (
        *("x\0.md", "\0", "x.md\0", "x\n.md", "x\r.md", "x\t.md", "x\x1b[31m.md"),
        *("x\x7f.md", "x\x85.md", "x\x01", "x\x08y", "a\x0bb", "a\x0cb", "\x9f"),
    )
]
BACKSLASHES = ["memory\\x.md", "memory/a\\b.md", "memory/x\\", "a\\..\\b", "~\\x"]
STREAMS = [
    *("memory/x.md:stream", "memory/x.md::$DATA", "memory/x:$I30:$INDEX_ALLOCATION"),
    *("memory::$INDEX_ALLOCATION/x.md", "SOUL.md::$DATA", "x:y", ":x", "a/b:c/d"),
]
WILD = [f"memory/a{char}b.md" for char in '*?"<>|'] + ["memory/*", "?.md", "a | b"]
DEVICES = [
    *("CON", "con", "Con.md", "PRN", "aux", "AUX.md", "nul", "NUL.txt", "nul.tar.gz"),
    *(f"COM{n}" for n in range(10)),
    *(f"lpt{n}.md" for n in range(10)),
    *("COM¹", "com².md", "LPT³", "memory/con", "memory/nul.md", "memory/aux/x.md"),
    *("ＣＯＮ", "ｎｕｌ.md", "ＣＯＭ１"),
]
EDGES = [
    *("x.md.", "memory/x.", "memory./x", "x.md ", " x.md", "memory/ x.md"),
    *("memory /x.md", "memory/x.md ", "x..", "memory/x.md...", "memory/\u00a0x.md"),
    *("memory/x.md\u3000", "memory/\u2003x", "x.md. .", "\u2002"),
]
PRIVATE = [
    *(".git", ".GIT", ".Git", ".gIt", ".git/config", ".GIT/hooks/pre-commit"),
    *("memory/.git", "memory/.git/config", "memory/.GIT/x", ".git ", ".git."),
    *(".gitmodules", ".gitattributes", "memory/.gitattributes", ".gitignore"),
    *(".git::$INDEX_ALLOCATION/config", "git~1", "GIT~1", "GIT~1/config", "git~2"),
    *("memory/git~1/config", "GiT~1", "audit~1", "AUDIT~1/config", "REVERI~1/x"),
    *(".audit", ".AUDIT", ".Audit/HEAD", ".audit/config", "memory/.audit/x"),
    *(".audit/objects/aa/bb", ".audit ", ".audit.", ".audit/hooks/pre-commit"),
    *(".reverie", ".REVERIE/index.db", ".reverie/new/1", "memory/.Reverie/x"),
    *(
        ".\u200cgit",
        ".g\u200cit",
        ".gi\u200dt",
        ".git\u200e",
        "\u200f.git",
        ".\u2060git",
    ),
    *(
        ".g\ufeffit",
        "\ufeff.git",
        ".g\u00adit",
        ".git\u206a",
        ".\u202egit",
        ".g\u2061it",
    ),
    *(
        ".a\u200cudit",
        ".audit\u200b",
        ".rev\u200derie",
        "\u200b.reverie",
        ".re\u00adverie",
    ),
    *("．git", ".ｇit", ".ｇｉｔ", "․git", "．ＧＩＴ/config", "﹒git", ".ⓖⓘⓣ", ".𝐠𝐢𝐭"),
    *("．audit", ".ａｕｄｉｔ", "․reverie", ".ｒｅｖｅｒｉｅ", ".𝒶𝓊𝒹𝒾𝓉"),
]
DECOMPOSED = [
    unicodedata.normalize("NFD", name)
    for name in ("memory/é.md", "Ünal.md", "memory/ñ/x.md", "memory/한글.md", "がく.md")
] + ["memory/\u212b.md", "memory/\u2126.md", "memory/\uf900.md", "a\u0344.md"]
FULLWIDTH = [
    *("．．/x", "‥/x", "．/x", "memory/．．/x", "memory/‥", "․․/x", "．．／x", "..／x"),
    *("memory/．．＼x", "..＼x", "﹒﹒/x", "memory/..／..／x"),
]
INVISIBLE = [
    f"memory/a{char}b.md"
    for char in (
        *(
            "\u202a",
            "\u202b",
            "\u202c",
            "\u202d",
            "\u202e",
            "\u2066",
            "\u2067",
            "\u2068",
        ),
        *(
            "\u2069",
            "\u200e",
            "\u200f",
            "\u061c",
            "\u200b",
            "\u200c",
            "\u2028",
            "\u2029",
        ),
        *("\ufeff", "\u00ad", "\u180e", "\ue000", "\U000f0000", "\U000e0041", "\ufff9"),
        *("\ufffe", "\uffff", "\u0378", "\U000e0001", "\U0001d173"),
    )
]
LONG = [
    *("x" * (NAME_BYTES + 1), "memory/" + "x" * 300 + ".md", "é" * 128, "記" * 86),
    *("a/" * 600 + "x", "memory/" * 200 + "x.md", "🦊" * 64, "x" * 100_000),
]
SURROGATES = [
    *("\ud800", "memory/\udc80.md", "\ud83d.md", "memory/x\udfff", "\udcff\udcfe"),
    *(".g\udc80it", "../\ud800"),
]
HOSTILE = {
    "traversal": TRAVERSAL,
    "absolute": ABSOLUTE,
    "encoded": ENCODED,
    "control": CONTROL,
    "backslash": BACKSLASHES,
    "stream": STREAMS,
    "wild": WILD,
    "device": DEVICES,
    "edge": EDGES,
    "private": PRIVATE,
    "decomposed": DECOMPOSED,
    "fullwidth": FULLWIDTH,
    "invisible": INVISIBLE,
    "long": LONG,
    "surrogate": SURROGATES,
}
BENIGN = [
    *("MEMORY.md", "SOUL.md", "reverie.toml", "memory/episodes/2026-02-02.md"),
    *("memory/vault/passport.md", "memory/graph/entities/person--alex.md", "a/b/c/d"),
    *("memory/vault/Ünal.md", "memory/vault/日本語.md", "memory/vault/한글.md"),
    *("memory/vault/🦊.md", "memory/vault/❤️.md", "memory/vault/ελληνικά.md"),
    *("memory/vault/עברית.md", "memory/vault/हिन्दी.md", "memory/vault/ไทย.md"),
    *("memory/vault/what is this.md", "memory/vault/a..b.md", "memory/vault/x...y"),
    *("memory/vault/100%.md", "memory/vault/50%2525.md", "memory/vault/console.md"),
    *("memory/vault/com10.md", "memory/vault/nullable.md", "memory/vault/gitlab.md"),
    *("memory/vault/digit~1.md", "memory/vault/legit.md", "memory/vault/audit.log"),
    *("memory/vault/x—y.md", "memory/vault/何？.md", "memory/vault/(1) #x & 'y'.md"),
    *("-rf", "--help", "memory/-x.md", "~", "$HOME", "`id`", "x;y", "x" * NAME_BYTES),
]


def test_the_corpus_of_hostile_paths_is_a_large_one() -> None:
    assert len({path for paths in HOSTILE.values() for path in paths}) >= 200


@pytest.mark.parametrize("kind", HOSTILE)
def test_a_hostile_path_is_refused_with_a_reason(kind: str) -> None:
    for path in HOSTILE[kind]:
        with pytest.raises(UnsafePathError, match=r"is not a safe path: .+") as caught:
            safe_path(path)
        assert caught.value.advice
        assert not is_safe(path)


def test_the_reason_names_what_is_wrong() -> None:
    for path, reason in (
        ("", "it is empty"),
        ("/etc/passwd", "it is absolute"),
        ("../x", "'..' part"),
        ("a%2fb", "percent-encoded"),
        ("\ud800", "not valid Unicode"),
        ("x" * 256, "over 255 bytes"),
        ("x/" * 600, f"longer than {PATH_BYTES} bytes"),
        ("nul.md", "device on Windows"),
        ("memory/.GIT", "belongs to git or to Reverie"),
        ("a\u202eb", "invisible characters"),
        ("e\u0301.md", "decomposed Unicode"),
        ("x.md:s", "has one of"),
        ("x.md ", "ends in a dot or space"),
    ):
        with pytest.raises(UnsafePathError, match=reason):
            safe_path(path)


def test_a_refusal_can_be_printed_whatever_the_path_holds() -> None:
    for paths in HOSTILE.values():
        for path in paths:
            with pytest.raises(RefusedError) as caught:
                safe_path(path)
            assert str(caught.value).isprintable()
            str(caught.value).encode("utf-8")


def test_an_ordinary_name_in_any_script_is_accepted_unchanged() -> None:
    for path in BENIGN:
        assert safe_path(path) == path
        assert is_safe(path)


PIECES = st.sampled_from(
    [
        *(
            "..",
            ".",
            "/",
            "\\",
            "%2e",
            "\0",
            "memory",
            ".git",
            "git~1",
            "．",
            "／",
            " ",
        ),
        *("\u200c", "\u202e", "e\u0301", "\ud800", "CON", ":", "x", ".md", "é", "🦊"),
    ]
)
ANY_PATH = st.text(max_size=30) | st.lists(PIECES, max_size=8).map("".join)


@given(ANY_PATH)
@example("a/b")
def test_whatever_is_accepted_stays_inside_the_root(path: str) -> None:
    root = "/space"
    try:
        accepted = safe_path(path)
    except UnsafePathError:
        assert not is_safe(path)
        return

    joined = os.path.normpath(os.path.join(root, accepted))  # noqa: PTH118

    assert joined == f"{root}/{accepted}"
    assert unicodedata.normalize("NFC", accepted) == accepted
    assert not any(map(is_private, accepted.split("/")))


@given(ANY_PATH)
def test_a_part_of_an_accepted_path_is_accepted_alone(path: str) -> None:
    parts = path.split("/")
    if is_safe(path):
        assert all(map(is_safe, parts))


def test_spellings_of_one_file_have_one_key() -> None:
    for spelling in ("soul.md", "SOUL.MD", "Ｓoul.md", "so\u200cul.md", "SOUL.md"):
        assert alias_key(spelling) == alias_key("SOUL.md")


def test_composed_and_decomposed_names_have_one_key() -> None:
    assert alias_key("e\u0301.md") == alias_key("é.md")


def test_different_files_have_different_keys() -> None:
    assert alias_key("memory/a.md") != alias_key("memory/b.md")
