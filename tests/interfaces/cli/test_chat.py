"""`chat`: a conversation with a model, and without one."""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.configured import agree_to
from tests.interfaces.cli.conftest import Desk, on_a_screen
from tests.memory.home import copy_workspace
from tests.minds.servers import Server, completes, completion, says, sends, serving

from reverie.errors import ReverieError
from reverie.interfaces.cli import chat as chatting
from reverie.interfaces.cli.chat import CUT_OFF, FORGETTING, Chat, command_words
from reverie.interfaces.cli.main import HOMES
from reverie.memory import Memory
from reverie.memory.schedule import watch
from reverie.model.reflection import LONG_SESSION

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.interfaces.cli.conftest import Typed
    from tests.minds.servers import Behaviour

    from reverie.minds.mind import Message

WINDOW = "trip"
BADGER = "The badger lives below the shed."


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    """A workspace that knows one thing, to be copied."""
    made = Desk(tmp_path_factory.mktemp("known") / "agent")
    made.done("init")
    made.done("remember", BADGER, "--kind", "fact")
    return made


@pytest.fixture
def desk(known: Desk, tmp_path: Path) -> Desk:
    """A copy of it: making one takes longer."""
    copy_workspace(known.root, tmp_path / "agent")
    return Desk(tmp_path / "agent")


def talk(
    desk: Desk, *lines: str, options: tuple[str, ...] = (), code: int = 0
) -> Typed:
    """Pipe lines into a chat that must end well, or with some code."""
    typed = desk.type(
        "chat", WINDOW, *options, stdin="".join(f"{line}\n" for line in lines)
    )
    assert typed.code == code, typed.err
    return typed


def objects(desk: Desk, *lines: str, code: int = 0) -> list[dict[str, Any]]:
    """What a program that pipes lines into a chat is told."""
    out = talk(desk, *lines, options=("--json",), code=code).out
    return [json.loads(line) for line in out.splitlines()]


def turns(desk: Desk) -> list[tuple[int, str, str]]:
    """The record."""
    said = desk.json("window", "show", WINDOW, "--last", "0")
    return [(turn["number"], turn["role"], turn["text"]) for turn in said]


def answers(*texts: str) -> Behaviour:
    """Say all of this."""
    return completes("".join(texts))


def asked(server: Server, at: int = -1) -> list[tuple[str, str]]:
    """What the model was told."""
    messages = server.heard[at].body["messages"]
    return [(each["role"], each["content"]) for each in messages]


@pytest.fixture
def server(desk: Desk) -> Iterator[Server]:
    """A model that the workspace is configured to talk with."""
    with serving(Server()) as made:
        agree_to(
            desk.root,
            REVERIE_MIND_KIND="api",
            REVERIE_MIND_URL=made.url,
            REVERIE_MIND_MODEL="tiny",
            REVERIE_MIND_RETRIES="0",
        )
        yield made


# --- without a model ---------------------------------------------------------------


def test_without_a_model_it_says_so_and_shows_what_memory_has(desk: Desk) -> None:
    told = talk(desk, "Where does the badger live?", "And the heron?").out

    assert told.count("No model is configured") == 1
    assert 'kind = "api"' in told
    assert "From memory, not from a model:" in told
    assert BADGER in told
    assert "Nothing in memory fits this." in told
    assert turns(desk) == [
        (1, "user", "Where does the badger live?"),
        (2, "user", "And the heron?"),
    ]


def test_what_it_is_told_to_remember_is_remembered_and_recalled(desk: Desk) -> None:
    told = talk(
        desk, "Please remember that the ferry leaves at nine.", "/recall ferry"
    ).out

    first, _, rest = told.partition("\n")
    assert first.startswith("Remembered ")
    assert "ferry leaves at nine" in rest
    assert "From memory" not in told


def test_forgetting_is_shown_asked_and_done(desk: Desk) -> None:
    wish = "Forget about the badger."

    told = talk(desk, wish, "", wish, "no", wish, "all").out

    assert "'the badger':" in told
    assert told.count("Nothing was forgotten.") == 2
    assert told.count("Forgotten.") == 1
    assert archived(desk)


def test_a_wish_that_was_granted_does_not_bring_back_what_it_names(
    desk: Desk,
) -> None:
    talk(desk, "Forget about the badger.", "all")

    assert [text for _, _, text in turns(desk)] == [FORGETTING]
    assert desk.json("attend", "other", "Where does the badger live?")["ids"] == []


