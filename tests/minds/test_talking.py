"""Talking with a model server: words as they come, and never for more than allowed."""

from __future__ import annotations

import json
import threading
from contextlib import closing
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.minds.servers import (
    KEY,
    MemoryPurse,
    Server,
    completion,
    drips,
    says,
    sends,
    sends_and_holds,
)
from tests.minds.streams import (
    ANTHROPIC,
    HEAD,
    HELLO,
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

from reverie.config import Config, MindConfig
from reverie.minds import open_talker
from reverie.minds.budget import OutOfTokensError
from reverie.minds.http import ServerError
from reverie.minds.mind import (
    Message,
    MindUnavailableError,
    NothingToAnswerError,
    Use,
    merged,
)
from reverie.model.items import Role
from reverie.tokens import count_tokens

if TYPE_CHECKING:
    import socket
    from collections.abc import Iterable

    from reverie.minds.budget import Wish


# --- what is said and heard --------------------------------------------------------


def test_an_answer_comes_piece_by_piece(server: Server, dialect: Dialect) -> None:
    server.does(streams(*dialect.answer("Good ", "morning", ".\n")))

    assert list(talk(server, dialect, model="tiny")) == ["Good ", "morning", ".\n"]
    assert server.purse.used == [Use("chat", "tiny", 40, 7, estimated=False)]
    assert server.purse.standing == {}


def test_the_first_piece_is_heard_while_the_server_writes(
    server: Server, dialect: Dialect
) -> None:
    heard = threading.Event()

    def behave(connection: socket.socket, _: threading.Event) -> None:
        connection.sendall(chunks(dialect.begin, dialect.say("Well")))
        assert heard.wait(10)
        rest = dialect.answer(", yes.")[1:]
        connection.sendall(b"".join(map(chunk, rest)) + LAST)

    server.does(behave)

    pieces = talk(server, dialect)

    assert next(pieces) == "Well"
    heard.set()
    assert list(pieces) == [", yes."]


@pytest.mark.parametrize("size", [1, 7])
def test_bytes_may_be_cut_anywhere(server: Server, dialect: Dialect, size: int) -> None:
    whole = b"".join(dialect.answer("Größe ", "😀 ", "次"))
    whole = b": hello\r\n\r\n" + whole.replace(b"\n", b"\r\n")
    pieces = (whole[at : at + size] for at in range(0, len(whole), size))
    server.does(sends(chunks(*pieces) + LAST))

    assert "".join(talk(server, dialect)) == "Größe 😀 次"


@pytest.mark.parametrize(
    "head",
    [b"HTTP/1.0 200 OK\r\n\r\n", b"HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n"],
)
def test_a_stream_may_end_with_its_connection(
    server: Server, dialect: Dialect, head: bytes
) -> None:
    server.does(sends(head, *dialect.answer("Good ", "day")))

    assert "".join(talk(server, dialect)) == "Good day"


def test_the_messages_go_in_their_order_to_openai(server: Server) -> None:
    server.does(streams(*OPENAI.answer("Yes.")))
    messages = [
        Message(Role.SYSTEM, "Be brief."),
        Message(Role.USER, "One."),
        Message(Role.USER, "Two."),
        Message(Role.ASSISTANT, "  "),
        Message(Role.ASSISTANT, "Three."),
        Message(Role.SYSTEM, "It is late."),
        Message(Role.USER, "Four?"),
    ]

    list(server.talker(model="tiny").talk(messages, most_tokens=MOST))

    heard = server.heard[0]
    assert heard.path == "/v1/chat/completions"
    assert heard.headers["authorization"] == f"Bearer {KEY}"
    assert heard.body == {
        "model": "tiny",
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "One.\n\nTwo."},
            {"role": "assistant", "content": "Three."},
            {"role": "system", "content": "It is late."},
            {"role": "user", "content": "Four?"},
        ],
        "max_tokens": MOST,
        "stream": True,
        "stream_options": {"include_usage": True},
    }


