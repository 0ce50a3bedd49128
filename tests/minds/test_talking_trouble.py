"""Servers that stop, stall, refuse or ramble in the middle of a conversation."""

from __future__ import annotations

import socket
import threading
from typing import TYPE_CHECKING

import pytest
from tests.minds.servers import (
    KEY,
    Server,
    drips,
    floods,
    http,
    resets,
    says,
    sends,
    sends_and_holds,
    serving,
)
from tests.minds.streams import (
    ANTHROPIC,
    HEAD,
    LAST,
    MOST,
    OPENAI,
    Dialect,
    asked,
    chunk,
    chunks,
    event,
    fails,
    streams,
    talk,
)

from reverie.minds.http import Arriving, Deadline, ServerError
from reverie.minds.mind import CutShortError, DeclinedError
from reverie.tokens import clip_to_tokens, count_tokens

if TYPE_CHECKING:
    from tests.minds.servers import Behaviour


SECONDS = 0.2
"""How long a server that does not go on is waited for."""


# --- answers that stop -------------------------------------------------------------


def test_an_answer_that_is_too_long_is_kept_and_told(
    server: Server, dialect: Dialect
) -> None:
    server.does(streams(*dialect.answer("On and ", "on", reason=dialect.reasons[1])))

    assert fails(server, dialect, CutShortError) == (
        "On and on",
        "the answer was cut off after 50 tokens",
    )
    assert (server.purse.tokens, server.purse.used[0].estimated) == (47, False)


def test_an_answer_that_is_filtered_is_told(server: Server, dialect: Dialect) -> None:
    server.does(streams(*dialect.answer("I will", reason=dialect.reasons[2])))

    assert fails(server, dialect, DeclinedError)[0] == "I will"
    assert server.purse.tokens == 47


def test_an_error_in_the_middle_is_told(server: Server, dialect: Dialect) -> None:
    failure = dialect.fail(f"overloaded\x1b[2J by {KEY}")
    server.does(streams(dialect.begin, dialect.say("Well, "), failure))

    heard, message = fails(server, dialect, ServerError)

    assert heard == "Well, "
    assert message.endswith("broke its answer off: overloaded [2J by [key]")
    assert server.purse.tokens == asked(server) + MOST
    assert len(server.heard) == 1


@pytest.mark.parametrize("ending", ["", "ff\r\ndata: {", "0\r\n\r\n"])
def test_what_came_before_a_cut_is_kept(
    server: Server, dialect: Dialect, ending: str
) -> None:
    said = chunks(dialect.begin, dialect.say("Well, "), dialect.say("yes"))
    server.does(sends(said + ending.encode()))

    heard, message = fails(server, dialect, ServerError)

    assert heard == "Well, yes"
    assert "half a reply" in message
    assert server.purse.tokens == asked(server) + MOST
    assert len(server.heard) == 1


def test_what_came_before_a_hard_cut_is_kept(server: Server, dialect: Dialect) -> None:
    heard = threading.Event()

    def behave(connection: socket.socket, hold: threading.Event) -> None:
        connection.sendall(chunks(dialect.say("Well, ")))
        heard.wait(10)
        resets(b"")(connection, hold)

    server.does(behave)
    pieces = talk(server, dialect)

    assert next(pieces) == "Well, "
    heard.set()
    with pytest.raises(ServerError):
        next(pieces)


BAD: dict[str, Behaviour] = {
    "hangs up": sends(b""),
    "hangs up after the head": sends(HEAD),
    "promises more than it sends": sends(
        HEAD.replace(b"transfer-encoding: chunked", b"content-length: 9")
    ),
    "ends at once": sends(HEAD + LAST),
    "is a web page": says(200, "<p>\n\nHi", content_type="text/html"),
    "has no JSON": streams(b"data: hello\n\n"),
    "has a list": streams(b"data: []\n\n"),
    "is nested deep": streams(b"data: " + b"[" * 99_999 + b"\n\n"),
    "has a choice that is none": streams(event({"choices": ["hi"]})),
    "is an error": says(200, '{"error": {"message": "no"}}'),
    "sends a line without end": floods(HEAD, chunk(b"x" * 9999)),
    "sends comments without end": floods(HEAD, chunk(b":" * 9999 + b"\n")),
}
REFUSING = {
    "has no such model": says(404, "no such model"),
    "does not take the key": says(401, f"who is {KEY}?"),
}