def archived(desk: Desk) -> bool:
    (kept,) = desk.json("show", "episodic")
    return bool(kept["status"] == "archived")


def test_who_goes_on_talking_has_said_no_and_is_heard(desk: Desk) -> None:
    told = talk(desk, "Forget about the badger.", "What is for lunch?").out

    assert "Nothing was forgotten." in told
    assert [text for _, _, text in turns(desk)] == [
        "Forget about the badger.",
        "What is for lunch?",
    ]


def test_for_good_takes_a_person(desk: Desk) -> None:
    typed = talk(desk, "Permanently forget about the badger.", "1")

    assert "only a person may" in typed.err
    assert not archived(desk)


def test_later_behind_good_night_answers_what_was_offered(desk: Desk) -> None:
    told = talk(desk, "Remember that tea is green.", "Good night.", "later").out

    assert "Understood: ask again later." in told
    assert "deferred" in told


def test_a_wish_to_reflect_shows_where_reflection_stands(desk: Desk) -> None:
    told = talk(desk, "Let's reflect.").out

    assert "Reflection" in told
    assert "reverie reflect" in told


def test_secrets_are_not_recorded(desk: Desk) -> None:
    told = talk(desk, "My password is Xk7-vale-Quorn9.").out

    assert "Xk7" not in turns(desk)[0][2]
    assert "What looks like a secret was taken out" in told


def test_lines_that_end_with_a_backslash_are_one_message(desk: Desk) -> None:
    talk(desk, "First the ferry,\\", "then the train.", "", "Last\\")

    assert [text for _, _, text in turns(desk)] == [
        "First the ferry,\nthen the train.",
        "Last",
    ]


def test_without_a_name_it_is_a_conversation_of_today(desk: Desk) -> None:
    typed = desk.type("chat", stdin="Hello there.\n")

    assert typed.code == 0
    today = desk.now.astimezone()
    (window,) = desk.json("window")
    assert window["name"] == f"chat-{today:%Y-%m-%d}"


def test_what_one_person_says_is_for_them_alone(desk: Desk) -> None:
    talk(desk, "The surprise is a kite.", options=("--person", "Nora"))

    hers = desk.json("recall", "surprise kite", "--person", "Nora")["hits"]
    his = desk.json("recall", "surprise kite", "--person", "Max")["hits"]

    assert [len(hers), len(his)] == [1, 0]


def test_what_one_person_has_remembered_is_for_them_alone(desk: Desk) -> None:
    lines = ("Please remember that the gift is a lantern.", "/remember A drum, too.")
    talk(desk, *lines, options=("--person", "Nora"))

    his = desk.json("recall", "gift lantern drum", "--person", "Max")["hits"]
    hers = desk.json("recall", "gift lantern drum", "--person", "Nora")["hits"]

    assert not any("lantern" in hit["text"] or "drum" in hit["text"] for hit in his)
    stores = {hit["store"] for hit in hers if "lantern" in hit["text"]}
    assert "episodic" in stores


def test_commands_in_a_chat_are_for_who_chats(desk: Desk) -> None:
    desk.done("say", WINDOW, "The surprise is a kite.", "--person", "Nora")
    commands = ("/recall surprise kite", "/recall surprise kite --context", "/turns")

    his = talk(desk, *commands, options=("--person", "Max")).out
    hers = talk(desk, *commands, options=("--person", "Nora")).out

    assert "is a kite" not in his
    assert hers.count("is a kite") == len(commands)


def test_a_due_summary_is_offered_once_and_none_is_made_up(desk: Desk) -> None:
    talk(desk, *(f"Stop {number} is nice." for number in range(5)))
    desk.wait(minutes=6)

    told = talk(desk, "Shall we go on?", "And on?", "/summary").out

    assert told.count("A summary of this conversation is due") == 1
    assert "Write a concise summary of the current context." in told
    assert {role for _, role, _ in turns(desk)} == {"user"}

    talk(desk, '/summary --answer "Five stops, all of them nice."')
    assert turns(desk)[-1][2] == "Five stops, all of them nice."


# --- slash commands ----------------------------------------------------------------


def test_a_command_that_fails_leaves_the_chat_alive(desk: Desk) -> None:
    wrong = {
        "/recal x": "Did you mean 'recall'?",
        "/remember 'it": "does not end",
        "/show nothing:here": "there is no memory",
        "/recall --nonsense x": "No such option",
        "/remember -": "standard input is this conversation",
        "/chat other": "this is a chat already",
        "/help nosuch": "there is no command 'nosuch'",
    }

    done = talk(desk, *wrong, "Still here.")

    assert [told for told in wrong.values() if told not in done.err] == []
    assert turns(desk) == [(1, "user", "Still here.")]


