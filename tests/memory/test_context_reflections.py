"""Every line of the checklists for context reflections is a sentence here (002)."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner
from tests.configured import agree
from tests.memory.home import CONFIG, agrees
from tests.memory.talks import (
    PROMPT,
    ROME,
    SUMMARY,
    Timers,
    found,
    offered,
    rows,
    summed_up,
    talked,
    texts,
    thoughtful,
    typed,
    vectors,
)

from reverie import Memory, ReverieError
from reverie.config import Config
from reverie.conversation.context_reflection import OBSERVING
from reverie.errors import RefusedError
from reverie.interfaces.cli.command import Invocation
from reverie.interfaces.cli.main import cli
from reverie.interfaces.cli.window import told_turn
from reverie.memory.schedule import watch
from reverie.model.conversation import Cause
from reverie.model.items import Role, Turn

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.memory.home import Home

    from reverie.interfaces.cli.output import Page
    from reverie.minds.mind import Mind, Question

SOURCE = Path(__file__).parents[2] / "src"
FILE = "conversations/rome.md"
BOTH = {"turn:rome/6/system/0", "turn:rome/6/assistant/0"}
"""The two halves of a context reflection behind five pairs."""

PARAGRAPHS = "\n\n".join(
    f"{name} " + " ".join(f"word{name}{n}" for n in range(120))
    for name in ("Alpha", "Beta", "Gamma")
)


def test_a_timer_waits_for_as_long_as_nobody_may_speak(home: Home) -> None:
    """Core: something keeps track of how long the user is silent."""
    memory, _ = thoughtful(home)
    timers = Timers(home.clock)

    with watch(memory, schedule=timers):
        assert timers.running == []
        memory.window("rome").say(ROME[0][0])

        assert timers.running == [300]
    assert timers.running == []


def test_a_window_is_summed_up_when_the_idle_time_is_over(home: Home) -> None:
    """Core: the threshold starts a reflection."""
    memory, mind = thoughtful(home)
    timers = Timers(home.clock)

    with watch(memory, schedule=timers):
        talked(memory)
        timers.forward(minutes=5)

    assert len(mind.questions) == 1
    assert memory.turns("rome")[-1].text == SUMMARY


def test_the_prompt_is_a_system_turn_word_for_word(home: Home) -> None:
    """Core: the system message."""
    memory, mind = thoughtful(home)

    asked = summed_up(talked(memory)).prompt

    assert (asked.role, asked.text) == (Role.SYSTEM, PROMPT)
    assert PROMPT in mind.questions[0].text


def test_the_answer_is_asked_for_within_two_thousand_tokens(home: Home) -> None:
    """Core: the response, with its length capped."""
    memory, mind = thoughtful(home, [{"summary": "palm tree " * 1_500}] * 3)
    window = talked(memory)
    before = window.turns()

    with pytest.raises(ReverieError, match="2,000 tokens"):
        window.reflect()

    assert "2,000" in mind.questions[0].text
    assert 2_000 <= mind.questions[0].most_tokens - OBSERVING < 2_500
    assert window.turns() == before


def test_prompt_and_summary_are_turns_like_any_others(home: Home) -> None:
    """Core: both are stored as an ordinary pair."""
    memory, _ = thoughtful(home)
    summed_up(talked(memory))

    assert rows(memory, "rome") >= BOTH
    assert "| system | turn:6 | reflection:asked\n" + PROMPT in home.text(FILE)
    heading = "| assistant | turn:6 | reflection:asked | episode:agent\n"
    assert heading + SUMMARY in home.text(FILE)
    assert [(t.number, t.role) for t in memory.turns("rome", last=4)] == [
        (5, Role.USER),
        (5, Role.ASSISTANT),
        (6, Role.SYSTEM),
        (6, Role.ASSISTANT),
    ]


def test_both_halves_are_shown_to_the_user(home: Home) -> None:
    """Core: both are rendered."""
    memory, _ = thoughtful(home)
    summed_up(talked(memory))

    page = " ".join(typed(home, "window", "show", "rome").split())

    assert page.endswith(
        f"{PROMPT} 6 Assistant 2026-02-02 12:00 · summary, asked {SUMMARY}"
    )


def test_a_reflection_is_deleted_without_leaving_the_record(home: Home) -> None:
    """Core: deletion is soft, and takes the vectors."""
    memory, _ = thoughtful(home)
    summed_up(talked(memory))
    assert vectors(memory, "rome").keys() >= BOTH

    memory.window("rome").delete(6)

    assert not BOTH & rows(memory, "rome")
    assert not BOTH & vectors(memory, "rome").keys()
    assert SUMMARY in home.text(FILE)
    assert home.text(FILE).count("deleted:2026-02-02") == 2


def test_the_system_message_gets_the_next_number(home: Home) -> None:
    """Pairs: the prompt has a number of its own."""
    memory, _ = thoughtful(home)

    assert summed_up(talked(memory)).prompt.number == 6


def test_the_summary_gets_the_number_of_its_prompt(home: Home) -> None:
    """Pairs: the response has the same number, whatever is said meanwhile."""

    def interrupted(_: Question) -> dict[str, str]:
        with Memory(home.root, clock=home.clock, environ={}, human=agrees) as other:
            other.window("rome").say("One more thing!")
        return {"summary": SUMMARY}

    memory, _ = thoughtful(home, interrupted)

    done = summed_up(talked(memory))

    assert (done.prompt.number, done.summary.number) == (7, 7)
    assert [t.text for t in memory.turns("rome", last=3)] == [
        "One more thing!",
        PROMPT,
        SUMMARY,
    ]


def test_a_long_summary_is_cut_into_passages_at_its_paragraphs(home: Home) -> None:
    """Pairs: both halves are cut at paragraphs."""
    memory, _ = thoughtful(home, PARAGRAPHS)
    summed_up(talked(memory), "First part?\n\nSecond part?")

    hit = found(memory, "wordGamma7 wordGamma8").hits[0]

    assert hit.id.startswith("turn:rome/6/assistant/")
    assert not hit.id.endswith("/0")
    assert hit.passage.startswith("Gamma")
    assert "wordAlpha" not in hit.passage
    assert hit.text == PARAGRAPHS


def test_a_summary_is_embedded_together_with_its_prompt(home: Home) -> None:
    """Pairs: the prompt has a share in the vectors of the answer."""
    memory = home.memory
    for name in ("a", "b", "c"):
        memory.window(name).say("Hello there.")
        question = "Which animals are left?" if name == "c" else PROMPT
        memory.window(name).note(SUMMARY, question)

    of = {name: vectors(memory, name) for name in ("a", "b", "c")}

    assert of["a"]["turn:a/2/assistant/0"] == of["b"]["turn:b/2/assistant/0"]
    assert of["a"]["turn:a/2/assistant/0"] != of["c"]["turn:c/2/assistant/0"]


def test_every_passage_has_a_vector_in_the_index(home: Home) -> None:
    """Pairs: all of it is in the index."""
    memory, _ = thoughtful(home, PARAGRAPHS)
    summed_up(talked(memory))

    kept = vectors(memory, "rome")

    assert kept.keys() >= BOTH
    assert len(kept["turn:rome/6/assistant/0"]) == 3 * len(kept["turn:rome/6/system/0"])


@pytest.mark.parametrize(
    "roles",
    [
        ("system",),
        ("user",),
        ("assistant",),
        ("system", "assistant"),
        ("user", "assistant"),
    ],
)
def test_a_number_that_was_taken_meanwhile_is_exchanged_for_the_next(
    home: Home, roles: tuple[str, ...]
) -> None:
    """Pairs: a refused number is asked for anew; both are kept, pairs stay pairs."""

    def beside_a_writer(_: Question) -> dict[str, str]:
        home.memory._session.write_down()  # noqa: SLF001 - as another process would
        more = "".join(
            f"\n## 2026-02-02 12:00:00 | {role} | turn:6\nTyped as {role}.\n"
            for role in roles
        )
        home.type(FILE, home.text(FILE) + more)
        return {"summary": SUMMARY}

    memory, _ = thoughtful(home, beside_a_writer)
    summed_up(talked(memory))
    memory.window("rome").say("What else?")

    told = [(t.number, t.text) for t in memory.turns("rome") if t.number > 5]
    assert told == [
        *((6, f"Typed as {role}.") for role in roles),
        (7, PROMPT),
        (7, SUMMARY),
        (8, "What else?"),
    ]
    assert memory.check() == []


def test_reflections_are_shown_like_all_other_turns(home: Home) -> None:
    """Screen: rendered as ordinary turns, in their place."""
    memory, _ = thoughtful(home)
    summed_up(talked(memory, pairs=ROME[:1]))
    memory.window("rome").say("What else?")

    page = typed(home, "window", "show", "rome")

    said = [*ROME[0], PROMPT, SUMMARY.partition(";")[0], "What else?"]
    assert sorted(said, key=page.index) == said
    listed = json.loads(typed(home, "window", "show", "rome", "--json"))
    assert len({frozenset(turn) for turn in listed}) == 1


def test_a_page_shows_where_a_talk_paused(home: Home) -> None:
    window = home.memory.window("rome")
    window.say("Where do we stay?")
    home.clock.forward(hours=4)
    window.say("In Trastevere.", role=Role.ASSISTANT)
    home.clock.forward(hours=4)
    window.say("And what do we eat?")

    page = typed(home, "window", "show", "rome")

    assert page.count("after a pause") == 1
    assert page.index("Trastevere") < page.index("after a pause") < page.index("eat")


def test_reflections_have_a_colour_of_their_own(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Screen: visually distinct."""
    memory, _ = thoughtful(home)
    summed_up(talked(memory, pairs=ROME[:1]))

    styles = dict(_shown(home, monkeypatch))

    assert styles[PROMPT] == styles[SUMMARY] == "mused"
    assert styles[ROME[0][0]] == styles[ROME[0][1]] == ""