def test_the_system_stands_apart_and_roles_take_turns_for_anthropic(
    server: Server,
) -> None:
    server.does(streams(*ANTHROPIC.answer("Yes.")))
    messages = [
        Message(Role.SYSTEM, "Be brief."),
        Message(Role.ASSISTANT, "Zero."),
        Message(Role.USER, "One."),
        Message(Role.SYSTEM, "It is late."),
        Message(Role.USER, "Two?"),
    ]
    talker = server.talker(style="anthropic", model="claude")

    list(talker.talk(messages, most_tokens=MOST))

    heard = server.heard[0]
    assert heard.path == "/v1/messages"
    assert heard.headers["x-api-key"] == KEY
    assert heard.body == {
        "model": "claude",
        "max_tokens": MOST,
        "system": "Be brief.\n\nIt is late.",
        "messages": [
            {"role": "user", "content": "…"},
            {"role": "assistant", "content": "Zero."},
            {"role": "user", "content": "One.\n\nTwo?"},
        ],
        "stream": True,
    }


MESSAGES = st.lists(
    st.builds(Message, st.sampled_from(Role), st.sampled_from(["", " ", "a", "b\n"]))
)


def words(messages: Iterable[Message]) -> list[str]:
    return [word for message in messages for word in message.text.split()]


@given(MESSAGES)
def test_merged_roles_alternate_and_no_word_is_lost(messages: list[Message]) -> None:
    found = merged(messages)

    roles = [message.role for message in found]
    assert all(one is not other for one, other in pairwise(roles))
    assert words(found) == words(messages)
    assert merged(found) == found


@pytest.mark.parametrize(
    "messages", [[], [Message(Role.USER, " \n")], [Message(Role.SYSTEM, "Be brief.")]]
)
def test_nobody_is_asked_to_answer_nothing(
    server: Server, dialect: Dialect, messages: list[Message]
) -> None:
    talker = server.talker(style=dialect.style)

    with pytest.raises(NothingToAnswerError):
        list(talker.talk(messages, most_tokens=MOST))

    assert (server.heard, server.purse.reserved) == ([], [])


def test_a_server_cannot_steer_the_terminal(server: Server, dialect: Dialect) -> None:
    server.does(streams(*dialect.answer("a\x1b", "]0;gone\x07\x9b2J", "\r\nb\tc")))

    assert "".join(talk(server, dialect)) == "a]0;gone2J\nb\tc"


def test_thoughts_are_not_said(server: Server, dialect: Dialect) -> None:
    said = dialect.answer("<think>x", "</think>\nYes.")
    server.does(streams(dialect.think("Hm. "), *said))

    assert "".join(talk(server, dialect)) == "Yes."


@pytest.mark.parametrize("size", [1, 5, 99])
def test_only_the_first_thought_is_not_said(
    server: Server, dialect: Dialect, size: int
) -> None:
    whole = " <think>a</think> <think>b</think> c"
    pieces = [whole[at : at + size] for at in range(0, len(whole), size)]
    server.does(streams(*dialect.answer(*pieces)))

    assert "".join(talk(server, dialect)) == "<think>b</think> c"


def test_a_character_cut_in_two_comes_out_whole(
    server: Server, dialect: Dialect
) -> None:
    whole = dialect.answer("a", "<", "\x1b>b", "<c", "<")
    halves = {b"<": rb"\ud83d", b">": rb"\ude00"}
    for mark, half in halves.items():
        whole = [each.replace(mark, half) for each in whole]
    server.does(streams(*whole))

    assert list(talk(server, dialect)) == ["a", "😀b", "\ufffdc", "\ufffd"]


def test_bytes_that_are_no_text_are_replaced(server: Server, dialect: Dialect) -> None:
    odd = dialect.say("a?b").replace(b"?", b"\xff")
    server.does(streams(odd, *dialect.answer("c")))

    assert "".join(talk(server, dialect)) == "a\ufffdbc"