def test_help_lists_every_command_and_helps_with_one(desk: Desk) -> None:
    told = talk(desk, "/help", "/help /recall").out

    assert set(HOMES) - {"tidy"} <= set(told.split())
    assert "Usage: reverie recall" in told


def test_texts_need_no_quotes_and_may_have_apostrophes(desk: Desk) -> None:
    talk(desk, "/remember It's the red kite, isn't it", "/quit", "never")

    said = [each["text"] for each in desk.json("show", "episodic")]
    assert "It's the red kite, isn't it" in said
    assert desk.json("window") == []


def test_the_conversation_at_hand_has_shortcuts(desk: Desk) -> None:
    edit = "/edit 2 'Two herons.' --role user --actor manual"
    lines = ("One kite.", "Two kites.", "/delete 1", edit)
    told = talk(desk, *lines, "/turns").out

    assert turns(desk) == [(2, "user", "Two herons.")]
    assert "Two herons." in told


def test_a_message_may_begin_with_a_slash(desk: Desk) -> None:
    talk(desk, "//etc is a folder.", "/exit", "never said")

    assert turns(desk) == [(1, "user", "/etc is a folder.")]


def test_a_sub_agent_does_not_chat(desk: Desk) -> None:
    typed = desk.type("chat", "--agent", "researcher", stdin="Hello.\n")

    assert typed.code == 5
    assert desk.json("window") == []