@pytest.mark.parametrize("role", [Role.SYSTEM, Role.ASSISTANT])
def test_either_half_can_be_deleted_from_the_command_line(
    home: Home, role: Role
) -> None:
    """Screen: both messages can be deleted where they are shown."""
    memory, _ = thoughtful(home)
    summed_up(talked(memory))

    told = typed(home, "window", "delete", "rome", "6", "--role", role)

    assert "Deleted turn 6." in told
    assert "reverie undo" in told
    left = [t.role for t in memory.turns("rome") if t.number == 6]
    assert left == [Role.ASSISTANT if role is Role.SYSTEM else Role.SYSTEM]


def test_who_waits_for_a_summary_reads_that_it_is_being_written(home: Home) -> None:
    """Screen: the status while the summary is generated."""
    memory, mind = thoughtful(home)
    talked(memory)
    seen: list[str] = []

    done = CliRunner().invoke(
        cli,
        ("window", "reflect", "rome"),
        obj=_Watched(home, mind, seen),
        prog_name="reverie",
    )

    assert done.exit_code == 0
    assert seen == ["AI is reflecting…", "over"]
    assert SUMMARY.partition(";")[0] in done.stdout


def test_the_status_of_a_window_follows_its_reflection(home: Home) -> None:
    """Screen: the status line, before, during and after."""
    seen: list[str] = []

    def look(_: Question) -> dict[str, str]:
        seen.append(typed(home, "window"))
        with Memory(home.root, clock=home.clock, environ={}, human=agrees) as other:
            assert [view.reflecting for view in other.windows()] == [True]
        return {"summary": SUMMARY}

    memory, _ = thoughtful(home, look)
    window = talked(memory)
    home.clock.forward(minutes=5)
    before = typed(home, "window")
    window.reflect(cause=Cause.IDLE)

    assert "a summary is due" in before
    assert "a summary is being written" in seen[0]
    assert "a summary is" not in typed(home, "window")
    assert [view.reflecting for view in memory.windows()] == [False]