@pytest.mark.parametrize("size", [1, 2, 9999])
@pytest.mark.parametrize("end", [b"\r", b"\n", b"\r\n"])
def test_lines_may_end_in_three_ways_after_a_byte_order_mark(
    server: Server, dialect: Dialect, end: bytes, size: int
) -> None:
    whole = dialect.say("Good ") + dialect.say("day") + dialect.stop(dialect.reasons[0])
    whole = b"\xef\xbb\xbf" + whole.replace(b"\n", end)
    pieces = [whole[at : at + size] for at in range(0, len(whole), size)]
    server.does(streams(*pieces))

    assert list(talk(server, dialect)) == ["Good ", "day"]


def test_kinds_of_events_that_nobody_knows_are_left_out(
    server: Server, dialect: Dialect
) -> None:
    odd = [
        event({"type": "content_block_delta", "delta": {"type": "citations_delta"}}),
        event({"type": "message_delta", "choices": [{"delta": None}]}),
        event({"type": "from the future", "choices": [], "delta": 7}),
        event({"type": [], "choices": None}),
        event({}),
    ]
    server.does(streams(*odd, *dialect.answer("Yes.")))

    assert list(talk(server, dialect)) == ["Yes."]


def test_a_server_that_does_not_stream_is_heard_all_the_same(
    server: Server, dialect: Dialect
) -> None:
    whole = completion("Good day") | {
        "content": [{"type": "text", "text": "Good day"}],
        "stop_reason": "end_turn",
        "usage": {
            "prompt_tokens": 40,
            "completion_tokens": 7,
            "input_tokens": 40,
            "output_tokens": 7,
        },
    }
    server.does(says(200, json.dumps(whole)))

    assert list(talk(server, dialect)) == ["Good day"]
    assert (server.purse.tokens, server.purse.used[0].estimated) == (47, False)


def test_what_looked_like_a_thought_is_heard_at_the_end(
    server: Server, dialect: Dialect
) -> None:
    server.does(streams(*dialect.answer("<", "th")))

    assert list(talk(server, dialect)) == ["<th"]


def test_an_answer_without_words_just_ends(server: Server, dialect: Dialect) -> None:
    server.does(streams(*dialect.answer()))

    assert list(talk(server, dialect)) == []


def test_a_server_may_forget_to_say_that_it_is_done(
    server: Server, dialect: Dialect
) -> None:
    whole = dialect.answer("Good day")[:-1]
    server.does(streams(*whole), sends(chunks(*whole)))

    assert list(talk(server, dialect)) == ["Good day"]
    assert list(talk(server, dialect)) == ["Good day"]
    server.does(streams(dialect.begin, dialect.say("Hi"), dialect.last))
    assert list(talk(server, dialect)) == ["Hi"]


# --- closing -----------------------------------------------------------------------


def test_closing_stops_the_request_and_pays_for_what_was_written(
    server: Server, dialect: Dialect
) -> None:
    gone = threading.Event()

    def behave(connection: socket.socket, hold: threading.Event) -> None:
        connection.sendall(chunks(dialect.begin, dialect.say("one two three")))
        try:
            while not hold.wait(0.01):
                connection.sendall(chunk(b": alive\n\n"))
        except OSError:
            gone.set()

    server.does(behave)

    with closing(talk(server, dialect)) as pieces:
        assert next(pieces) == "one two three"
        assert server.purse.standing

    assert gone.wait(10)
    assert server.purse.standing == {}
    use = server.purse.used[0]
    assert (use.output_tokens, use.estimated) == (count_tokens("one two three"), True)
    assert use.input_tokens == (40 if dialect is ANTHROPIC else asked(server))
    assert list(pieces) == []