@pytest.mark.parametrize("name", [*BAD, *REFUSING])
def test_a_reply_that_is_no_answer_is_named(
    server: Server, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("reverie.minds.http.LARGEST_STREAM", 2 << 20)
    server.does((BAD | REFUSING)[name])

    heard, _ = fails(server, OPENAI, ServerError, timeout_seconds=20.0)

    assert heard == ""
    assert server.purse.tokens == asked(server) + MOST * (name in BAD)
    assert len(server.heard) == 1


def test_a_stream_that_is_too_long_is_told(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("reverie.minds.http.LARGEST_STREAM", 2 << 20)
    server.does(floods(HEAD, chunk(b":" * 9999 + b"\n")))

    message = fails(server, OPENAI, ServerError, timeout_seconds=20.0)[1]

    assert message.endswith("it is longer than 2 MB")


@pytest.mark.parametrize("word", ["ha ", "ha", "字", "🙂", "x" * 5000 + " "])
def test_an_answer_without_end_is_cut_where_the_limit_is(
    server: Server, dialect: Dialect, word: str
) -> None:
    said = chunk(dialect.say(word * (1 + 200 // len(word))))
    server.does(floods(chunks(dialect.begin), said))

    heard, _ = fails(server, dialect, CutShortError, timeout_seconds=20.0)

    assert count_tokens(heard) <= MOST + MOST // 4
    assert asked(server) < server.purse.tokens <= asked(server) + MOST


def test_an_answer_in_one_piece_is_cut_too_and_paid_only_as_far_as_asked_for(
    server: Server, dialect: Dialect
) -> None:
    server.does(streams(*dialect.answer("no end of words " * 20_000)))

    heard, _ = fails(server, dialect, CutShortError, timeout_seconds=20.0)

    assert 0 < count_tokens(heard) <= MOST + MOST // 4
    assert server.purse.tokens <= asked(server) + MOST


def test_an_answer_may_be_as_long_as_it_was_asked_for(
    server: Server, dialect: Dialect
) -> None:
    words = clip_to_tokens("some words in a row " * 500, MOST)
    server.does(streams(*dialect.answer(*(f"{word} " for word in words.split()))))

    heard = "".join(talk(server, dialect))

    assert heard.split() == words.split()


# --- time --------------------------------------------------------------------------


@pytest.mark.usefixtures("no_time_before_it_is_heard")
@pytest.mark.parametrize(
    ("style", "behaviour"),
    [
        (OPENAI, sends_and_holds(b"")),
        (ANTHROPIC, sends_and_holds(HEAD)),
        (OPENAI, drips(HEAD, chunk(b": alive\n\n"))),
        (ANTHROPIC, drips(HEAD, chunk(event({"type": "ping"})))),
        (OPENAI, drips(http(503, b"", content_length="1000"), b"x")),
    ],
)
def test_a_server_that_never_answers_is_given_up(
    server: Server, style: Dialect, behaviour: Behaviour
) -> None:
    server.does(behaviour)

    message = fails(server, style, ServerError, timeout_seconds=SECONDS)[1]

    assert message.endswith("did not answer within 0.2 s")
    assert server.purse.tokens == asked(server) + MOST
    assert len(server.heard) == 1


def test_a_server_that_falls_silent_is_given_up(
    server: Server, dialect: Dialect
) -> None:
    said = chunks(dialect.begin, dialect.say("Well, "))
    server.does(drips(said, chunk(b": alive\n\n")))

    heard, message = fails(server, dialect, ServerError, timeout_seconds=2.0)

    assert heard == "Well, "
    assert message.endswith("did not go on within 2 s")
    assert server.purse.tokens == asked(server) + MOST


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The time of every deadline, in seconds."""
    now = [0.0]
    monkeypatch.setattr(
        "reverie.minds.http.Deadline",
        lambda seconds: Deadline(seconds, lambda: now[0]),
    )
    return now


@pytest.fixture
def leisurely(clock: list[float], monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever is read takes four seconds."""
    read_next = Arriving._next  # noqa: SLF001

    def read(arriving: Arriving) -> object:
        clock[0] += 4.0
        return read_next(arriving)

    monkeypatch.setattr(Arriving, "_next", read)


@pytest.mark.usefixtures("leisurely")
def test_a_long_answer_may_take_longer_than_the_time_out(
    server: Server, dialect: Dialect, clock: list[float]
) -> None:
    thoughts = [dialect.think("hm")] * 9
    server.does(streams(*thoughts, *dialect.answer(*"abcdefghi")[1:]))

    assert "".join(talk(server, dialect, timeout_seconds=9.0)) == "abcdefghi"
    assert clock[0] > 60


@pytest.mark.usefixtures("leisurely")
def test_signs_of_life_are_no_words(server: Server, dialect: Dialect) -> None:
    pings = [b": alive\n\n", event({"type": "ping"})] * 2
    server.does(streams(dialect.say("a"), *pings, *dialect.answer("b")))

    heard, message = fails(server, dialect, ServerError, timeout_seconds=9.0)

    assert heard == "a"
    assert message.endswith("did not go on within 9 s")


def test_who_listens_slowly_does_not_use_up_the_server_s_time(
    server: Server, dialect: Dialect, clock: list[float]
) -> None:
    server.does(streams(*dialect.answer("a", "b", "c")))
    heard = ""

    for piece in talk(server, dialect, timeout_seconds=5.0):
        heard += piece
        clock[0] += 99.0

    assert heard == "abc"


# --- trying again ------------------------------------------------------------------


def test_a_busy_server_is_asked_again_when_it_says(
    server: Server, dialect: Dialect
) -> None:
    server.does(
        says(429, "slow down", retry_after="3"),
        says(500, "oh"),
        streams(*dialect.answer("Here.")),
    )

    assert list(talk(server, dialect)) == ["Here."]
    assert server.slept == [3.0, 1.0]
    assert [use.output_tokens for use in server.purse.used] == [0, 0, 7]


def test_a_server_that_stays_busy_is_told(server: Server, dialect: Dialect) -> None:
    server.does(says(529, "overloaded"))

    assert "(529): overloaded" in fails(server, dialect, ServerError)[1]
    assert len(server.heard) == 3
    assert server.purse.tokens == 3 * asked(server)


def test_a_server_that_is_not_there_costs_nothing(dialect: Dialect) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        server = Server(port=listening.getsockname()[1])

    fails(server, dialect, ServerError)

    assert server.slept == [0.5, 1.0]
    assert server.purse.tokens == 0


def test_a_redirect_is_not_followed(server: Server, dialect: Dialect) -> None:
    with serving(Server()) as other:
        server.does(says(307, "", location=other.url))
        message = fails(server, dialect, ServerError)[1]

    assert "we do not follow" in message
    assert other.heard == []


def test_a_server_that_does_not_count_when_asked_is_not_asked_to(
    server: Server,
) -> None:
    server.does(
        says(400, '{"error": {"message": "unknown field stream_options"}}'),
        says(400, '{"error": {"message": "use max_completion_tokens"}}'),
        streams(OPENAI.say("Good "), OPENAI.say("day"), OPENAI.last),
    )

    for _ in range(2):
        assert list(talk(server, OPENAI, model="plain")) == ["Good ", "day"]

    last = server.heard[3].body
    assert "stream_options" not in last
    assert last["max_completion_tokens"] == MOST
    assert "max_tokens" not in last
    assert len(server.heard) == 4
    used = server.purse.used[-1]
    assert (used.input_tokens, used.estimated) == (asked(server), True)
    assert used.output_tokens == count_tokens("Good day")


@pytest.mark.parametrize(("style", "times"), [(OPENAI, 2), (ANTHROPIC, 1)])
def test_a_server_that_refuses_everything_is_told(
    server: Server, style: Dialect, times: int
) -> None:
    server.does(says(400, "no"))

    fails(server, style, ServerError)

    assert len(server.heard) == times
