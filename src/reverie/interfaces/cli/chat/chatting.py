"""`chat`: a conversation in the terminal, with a memory and any configured model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from reverie.errors import RefusedError, ReverieError
from reverie.interfaces.cli.chat import commands
from reverie.interfaces.cli.chat.answering import listen
from reverie.interfaces.cli.chat.asking import ask_and_forget
from reverie.interfaces.cli.chat.context import Context
from reverie.interfaces.cli.chat.recording import FORGETTING, Recorder
from reverie.interfaces.cli.chat.screen import Screen
from reverie.interfaces.cli.chat.telling import (
    OFFERED,
    REFLECTING,
    note_for_model,
    told_from_memory,
    told_heard,
    told_no_model,
    told_start,
)
from reverie.interfaces.cli.command import Verb, for_person_option
from reverie.interfaces.cli.edge import READER_GONE, UNAVAILABLE, ReaderGoneError
from reverie.interfaces.cli.page import BLANK
from reverie.interfaces.cli.session import session_of
from reverie.interfaces.cli.standing import told_standing
from reverie.model.conversation import Attended

if TYPE_CHECKING:
    from reverie.interfaces.cli.session import Session
    from reverie.memory import Memory
    from reverie.memory.hearing import Heard
    from reverie.minds.mind import Talker
    from reverie.model.items import Turn
    from reverie.reflection.standing import Standing

UNSAYING = frozenset({"forget", "erase", "undo", "restore", "edit", "delete"})
"""After these the model is told anew what was said: some of it may be gone."""

REDACTED = "[redacted: "
TAKEN_OUT = "What looks like a secret was taken out: it is neither recorded nor sent."


@click.command(cls=Verb)
@click.argument("window", default="")
@click.option("--new", is_flag=True, help="Begin a session, whatever was told before.")
@for_person_option(
    "Who speaks: what is for somebody else alone is left out, and what is said or "
    "remembered is for them alone."
)
@click.option(
    "--budget",
    type=click.IntRange(min=1000),
    metavar="TOKENS",
    help="What a message and its answer may take.  [default: mind.operation_tokens]",
)
@click.pass_context
def chat(
    ctx: click.Context, window: str, person: str, budget: int | None, *, new: bool
) -> None:
    """Talk with the configured model, with this memory behind it.

    The conversation WINDOW is recorded; without a name it is one of today. "Remember
    that …" and "Forget …" work as you type them, and every command is there with a
    slash: /recall, /undo, /help. Without a model nobody answers, and what fits your
    words is shown from memory. Lines from a pipe are messages, one each; where none
    of them came through, it ends with code 6.

        reverie chat
        reverie chat trip-to-rome --person Nora
        reverie chat standup --new --json < messages.txt
    """
    session = session_of(ctx)
    name = window or f"chat-{session.clock().astimezone():%Y-%m-%d}"
    with session.open() as memory:
        limit = memory.config.mind.operation_tokens
        where = Where(memory.window(name).name, person, min(budget or limit, limit))
        code = Chat(session, memory, where).run(new=new)
    ctx.exit(code)


@dataclass(frozen=True, slots=True)
class Where:
    """Which conversation, who speaks, and the tokens that one message may take."""

    window: str
    person: str
    budget: int


class Chat:
    """One conversation at a terminal, or through a pipe."""

    def __init__(self, session: Session, memory: Memory, where: Where) -> None:
        self._session = session
        self._memory = memory
        self._where = where
        self._window = memory.window(where.window)
        config = memory.config.conversation
        self._context = Context(self._window, config, where.budget, where.person)
        self._screen = Screen(session)
        self._record = Recorder(self._window, self._screen, where.person)
        self._outcomes: list[bool] = []
        self._interrupted = False
        self._told_how = False
        self._offered = False
        self._asked = False

    def run(self, *, new: bool) -> int:
        """Talk until somebody leaves; returns the exit code."""
        from reverie.interfaces.cli.chat.musing import musing

        self._context.wake(new=new)
        self._begin()
        with musing(self._memory, self._where.window, self._screen):
            while (typed := self._typed()) is not None:
                if not self._take(typed.strip()):
                    break
        self._leave()
        failed = bool(self._outcomes) and not any(self._outcomes)
        return UNAVAILABLE if failed and not self._screen.person else 0

    def _begin(self) -> None:
        """One screen for a person, one line for a program; a pipe is told nothing."""
        name, problem = self._model()
        if name:
            self._context.require_room()
        window = self._where.window
        root = str(self._memory.root)
        self._screen.emit("start", window=window, workspace=root, model=name)
        if self._screen.person:
            self._screen.say(told_start(self._memory, window, name))
            self._told_how = not name
        if problem:
            self._screen.problem(problem)

    def _model(self) -> tuple[str, ReverieError | None]:
        """What the model is called, empty without one; and why it cannot be used."""
        try:
            talker = self._memory.talker()
        except ReverieError as error:
            return self._memory.config.mind.model, error
        return (talker.name if talker else ""), None

    def _leave(self) -> None:
        if self._record.failed:
            return
        try:
            standing = self._memory.leave(self._where.window)
        except ReverieError as error:
            self._screen.problem(error)
            return
        if standing:
            self._screen.say([BLANK, *told_standing(standing)])
            self._screen.emit("end", reflection=standing)

    # --- what is typed -------------------------------------------------------------

    def _typed(self) -> str | None:
        """What is typed next; None to leave."""
        try:
            return self._screen.keyboard.message()
        except KeyboardInterrupt:
            click.echo()
            return None if self._interrupted else self._interrupt()

    def _interrupt(self) -> str:
        """Note a Ctrl-C; nothing was typed."""
        self._interrupted = True
        self._screen.remark("Ctrl-C again leaves, and so do Ctrl-D and /quit.")
        return ""

    def _take(self, line: str) -> bool:
        """Do what was typed; False to leave."""
        if not line:
            return True
        self._interrupted = False
        try:
            if line.startswith("/") and not line.startswith("//"):
                return self._command(line.removeprefix("/"))
            self._outcomes.append(False)
            said = line.removeprefix("/") if line.startswith("//") else line
            self._outcomes[-1] = self._message(said)
        except KeyboardInterrupt:
            self._interrupt()
        except ReverieError as error:
            self._screen.problem(error)
        return True

    def _command(self, line: str) -> bool:
        words = commands.parse(line, self._where.window)
        if words[0] in commands.LEAVING:
            return False
        if words == ["help"]:
            self._screen.say(commands.help_page())
            self._screen.emit("command", text="help", told=dict(commands.GROUPS))
            return True
        if words[0] == "help":
            words = [*words[1:], "--help"]
        if self._screen.json:
            self._screen.emit("command", **commands.run_silent(words, self._session))
        elif commands.run(words, self._session) == READER_GONE:
            raise ReaderGoneError
        # `edit` and `delete` are commands of `window`.
        if not UNSAYING.isdisjoint(words[:2]):
            self._context.wake()
        return True

    # --- one message ---------------------------------------------------------------

    def _message(self, text: str) -> bool:
        """Hear, record and answer a message; False if it did not come through."""
        heard = self._hear(text)
        wishes = heard.forgetting
        gone = [
            i for w in wishes for i in ask_and_forget(w, self._memory, self._screen)
        ]
        if gone:
            self._context.wake()
        # Before it is recorded: a question finds itself better than its answer.
        attended = Attended() if gone else self._attend(text)
        turn = self._record.question(FORGETTING if gone else text)
        self._tell_recorded(text, turn, heard, attended)
        parts = (attended.text, note_for_model(heard, gone))
        self._context.add(turn, "\n".join(filter(None, parts)))
        talker = self._memory.talker()
        if talker is not None:
            return self._answer(talker, turn)
        if not _ordered(heard):
            self._answer_from_memory(attended)
        return not self._record.failed

    def _hear(self, text: str) -> Heard:
        """Do what a message asks of memory; whatever comes of it, it is recorded."""
        from reverie.memory.hearing import Heard

        try:
            answered = self._answer_check_in(text)
            heard = (
                Heard((), reflection=answered)
                if answered
                else self._memory.hear(text, person=self._where.person)
            )
        except ReverieError as error:
            self._screen.problem(error)
            return Heard(())
        self._asked = heard.reflection is not None and heard.reflection.state == "asked"
        self._screen.say(told_heard(heard))
        return heard

    def _answer_check_in(self, text: str) -> Standing | None:
        """Take the answer to what the message before was asked; else it is a message.

        "Later" behind "good night" means the reflection that was offered.
        """
        asked, self._asked = self._asked, False
        try:
            return self._memory.reflection.reply(text) if asked else None
        except RefusedError:
            return None

    def _attend(self, text: str) -> Attended:
        try:
            return self._window.attend(text, person=self._where.person)
        except ReverieError as error:
            self._screen.problem(error)
            return Attended()

    def _tell_recorded(
        self, typed: str, turn: Turn, heard: Heard, attended: Attended
    ) -> None:
        if turn.text.count(REDACTED) > typed.count(REDACTED):
            self._screen.remark(TAKEN_OUT)
        if attended.offer and not self._offered:
            self._offered = True
            self._screen.remark(OFFERED)
        remembered = [id_ for each in heard.remembered for id_ in each.ids]
        self._screen.emit(
            "user",
            text=turn.text,
            number=turn.number,
            remembered=remembered,
            refused=heard.refused,
            forgetting=heard.forgetting,
            reflection=heard.reflection,
            attended=attended.ids,
        )

    def _answer(self, talker: Talker, turn: Turn) -> bool:
        if self._context.full:
            with self._screen.waiting(REFLECTING):
                self._context.fit()
        messages, most = self._context.messages(), self._context.most_answer
        answer = listen(talker.talk(messages, most_tokens=most), self._screen)
        if answer.recorded:
            said = self._record.answer(answer.recorded, turn)
            self._context.add(said)
            self._screen.emit(
                "assistant", text=said.text, number=said.number, whole=answer.whole
            )
        if answer.stopped:
            self._interrupt()
        if answer.problem:
            self._screen.problem(answer.problem)
        return answer.stopped or bool(answer.recorded)

    def _answer_from_memory(self, attended: Attended) -> None:
        """Show what memory has; nobody is there to answer, and nothing pretends to."""
        if not self._told_how:
            self._told_how = True
            self._screen.say([*told_no_model(), BLANK])
        self._screen.emit("memory", text=attended.text, ids=attended.ids)
        self._screen.say([*told_from_memory(attended), BLANK])


def _ordered(heard: Heard) -> bool:
    """Whether a message was for memory, which has done it, or has said why not."""
    done = (heard.remembered, heard.refused, heard.forgetting, heard.questions)
    return any(done) or heard.reflection is not None
