"""Our own cutting into pieces against the library whose result it must be."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer

from reverie.embedding import EmbedderUnavailableError
from reverie.embedding.local import Pieces, load_vocabulary, package_folder

if TYPE_CHECKING:
    from pathlib import Path

FILE = package_folder("wordllama") / "tokenizers/l2_supercat_tokenizer_config.json"
LIBRARY = Tokenizer.from_file(str(FILE))
OURS = Pieces(load_vocabulary(FILE))

TEXTS = [
    "What did we decide about authentication last week?",
    "  leading,  double   and trailing blanks    ",
    "one line\nanother line\n\n\na third\r\nand Windows\r\n",
    "def f(x):\n    return {'a': [1, 2.5e-3]}  # ok\n\t\ttabbed",
    "▁a blank as the vocabulary writes it▁▁ here",
    "Grüße, señor: naïve façade \u2013 “quoted” … §12",
    "日本語のテキストです。今日は天気がいい。",
    "中文测试\uff0c混合 English 单词。",
    "한국어 텍스트, русский текст, ελληνικά, مرحبا, नमस्ते",
    "👩‍👩‍👧‍👦 family 🇩🇪 flags 🙂🙂🙂",
    "a\u00a0b\u2009c\u3000d\u200be\ufeff",
    "\x00\x01\x7f control",
    "https://example.com/a/b?c=d&e=f#g user@example.com",
    "aGVsbG8gd29ybGQsIHRoaXMgaXMgYmFzZTY0" * 20,
    "the" * 60,
    "=" * 79,
    "x",
    "\n",
    " ",
]


def _library(text: str) -> list[int]:
    numbers: list[int] = LIBRARY.encode(text, add_special_tokens=False).ids
    return numbers


def test_a_text_is_cut_as_the_library_cuts_it() -> None:
    for text in TEXTS:
        assert OURS.numbers(text) == _library(text)


@given(st.text(st.characters(codec="utf-8"), min_size=1))
def test_any_text_is_cut_as_the_library_cuts_it(text: str) -> None:
    assert OURS.numbers(text) == _library(text)


@given(st.text("theandiou r\n▁.,-0_é漢", min_size=1, max_size=80))
def test_words_that_could_be_cut_many_ways_are_cut_as_the_library_does(
    text: str,
) -> None:
    assert OURS.numbers(text) == _library(text)


def test_a_mark_of_the_vocabulary_is_text_like_any_other() -> None:
    assert 1 not in OURS.numbers("<s>struck out</s>")


def test_half_of_a_surrogate_pair_reads_as_a_question_mark() -> None:
    question_mark = load_vocabulary(FILE)["<0x3F>"]

    assert OURS.numbers("a \ud83d")[-1] == question_mark


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"model": {"vocab": {"a": 1, "b', "cut off, or no vocabulary"),
        ('{"model": {"vocab": {"a": 1}, "merges": []}}', "lacks some bytes"),
    ],
)
def test_a_damaged_vocabulary_is_named(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "tokenizer.json"
    path.write_text(text, encoding="utf-8")

    with pytest.raises(EmbedderUnavailableError, match=said) as caught:
        load_vocabulary(path)

    assert str(path) in str(caught.value)
    assert caught.value.advice