def test_a_model_elsewhere_that_nobody_agreed_to_hears_nothing(
    desk: Desk, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.does(answers("Hello."))
    config = (desk.root / "reverie.toml").read_text(encoding="utf-8")
    elsewhere = config.replace(server.url, "https://elsewhere.example/v1")
    desk.write("reverie.toml", elsewhere)
    monkeypatch.setenv("REVERIE_MIND_URL", "https://elsewhere.example/v1")

    objects(desk, "Hello?")

    assert elsewhere != config
    assert len(server.heard) == 1


# --- for programs ------------------------------------------------------------------


def test_a_program_gets_one_object_a_line(desk: Desk) -> None:
    lines = ("Remember that tea is green.", "The badger?", "/recall tea", "/nope")

    told = objects(desk, *lines, "Forget the badger.")

    start, order, question, memory, command, nope, wish = told
    assert (start["role"], start["model"], start["window"]) == ("start", "", WINDOW)
    assert order["remembered"]
    id_ = next(id_ for id_ in question["attended"] if "#" in id_ or "episode" in id_)
    assert (memory["role"], memory["ids"]) == ("memory", question["attended"])
    assert (command["role"], command["code"]) == ("command", 0)
    assert command["told"]["hits"]
    assert (nope["role"], nope["code"]) == ("command", 2)
    assert wish["forgetting"][0]["matches"][0]["id"] == id_
    key = wish["forgetting"][0]["matches"][0]["key"]
    assert objects(desk, f'/forget "the badger" --confirm {key}')[-1]["code"] == 0


def test_after_a_long_conversation_a_reflection_is_offered(desk: Desk) -> None:
    said = [f"I saw heron {number} at the weir." for number in range(LONG_SESSION)]

    end = objects(desk, "Remember that tea is green.", *said)[-1]

    assert (end["role"], end["reflection"]["state"]) == ("end", "asked")


# --- with a model ------------------------------------------------------------------


def test_an_answer_is_shown_and_recorded_with_its_question(
    desk: Desk, server: Server
) -> None:
    server.does(answers("In ", "Trastevere", ".\x1b[2J\r\n"))

    told = talk(desk, "Where do we stay?").out

    assert "In Trastevere." in told
    assert "\x1b" not in told
    assert turns(desk)[0] == (1, "user", "Where do we stay?")
    number, role, text = turns(desk)[1]
    assert (number, role) == (1, "assistant")
    assert text.startswith("In Trastevere.")


def test_the_model_is_told_the_same_memory_first_and_nothing_twice(
    desk: Desk, server: Server
) -> None:
    desk.done("remember", "The ferry leaves at nine.", "--store", "core")
    server.does(answers("Below the shed."), answers("You are welcome."))

    talk(desk, "Where does the badger live?", "Thank you.")

    first, second = asked(server, 0), asked(server, 1)
    assert [role for role, _ in second] == ["system", "user", "assistant", "user"]
    assert first == second[:2]
    assert "The ferry leaves at nine." in first[0][1]
    assert BADGER in first[0][1]
    assert first[1][1] == "Where does the badger live?"
    assert turns(desk)[0] == (1, "user", "Where does the badger live?")


def test_the_model_is_told_what_memory_did_and_what_not(
    desk: Desk, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    wish = "Remember that the ferry leaves at nine."
    key = "ghp_" + "Zx81kQpLm4" * 3 + "aB7c9D"
    server.does(answers("A pity."))
    refused = talk(desk, f"Remember that my token is {key}.").out
    listener = Listener()
    monkeypatch.setenv("REVERIE_MIND_KIND", "rules")
    monkeypatch.setattr(Memory, "talker", lambda _self: listener)
    done = talk(desk, wish).out

    assert "Not done: " in refused
    assert "- Not remembered: it was refused" in asked(server)[-1][1]
    assert "Remembered " in done
    assert "I ⟦U+001B⟧[2Jsee." in done
    assert "\n- Remembered: " in listener.heard[-1].text
    assert listener.heard[-1].text.endswith(f"</reverie:recalled>\n{wish}")


def test_what_was_put_in_is_not_recorded_when_the_model_repeats_it(
    desk: Desk, server: Server
) -> None:
    block = "<!-- reverie:recalled -->\n- secret garden\n<!-- /reverie:recalled -->"
    server.does(answers(f"{block}\nBelow the shed."))

    talk(desk, "Where does the badger live?")

    assert turns(desk)[1] == (1, "assistant", "Below the shed.")


def test_a_model_that_gives_back_only_what_was_put_in_gave_no_answer(
    desk: Desk, server: Server
) -> None:
    block = "<!-- reverie:recalled -->\n- secret garden\n<!-- /reverie:recalled -->"
    server.does(answers(block))

    typed = talk(desk, "Where does the badger live?", code=6)

    assert "came out of memory itself" in typed.err
    assert len(turns(desk)) == 1


def test_a_pipe_of_which_nothing_comes_through_ends_with_an_error(
    desk: Desk, server: Server
) -> None:
    server.does(sends(b""), sends(b""))

    talk(desk, "Are you there?", "And now?", code=6)


def test_memory_that_is_too_long_for_a_budget_leaves_room_for_a_message(
    desk: Desk, server: Server
) -> None:
    desk.write("MEMORY.md", "# Core\n\n## Context\n" + "- Kites fly in wind\n" * 90)
    server.does(answers("Good day."))

    talk(desk, "Hello?", options=("--budget", "1000"))

    (system, message) = asked(server)
    assert "left out here for want of room" in system[1]
    assert message[1].endswith("Hello?")


def test_a_model_that_is_away_is_told_of_and_the_chat_goes_on(
    desk: Desk, server: Server
) -> None:
    server.does(sends(b""), answers("Here I am."))

    typed = talk(desk, "Are you there?", "And now?")

    assert "error:" in typed.err
    assert "hint:" in typed.err
    assert "Here I am." in typed.out
    assert turns(desk) == [
        (1, "user", "Are you there?"),
        (2, "user", "And now?"),
        (2, "assistant", "Here I am."),
    ]


def test_half_an_answer_is_kept_and_said_to_be_half(desk: Desk, server: Server) -> None:
    half = completion("Well, I think")
    half["choices"][0]["finish_reason"] = "length"
    server.does(says(200, json.dumps(half)))

    typed = talk(desk, "What do you think?")

    assert "error:" in typed.err
    assert turns(desk)[1] == (1, "assistant", f"Well, I think\n\n{CUT_OFF}")


def test_tokens_that_run_out_are_told(
    desk: Desk, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REVERIE_MIND_DAILY_TOKENS", "10")

    typed = talk(desk, "What do you think?", "/turns", code=6)

    assert "mind.daily_tokens" in typed.err
    assert "What do you think?" in typed.out
    assert server.heard == []


def test_a_forgotten_turn_is_told_to_the_model_no_more(
    desk: Desk, server: Server
) -> None:
    server.does(answers("A fine bird."), answers("As you say."))

    talk(desk, "We saw a heron.", "/delete 1", "What now?")

    assert "heron" in str(asked(server, 0))
    assert "heron" not in str(asked(server, 1))


def test_programs_are_told_of_answers_and_of_errors(desk: Desk, server: Server) -> None:
    server.does(answers("Yes."), sends(b""))

    told = objects(desk, "Well?", "And now?")

    assert [each["role"] for each in told] == [
        *("start", "user", "assistant", "user", "error")
    ]
    assert told[0]["model"] == "tiny at 127.0.0.1"
    assert (told[2]["text"], told[2]["number"], told[2]["whole"]) == ("Yes.", 1, True)
    assert told[4]["hint"]


LONG = [f"{number} {'kite ' * 400}" for number in range(4)]
SUMMARY = completes(json.dumps({"summary": "They spoke of kites."}))


def test_a_long_talk_is_pruned_and_summed_up(desk: Desk, server: Server) -> None:
    fine = answers("Fine.")
    server.does(fine, fine, fine, SUMMARY, fine)

    told = talk(desk, *LONG, options=("--budget", "3000"))

    assert told.out.count("Fine.") == 4
    last = asked(server)
    assert "They spoke of kites." in last[1][1]
    assert "0 kite" not in str(last)
    assert last[-1][1].startswith("3 kite")
    assert "They spoke of kites." in [text for _, _, text in turns(desk)]


def test_without_a_summary_the_oldest_goes(desk: Desk, server: Server) -> None:
    fine, away = answers("Fine."), sends(b"")
    server.does(fine, fine, fine, away, fine)

    told = talk(desk, *LONG, options=("--budget", "3000"))

    assert told.out.count("Fine.") == 4
    assert "0 kite" not in str(asked(server))
    assert turns(desk)[0][2].startswith("0 kite")


def test_a_pause_is_summed_up_in_the_background(
    desk: Desk, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REVERIE_CONVERSATION_IDLE_MINUTES", "0")
    monkeypatch.setenv("REVERIE_CONVERSATION_MESSAGES", "2")
    rings: list[Callable[[], None]] = []

    def later(_seconds: float, then: Callable[[], None]) -> _Rung:
        rings.append(then)
        return _Rung()

    def pause(chat: Chat) -> str | None:
        due = rings[-1:]
        rings.clear()
        for ring in due:
            ring()
        return typed(chat)

    typed = Chat._next  # noqa: SLF001 - what happens while nobody speaks
    monkeypatch.setattr(Chat, "_next", pause)
    monkeypatch.setattr(chatting, "watch", partial(watch, schedule=later))
    server.does(answers("One."), answers("Two."), SUMMARY, answers("Three."))

    told = talk(desk, "A kite?", "Two kites?", "Three?").out

    assert told.index("Two.") < told.index("They spoke of kites.")
    assert told.index("They spoke of kites.") < told.index("Three.")
    assert told.count("They spoke of kites.") == 1


class _Rung:
    def cancel(self) -> None:
        """It has run already."""


def test_whatever_is_typed_behind_a_slash_is_words_or_a_known_error() -> None:
    @given(st.text(max_size=50))
    def holds(line: str) -> None:
        try:
            assert command_words(line, "w")
        except ReverieError as error:
            assert error.advice  # noqa: PT017 - either of the two is right

    holds()


# --- Ctrl-C ------------------------------------------------------------------------


class Listener:
    """A model that only listens."""

    name = "patient"

    def __init__(self) -> None:
        self.heard: list[Message] = []

    def talk(self, messages: list[Message], *, most_tokens: int) -> str:
        """Keep what was said."""
        assert most_tokens
        self.heard = messages
        return "I \x1b[2Jsee."


class Interrupted:
    """A model whose answers are interrupted by its human."""

    name = "patient"

    def talk(self, *_: object, **__: object) -> str:
        """Be interrupted."""
        raise KeyboardInterrupt


def test_ctrl_c_stops_an_answer(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Memory, "talker", lambda _self: Interrupted())

    talk(desk, "Tell me.", "Go on.")

    assert turns(desk) == [(1, "user", "Tell me."), (2, "user", "Go on.")]


# --- at a terminal -----------------------------------------------------------------


def test_a_person_sees_one_calm_screen_and_is_asked_at_it(desk: Desk) -> None:
    wish = "Permanently forget about the badger."
    typed = ("Forget about the badger.", "no", wish, "1", "never mind", wish, "all")

    words = ("-w", str(desk.root), "chat", WINDOW)
    code, screen = on_a_screen(words, "\n".join((*typed, "erase", "/quit", "")))

    assert code == 0
    assert "No model is configured" in screen
    assert "/help lists the commands" in screen
    assert "Forget which?" in screen
    assert "it was not confirmed" in screen
    assert "Erased for good." in screen
    assert desk.json("show", "episodic") == []