def test_an_interruption_pays_for_what_was_written(
    server: Server, dialect: Dialect, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.does(sends_and_holds(chunks(dialect.begin, dialect.say("one two"))))
    pieces = talk(server, dialect)
    next(pieces)
    monkeypatch.setattr("reverie.minds.http.Arriving._next", interrupted)

    with pytest.raises(KeyboardInterrupt):
        next(pieces)

    assert server.purse.used[0].output_tokens == count_tokens("one two")
    assert server.purse.standing == {}


def test_an_interruption_before_any_word_pays_for_the_worst(
    server: Server, dialect: Dialect, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.does(sends_and_holds(HEAD))
    monkeypatch.setattr("reverie.minds.http.Arriving.pieces", interrupted)

    with pytest.raises(KeyboardInterrupt):
        next(talk(server, dialect))

    assert server.purse.tokens == asked(server) + MOST


def interrupted(_: object) -> bytes:
    raise KeyboardInterrupt


def test_an_answer_nobody_listens_to_is_not_asked_for(
    server: Server, dialect: Dialect
) -> None:
    talk(server, dialect).close()

    assert (server.heard, server.purse.reserved) == ([], [])


def test_no_thread_and_no_connection_is_left_behind(
    server: Server, dialect: Dialect
) -> None:
    server.does(drips(chunks(dialect.say("x")), chunk(b": alive\n\n")))
    before = threading.active_count()

    with closing(talk(server, dialect)) as pieces:
        next(pieces)
    server.handlers[0].join(10)  # it finds that nobody is there any more

    assert threading.active_count() <= before


# --- limits ------------------------------------------------------------------------


def test_before_anything_is_sent_all_it_may_take_is_put_aside(
    server: Server, dialect: Dialect
) -> None:
    server.does(streams(*dialect.answer("Yes.")))

    list(talk(server, dialect, daily_tokens=9999))

    wish = server.purse.reserved[0]
    assert wish.operation == "chat"
    assert wish.tokens > count_tokens(HELLO.text) + MOST
    assert server.purse.day == 9999


def test_an_operation_s_limit_is_told_before_anything_is_sent(
    server: Server, dialect: Dialect
) -> None:
    message = fails(server, dialect, OutOfTokensError, operation_tokens=60)[1]

    assert "operation_tokens is 60" in message
    assert (server.heard, server.purse.used) == ([], [])


def test_answers_of_one_operation_add_up(server: Server, dialect: Dialect) -> None:
    server.does(streams(*dialect.answer("Yes.")))
    talker = server.talker(style=dialect.style, operation_tokens=150)
    list(talker.talk([HELLO], most_tokens=MOST))
    list(talker.talk([HELLO], most_tokens=MOST))

    with pytest.raises(OutOfTokensError, match="150: 94 tokens are spent"):
        list(talker.talk([HELLO], most_tokens=MOST))

    assert len(server.heard) == 2


def test_the_day_s_limit_is_told_before_anything_is_sent(
    server: Server, dialect: Dialect, monkeypatch: pytest.MonkeyPatch
) -> None:
    def reserve(_: MemoryPurse, wish: Wish, limit: int) -> str:
        name = "mind.daily_tokens"
        raise OutOfTokensError(name, limit, 7, wish, None)

    monkeypatch.setattr(MemoryPurse, "reserve", reserve)

    assert (
        "daily_tokens is 5"
        in fails(server, dialect, OutOfTokensError, daily_tokens=5)[1]
    )
    assert server.heard == []


def test_a_server_that_lies_about_tokens_is_not_believed(server: Server) -> None:
    usage = {"prompt_tokens": 0, "completion_tokens": 10**12}
    server.does(streams(OPENAI.say("Good day"), event({"usage": usage}), OPENAI.last))

    list(talk(server, OPENAI))

    use = server.purse.used[0]
    assert use.estimated
    assert use.tokens == asked(server) + count_tokens("Good day")


# --- who talks ---------------------------------------------------------------------


def test_rules_and_hosts_do_not_talk() -> None:
    for config in (Config().mind, MindConfig(kind="host", model="m")):
        assert open_talker(config, {}, MemoryPurse()) is None


def test_a_talker_has_the_name_of_its_model(server: Server, dialect: Dialect) -> None:
    talker = server.talker(style=dialect.style, model="tiny")

    assert talker.name == "tiny at 127.0.0.1"


def test_a_talker_needs_a_model_and_a_key_that_is_one() -> None:
    with pytest.raises(MindUnavailableError):
        open_talker(MindConfig(kind="api"), {}, MemoryPurse())

    config = MindConfig(kind="api", model="m", key_variable="TINY_API_KEY")
    with pytest.raises(ServerError, match="it is no key"):
        open_talker(config, {"TINY_API_KEY": "two words"}, MemoryPurse())