def test_the_idle_time_can_be_set_and_is_five_minutes(home: Home) -> None:
    """Settings: the threshold."""
    assert Config().conversation.idle_minutes == 5
    memory, _ = thoughtful(home, REVERIE_CONVERSATION_IDLE_MINUTES="2.5")
    window = talked(memory)

    home.clock.forward(minutes=2)
    assert not window.due()
    home.clock.forward(seconds=30)
    assert window.due()


def test_the_length_can_be_set_and_is_two_thousand_tokens(home: Home) -> None:
    """Settings: the most tokens."""
    assert Config().conversation.most_tokens == 2_000
    memory = home.reopen(REVERIE_CONVERSATION_MOST_TOKENS="60")
    window = talked(memory)

    assert offered(window.reflect()).most_tokens == 60
    with pytest.raises(RefusedError, match="60 tokens"):
        window.note("palm tree " * 60)


def test_the_prompt_can_be_set_in_the_workspace_and_for_one_time(home: Home) -> None:
    """Settings: a prompt of one's own."""
    own = "Summarise what we discussed and list open questions."
    home.type(CONFIG, f'[conversation]\nprompt = "{own}"\n')
    agree(home.root)
    memory, _ = thoughtful(home)
    window = talked(memory)

    assert summed_up(window).prompt.text == own
    assert summed_up(window, "Which animals?").prompt.text == "Which animals?"


