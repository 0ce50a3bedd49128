"""What any memory has to beat: a person with grep, and BM25 over word stems."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from math import log
from typing import TYPE_CHECKING

import numpy as np
import Stemmer

if TYPE_CHECKING:
    from benchmarks.suite.blind import Entry, Query
    from numpy.typing import NDArray

K1 = 1.5
B = 0.75

WORD = re.compile(r"[a-z0-9]+|[\u4e00-\u9fff]")  # a Chinese character is a word
STOP = frozenset(
    {
        *("a", "an", "the", "this", "that", "these"),
        *("and", "or", "but", "if", "so", "than", "then", "as"),
        *("at", "by", "for", "from", "in", "into", "of", "on", "to", "with"),
        *("i", "me", "my", "we", "our", "you", "your", "he", "him", "his"),
        *("she", "her", "it", "its", "they", "them", "their"),
        *("be", "been", "is", "are", "was", "were", "do", "does", "did"),
        *("has", "have", "had", "can", "could", "will", "would", "should"),
        *("how", "what", "when", "where", "which", "who", "whom", "why"),
        *("there", "some"),
        *("s", "t", "m", "d", "re", "ve", "ll"),  # after an apostrophe
    }
)

STEM = Stemmer.Stemmer("english")


def words(text: str) -> list[str]:
    """The words of a text without those that say nothing."""
    return [word for word in WORD.findall(text.lower()) if word not in STOP]


def stems(text: str) -> list[str]:
    """The words of a text, brought to their stems."""
    stemmed: list[str] = STEM.stemWords(words(text))
    return stemmed


# --- grep ----------------------------------------------------------------------


def grep(docs: list[Entry], questions: list[Query], k: int) -> list[list[str]]:
    """Like `grep -i` for each word: the most words found first, then the newest."""
    texts = [(doc["id"], doc["text"].lower()) for doc in reversed(docs)]
    return [grep_one(texts, words(question["text"]), k) for question in questions]


def grep_one(texts: list[tuple[str, str]], wanted: list[str], k: int) -> list[str]:
    """The texts with any of the words, also inside of longer ones."""
    counts = {name: sum(word in text for word in set(wanted)) for name, text in texts}
    found = [name for name, count in counts.items() if count]
    return sorted(found, key=counts.__getitem__, reverse=True)[:k]


# --- BM25 ----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Postings:
    """The documents that have a stem, and what it is worth in each."""

    places: NDArray[np.int32]
    weights: NDArray[np.float32]


def bm25(docs: list[Entry], questions: list[Query], k: int) -> list[list[str]]:
    """Documents by BM25 in Lucene's form; where it is equal, the older first."""
    index = bm25_index([stems(doc["text"]) for doc in docs])
    answers = []
    for question in questions:
        scores = bm25_scores(index, stems(question["text"]), len(docs))
        best = np.argsort(-scores, kind="stable")[:k]
        answers.append([docs[place]["id"] for place in best])
    return answers


def bm25_index(texts: list[list[str]]) -> dict[str, Postings]:
    """The postings of every stem."""
    total = sum(map(len, texts))
    found: defaultdict[str, list[tuple[int, int, float]]] = defaultdict(list)
    for place, text in enumerate(texts):
        length = K1 * (1 - B + B * len(text) * len(texts) / total) if text else 0.0
        for stem, count in Counter(text).items():
            found[stem].append((place, count, length))
    return {stem: weigh(rows, len(texts)) for stem, rows in found.items()}


def weigh(rows: list[tuple[int, int, float]], size: int) -> Postings:
    """Rare stems count more; so do repeated ones, in short documents most of all."""
    places, counts, lengths = zip(*rows, strict=True)
    rarity = log(1 + (size - len(rows) + 0.5) / (len(rows) + 0.5))
    often = np.asarray(counts, dtype=np.float32)
    share = often / (np.asarray(lengths, dtype=np.float32) + often)
    return Postings(np.asarray(places, dtype=np.int32), np.float32(rarity) * share)


def bm25_scores(
    index: dict[str, Postings], query: list[str], size: int
) -> NDArray[np.float32]:
    """What each document is worth to a question; a word asked twice counts twice."""
    scores = np.zeros(size, dtype=np.float32)
    for postings in (index[stem] for stem in query if stem in index):
        scores[postings.places] += postings.weights
    return scores