def test_reflections_can_be_switched_off(home: Home) -> None:
    """Settings: on and off."""
    memory, mind = thoughtful(home, REVERIE_CONVERSATION_REFLECTIONS="false")
    timers = Timers(home.clock)

    with watch(memory, schedule=timers):
        window = talked(memory)
        timers.forward(minutes=60)
        window.say("Back again.")

    assert not window.due()
    assert memory.idle() == ()
    assert mind.questions == []


def test_the_colour_can_be_switched_off(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Settings: visual distinction on and off."""
    memory, _ = thoughtful(home)
    done = summed_up(talked(memory, pairs=ROME[:1]))
    home.type(CONFIG, "[conversation]\ndistinct = false\n")

    assert dict(_shown(home, monkeypatch))[SUMMARY] == ""
    assert _styles(told_turn(done.summary, distinct=True)) != _styles(
        told_turn(done.summary, distinct=False)
    )


def test_five_minutes_of_silence_after_five_messages_bring_a_reflection(
    home: Home,
) -> None:
    """Tests: it triggers after the idle time, and not before enough was said."""
    memory, mind = thoughtful(home)
    window = talked(memory, pairs=ROME[:4])
    home.clock.forward(minutes=30)
    assert memory.idle() == ()
    window.exchange(*ROME[4])
    home.clock.forward(minutes=4, seconds=59)
    assert memory.idle() == ()
    home.clock.forward(seconds=1)

    assert len(memory.idle()) == 1
    assert window.turns()[-1].field("reflection") == "idle"
    home.clock.forward(minutes=60)
    assert memory.idle() == ()
    assert len(mind.questions) == 1


def test_a_message_in_between_puts_the_reflection_off(home: Home) -> None:
    """Tests: each message resets the timer."""
    memory, mind = thoughtful(home)
    timers = Timers(home.clock)

    with watch(memory, schedule=timers):
        window = talked(memory)
        timers.forward(minutes=4)
        window.say("One more thing.")
        timers.forward(minutes=4)
        assert mind.questions == []
        timers.forward(minutes=1)

    assert len(mind.questions) == 1


def test_a_reflection_is_stored_as_an_ordinary_pair(home: Home) -> None:
    """Tests: no second schema; who reads turns reads it too."""
    memory, _ = thoughtful(home)
    done = summed_up(talked(memory))

    stored = [turn for turn in memory.turns("rome") if turn.number == 6]

    assert stored == [done.prompt, done.summary]
    assert all(type(turn) is Turn for turn in stored)
    assert memory.check() == []


def test_both_halves_come_back_unharmed_from_the_file(home: Home) -> None:
    """Tests: both chunks are stored correctly, also after the index is lost."""
    hard = "## Plan | turn:9\n\n> “quoted” — <b>bold</b>\n\n- [ ] *open*"
    memory, _ = thoughtful(home, hard)
    summed_up(talked(memory), "What | is\n## open?")
    memory.rebuild()

    told = {t.role: t.text for t in home.reopen().turns("rome") if t.number == 6}

    assert told == {Role.SYSTEM: "What | is\n## open?", Role.ASSISTANT: hard}
    assert rows(home.memory, "rome") >= BOTH


def test_a_reflection_comes_back_where_it_fits(home: Home) -> None:
    """Tests: it is resurrected when it is relevant, and only then."""
    memory, _ = thoughtful(home)
    summed_up(talked(memory))

    fits = memory.attend("home", "Who feeds the tortoise while we are away?")
    not_at_all = memory.attend("work", "Which database migration failed?")

    assert "turn:rome/6/assistant/0" in fits.ids
    assert "turn:rome/6/assistant/0" not in not_at_all.ids


def test_a_summary_comes_back_together_with_its_prompt(home: Home) -> None:
    """Tests: the system prompt is resurrected with the summary."""
    memory, _ = thoughtful(home)
    summed_up(talked(memory))

    hit = found(memory, "feeds the tortoise").hits[0]
    attended = memory.attend("home", "Who feeds the tortoise while we are away?")
    memory.window("home").say("Who feeds the tortoise while we are away?")
    awake = memory.wake("home")

    assert [(b.relation, b.text) for b in hit.beside][:1] == [("pair", PROMPT)]
    assert SUMMARY in attended.memories
    assert PROMPT in attended.memories
    assert set(awake.resurrected) >= BOTH
    assert f"your summary: {SUMMARY}" in awake.turns
    assert f"asked of you: {PROMPT}" in awake.turns


def test_the_user_can_delete_a_reflection_and_take_that_back(home: Home) -> None:
    """Tests: soft deletion by the user."""
    memory, _ = thoughtful(home)
    summed_up(talked(memory))

    typed(home, "window", "delete", "rome", "6", "--reason", "that is not so")

    assert all(turn.number < 6 for turn in memory.turns("rome"))
    kept = [t.text for t in memory.turns("rome", deleted=True) if t.number == 6]
    assert kept == [PROMPT, SUMMARY]
    typed(home, "undo")
    assert memory.turns("rome")[-1].text == SUMMARY


def test_a_deleted_reflection_never_comes_back(home: Home) -> None:
    """Tests: what was deleted is not resurrected, by nobody and in no way."""
    memory, _ = thoughtful(home)
    summed_up(talked(memory))
    memory.window("rome").delete(6)
    question = "Who feeds the tortoise while we are away?"

    for _ in range(2):
        assert SUMMARY not in texts(found(memory, question))
        assert "tortoise." not in memory.attend("home", question).text
        assert "tortoise." not in memory.context(question)
        memory.window("home").say(question)
        assert SUMMARY not in memory.wake("home", new=True).text
        assert SUMMARY not in memory.wake("rome", new=True).text
        memory.rebuild()


READER = """
import json, sys
from datetime import datetime, UTC
from reverie import Memory
noon = datetime(2026, 2, 2, 13, tzinfo=UTC)
memory = Memory(sys.argv[1], clock=lambda: noon, environ={})
memory.tidy_on_close = False
memory.window("b").exchange("Hello?", "Good morning.")
first = memory.recall("feeds the tortoise", least=0).hits
print(json.dumps([hit.text for hit in first]), flush=True)
sys.stdin.readline()
hit = memory.recall("Who feeds the tortoise?").hits[0]
told = memory.attend("b", "Who feeds the tortoise?")
print(json.dumps([hit.text, [b.text for b in hit.beside], told.memories]), flush=True)
memory.close()
"""

WRITER = """
import sys
from datetime import datetime, UTC
from reverie import Memory, ScriptedMind
noon = datetime(2026, 2, 2, 12, tzinfo=UTC)
mind = ScriptedMind([{"summary": sys.argv[2]}])
memory = Memory(sys.argv[1], clock=lambda: noon, environ={}, mind=mind)
memory.tidy_on_close = False
memory.window("a").exchange("Where do we stay in Rome?", "In Trastevere.")
memory.window("a").reflect()
import os
os._exit(0)  # nobody closes it
"""


def test_windows_in_other_processes_see_each_others_reflections(home: Home) -> None:
    """Tests: what one window understood, all know, and what asked for it."""
    home.memory.close()
    keys = {"XDG_DATA_HOME": os.environ["XDG_DATA_HOME"]}
    environ = {"PYTHONPATH": str(SOURCE), "PATH": "/usr/bin:/bin", **keys}
    start = [sys.executable, "-c"]
    with subprocess.Popen(
        [*start, READER, str(home.root)],
        env=environ,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as reader:
        assert reader.stdin
        assert reader.stdout
        before = json.loads(reader.stdout.readline())
        subprocess.run(
            [*start, WRITER, str(home.root), SUMMARY], env=environ, check=True
        )
        reader.stdin.write("now\n")
        reader.stdin.flush()
        text, beside, told = json.loads(reader.stdout.readline())

    assert SUMMARY not in before
    assert (text, beside) == (SUMMARY, [PROMPT])
    assert SUMMARY in told
    assert PROMPT in told


def test_a_reflection_is_on_the_screen_and_looks_like_one(home: Home) -> None:
    """Tests: visible, and visually distinct."""
    memory, _ = thoughtful(home)
    talked(memory)
    home.clock.forward(minutes=5)
    memory.idle()

    page = typed(home, "window", "show", "rome", "--last", "2")
    overview = typed(home, "window").splitlines()

    assert page.count("summary, idle") == 2
    assert overview[0].split()[:3] == ["conversation", "turns", "summaries"]
    assert overview[1].split()[:3] == ["rome", "12", "1"]


def _shown(home: Home, monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    """What `window show` prints, and in which style."""
    pages: list[Page] = []
    monkeypatch.setattr(Invocation, "say", lambda _, page: pages.append(page))
    typed(home, "window", "show", "rome")
    return _styles(pages[0])


def _styles(page: Page) -> list[tuple[str, str]]:
    pieces = [piece for line in page if isinstance(line, tuple) for piece in line]
    return [(str(piece), getattr(piece, "style", "")) for piece in pieces]


class _Watched(Invocation):
    """A command typed by somebody who watches, where a mind is at hand."""

    def __init__(self, home: Home, mind: Mind, seen: list[str]) -> None:
        super().__init__(str(home.root), clock=home.clock, human=agrees)
        self._mind, self._seen = mind, seen

    @contextmanager
    def open(self) -> Iterator[Memory]:
        made = Memory(
            self.root, clock=self.clock, environ={}, mind=self._mind, human=agrees
        )
        with self.using(made) as memory:
            yield memory

    @contextmanager
    def progress(self, label: str) -> Iterator[Callable[..., None]]:
        self._seen.append(label)
        yield lambda *_: None
        self._seen.append("over")


def test_a_summary_that_stays_too_long_is_told_and_not_asked_for_again(
    home: Home,
) -> None:
    """Core: a failure is told, and the next message makes a summary due again."""
    memory, mind = thoughtful(home, "word " * 2_500)
    window = talked(memory)
    home.clock.forward(minutes=5)

    assert memory.idle() == ()
    assert len(mind.questions) == 2
    assert "shorten it" in mind.questions[1].text
    assert "rome was not summarised" in " ".join(memory.warnings)
    assert not window.due()
    assert memory.idle() == ()
    assert len(mind.questions) == 2

    window.exchange("One more thing.", "Yes?")
    home.clock.forward(minutes=5)
    assert window.due()
