"""`chat`: a conversation in the terminal, with a memory and any configured model.

The system message stays the same bytes from message to message, so that a provider's
prompt cache holds. What one message calls for stands in front of that message.
"""

from __future__ import annotations

import contextlib
import io
import json
import shlex
import sys
import threading
from typing import TYPE_CHECKING, NoReturn

import click

from reverie.encoding.gate import OnlyRecalledError
from reverie.errors import RefusedError, ReverieError, UnavailableError
from reverie.interfaces.cli.chat_commands import LEAVING, OWN, help_page, parse
from reverie.interfaces.cli.chat_context import Context
from reverie.interfaces.cli.command import for_person_option, verb
from reverie.interfaces.cli.erase import type_the_word
from reverie.interfaces.cli.forget import YES, NeedsAPersonError, picked, told_matches
from reverie.interfaces.cli.hear import told_refused
from reverie.interfaces.cli.main import COMMANDS, ReaderGoneError, cli, guarded
from reverie.interfaces.cli.output import (
    Table,
    counted,
    facts,
    faint,
    good,
    ident,
    mused,
    place,
    render_json_line,
    title,
    warn,
)
from reverie.interfaces.cli.proposal import told_standing
from reverie.interfaces.cli.session import READER_GONE, UNAVAILABLE, Session
from reverie.interfaces.cli.window import told_turn
from reverie.memory import Heard
from reverie.memory.schedule import watch
from reverie.minds.mind import CutShortError
from reverie.model.change import FORGET
from reverie.model.conversation import REFLECTION, Attended
from reverie.model.items import Role, Turn
from reverie.printable import printable
from reverie.recall.context_block import CLOSING, OPENING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from reverie.interfaces.cli.output import Line
    from reverie.memory import Memory
    from reverie.minds.mind import Talker
    from reverie.model.change import Remembered
    from reverie.model.views import Forgetting

UNSAYING = frozenset({"forget", "erase", "undo", "edit", "delete"})
"""After these the model is told anew what was said: some of it may be gone."""

FORGETTING = "[asked to forget something]"
"""Recorded for a wish to forget that was granted: its words would bring it back."""

CUT_OFF = "[cut off]"
"""The end of an answer that was stopped, in the record."""

REDACTED = "[redacted: "
TAKEN_OUT = "What looks like a secret was taken out: it is neither recorded nor sent."
UNRECORDED = "This conversation goes on, but it is not recorded."
OFFERED = "A summary of this conversation is due; /summary prints the prompt for it."
REFLECTING = "AI is reflecting…"
LEAVES = "Ctrl-C again leaves, and so do Ctrl-D and /quit."
WHICH = "Forget which? (numbers, 'all', or nothing to keep them) "
NO_MODEL = (
    warn("No model is configured, so nobody answers you here."),
    "What you say is recorded, and what fits it is shown from memory.",
    '"Remember that …" and "Forget …" work, and so does every /command.',
    "Answers and summaries need a model; name one in reverie.toml:",
    *(f"  {line}" for line in ("[mind]", 'kind = "api"', 'url = "…"', 'model = "…"')),
    "",
)


class OnlyEchoError(UnavailableError):
    """A model's answer had nothing but what memory had told it."""

    def __init__(self) -> None:
        super().__init__(
            "the model only repeated what memory had told it, so it gave no answer",
            hint="Ask again, or in other words.",
        )


@verb()
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
def chat(
    session: Session, window: str, person: str, budget: int | None, *, new: bool
) -> int:
    """Talk with the configured model, with this memory behind it.

    The conversation WINDOW is recorded; without a name it is one of today. "Remember
    that …" and "Forget …" work as you type them, and every command is there with a
    slash: /recall, /undo, /help. Without a model nobody answers, and what fits your
    words is shown from memory. A pasted text is one message, and so are lines that end
    with a backslash. Lines from a pipe are messages, one each; where none of them came
    through, it ends with code 6.

        reverie chat
        reverie chat trip-to-rome --person Nora
        reverie chat standup --new --json < messages.txt
    """
    name = window or f"chat-{session.clock().astimezone():%Y-%m-%d}"
    with session.open() as memory:
        limit = memory.config.mind.operation_tokens
        context = Context(
            memory.window(name),
            memory.config.conversation.wake_tokens,
            min(budget or limit, limit),
            person,
        )
        return ChatLoop(session, memory, context).run(new=new)


# --- the keyboard ------------------------------------------------------------------


class Keyboard:
    """Who types, line by line; another thread may speak above the prompt meanwhile."""

    def __init__(self, *, screen: bool) -> None:
        self.screen = screen
        self._prompt = ""
        self._again: list[str] = []
        self._waiting: list[Callable[[], None]] = []
        self._lock = threading.RLock()
        if screen:
            # Lines can be edited, and pasted ones come as one.
            with contextlib.suppress(ImportError):
                import readline

                readline.parse_and_bind("set enable-bracketed-paste on")
        elif isinstance(sys.stdin, io.TextIOWrapper):
            sys.stdin.reconfigure(errors="replace")

    def message(self) -> str | None:
        """What is typed next, lines that end with a backslash as one; None at the end.

        Raises:
            KeyboardInterrupt: Ctrl-C at the prompt.
        """
        lines: list[str] = []
        while (line := self.line(". " if lines else "> ")) is not None:
            lines.append(line.removesuffix("\\"))
            if not line.endswith("\\"):
                break
        return "\n".join(lines) if lines else None

    def line(self, prompt: str) -> str | None:
        """One line without its end; None where nothing more comes."""
        if self._again:
            return self._again.pop()
        with self._lock:
            for tell in self._waiting:
                tell()
            self._waiting.clear()
            self._prompt = prompt if self.screen else ""
        try:
            if not self.screen:
                read = sys.stdin.readline()
                return read.rstrip("\r\n") if read else None
            with contextlib.suppress(EOFError):
                return input(prompt)
            click.echo()
            return None
        finally:
            with self._lock:
                self._prompt = ""

    def type_again(self, line: str) -> None:
        """Take a line for the next one: it was no answer to what was asked."""
        self._again.append(line)

    def interject(self, tell: Callable[[], None], *, later: bool = True) -> None:
        """Say something above the prompt, from another thread.

        Args:
            tell: Says it.
            later: Whether to say it before the next prompt, where there is none now.
        """
        with self._lock:
            if not self._prompt:
                self._waiting += [tell] if later else []
                return
            click.echo("\r\x1b[K", nl=False)
            tell()
            editing = sys.modules.get("readline")
            typed = editing.get_line_buffer() if editing else ""
            click.echo(f"{self._prompt}{typed}", nl=False)


# --- the conversation --------------------------------------------------------------


class ChatLoop:
    """One conversation at a terminal, or through a pipe."""

    def __init__(self, session: Session, memory: Memory, context: Context) -> None:
        self.session, self.memory, self.context = session, memory, context
        self.window, self.person = context.window, context.person
        self.at_a_screen = sys.stdin.isatty() and session.on_a_screen
        self.keyboard = Keyboard(screen=self.at_a_screen)
        self._outcomes: list[bool] = []
        self._interrupted = self._told_how = self._offered = self._asked = False
        self._unrecorded = False

    def run(self, *, new: bool) -> int:
        """Talk until somebody leaves; returns the exit code."""
        self.context.wake(new=new)
        self._begin()
        with self._summing_up():
            while (typed := self._typed()) is not None:
                if not self._take(typed.strip()):
                    break
        if not self._unrecorded:
            self._leave()
        failed = bool(self._outcomes) and not any(self._outcomes)
        return UNAVAILABLE if failed and not self.at_a_screen else 0

    def say(self, page: Iterable[Line | Table]) -> None:
        """Tell a person something; a program gets it another way."""
        page = list(page)
        if page and not self.session.json:
            self.session.say(page)

    def emit(self, role: str, /, **more: object) -> None:
        """Tell a program something: one object on one line."""
        if self.session.json:
            click.echo(render_json_line({"role": role, **more}))

    def problem(self, error: ReverieError) -> None:
        """Tell what went wrong, and what to do about it."""

        def fail() -> NoReturn:
            raise error

        if self.session.json:
            kind = type(error).__name__
            self.emit("error", text=str(error), hint=error.hint, type=kind)
        else:
            guarded(fail, ())

    def _begin(self) -> None:
        """One screen for a person, one line for a program; a pipe is told nothing."""
        name, problem = "", None
        try:
            talker = self.memory.talker()
            name = talker.name if talker else ""
        except ReverieError as error:
            name, problem = self.memory.config.mind.model, error
        if name:
            self.context.require_room()
        root = str(self.memory.root)
        self.emit("start", window=self.window.name, workspace=root, model=name)
        if self.at_a_screen:
            kept = sum(self.memory.overview().counts.values())
            told = (
                ("workspace", place(root)),
                ("conversation", ident(self.window.name)),
                ("model", name or "none"),
                ("memory", counted(kept, "entry", "entries")),
            )
            news = [*map(warn, self._news()), ""]
            leave = faint("/help lists what you can do. /quit or Ctrl-D leaves.")
            how = () if name else NO_MODEL
            self.say([facts(told, 0), "", *how, *(news if news[1:] else []), leave, ""])
            self._told_how = not name
        if problem:
            self.problem(problem)

    def _news(self) -> Iterator[str]:
        """What its human should know of, a line each."""
        if alerts := len(self.memory.alerts()):
            one, many = "change of a critical file", "changes of critical files"
            yield f"{counted(alerts, one, many)} to look at: /alerts"
        if waiting := len(self.memory.pending()):
            yield f"{counted(waiting, 'proposal')} waiting for your yes: /pending"
        standing = self.memory.reflection.status()
        if standing.state not in {"idle", "recorded", "deferred"}:
            yield f"Reflection #{standing.number} is {standing.state}: /reflect"
        elif occasion := self.memory.reflection.offer():
            yield f"A reflection is due ({occasion}): /reflect"

    def _leave(self) -> None:
        try:
            standing = self.memory.leave(self.window.name)
        except ReverieError as error:
            self.problem(error)
            return
        if standing:
            self.say(["", *told_standing(standing)])
            self.emit("end", reflection=standing)

    @contextlib.contextmanager
    def _summing_up(self) -> Iterator[None]:
        """Let the configured model sum the conversation up whenever it pauses.

        Without a model nothing is watched: rules write no summaries.
        """
        begun, last = False, self.window.state.last

        def told(window: str) -> None:
            # From the timer's thread: a summary begins, or it has ended somehow.
            nonlocal begun, last
            if window != self.window.name:
                return
            begun = not begun
            if begun:
                tell = lambda: self.say([mused(REFLECTING)])  # noqa: E731 - short
                self.keyboard.interject(tell, later=False)
                return
            # Another thread than the chat's, so another handle.
            with contextlib.suppress(ReverieError), self.memory.again() as other:
                for turn in other.window(window).turns(8):
                    summary = turn.role is Role.ASSISTANT and turn.field(REFLECTION)
                    if summary and turn.number > last:
                        last = turn.number
                        self.keyboard.interject(lambda turn=turn: self._summary(turn))  # type: ignore[misc]

        if self.memory.config.mind.kind != "api":
            yield
            return
        with watch(self.memory, told=told):
            yield

    def _summary(self, turn: Turn) -> None:
        distinct = self.memory.config.conversation.distinct
        self.say(told_turn(turn, distinct=distinct))
        self.emit("summary", text=turn.text, number=turn.number)

    # --- what is typed -------------------------------------------------------------

    def _typed(self) -> str | None:
        """What is typed next; None to leave."""
        try:
            return self.keyboard.message()
        except KeyboardInterrupt:
            click.echo()
            return None if self._interrupted else self._interrupt()

    def _interrupt(self) -> str:
        """Note a Ctrl-C; nothing was typed."""
        self._interrupted = True
        self.say([faint(LEAVES)])
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
            self.problem(error)
        return True

    def _command(self, line: str) -> bool:
        words = parse(line, self.window.name)
        if words[0] in LEAVING:
            return False
        if words == ["help"]:
            self.say(help_page())
            told = [*OWN, *(name for names in COMMANDS.values() for name in names)]
            self.emit("command", text="help", told=told)
            return True
        printed = io.StringIO()
        if not self.session.json:
            if self._run(words) == READER_GONE:
                raise ReaderGoneError
        else:
            with contextlib.redirect_stdout(printed):
                code = self._run(["--json", *words])
            result: object = printed.getvalue() or None
            with contextlib.suppress(ValueError):
                result = json.loads(printed.getvalue())
            self.emit("command", text=shlex.join(words), code=code, told=result)
        # `edit` and `delete` are commands of `window`.
        if not UNSAYING.isdisjoint(words[:2]):
            self.context.wake()
        return True

    def _run(self, words: Sequence[str]) -> int:
        """Run a command as if it were typed in a shell; its exit code."""
        own = Session(
            str(self.session.root),
            json=self.session.json,
            clock=self.session.clock,
            human=self.session.human,
            whose=self.session.for_person,
            chat=True,
        )
        try:
            cli.main(words, "reverie", obj=own)
        except SystemExit as ended:
            return ended.code if isinstance(ended.code, int) else 0

    # --- one message ---------------------------------------------------------------

    def _message(self, text: str) -> bool:
        """Hear, record and answer a message; False if it did not come through."""
        heard = self._hear(text)
        gone = [id_ for wish in heard.forgetting for id_ in self._forget(wish)]
        if gone:
            self.context.wake()
        attended = Attended()
        if not gone:
            # Before it is recorded: a question finds itself better than its answer.
            try:
                attended = self.window.attend(text, person=self.person)
            except ReverieError as error:
                self.problem(error)
        said = FORGETTING if gone else text
        turn = self._record(said, Role.USER, speaker=self.person)
        if turn.text.count(REDACTED) > text.count(REDACTED):
            self.say([faint(TAKEN_OUT)])
        if attended.offer and not self._offered:
            self._offered = True
            self.say([faint(OFFERED)])
        self.emit(
            "user",
            text=turn.text,
            number=turn.number,
            remembered=[id_ for each in heard.remembered for id_ in each.ids],
            refused=heard.refused,
            forgetting=heard.forgetting,
            reflection=heard.reflection,
            attended=attended.ids,
        )
        parts = (attended.text, _note_for_model(heard, gone))
        self.context.add(turn, "\n".join(filter(None, parts)))
        talker = self.memory.talker()
        if talker is not None:
            return self._answer(talker, turn)
        done = (heard.remembered, heard.refused, heard.forgetting, heard.questions)
        if not any(done) and heard.reflection is None:
            self._answer_from_memory(attended)
        return not self._unrecorded

    def _hear(self, text: str) -> Heard:
        """Do what a message asks of memory; whatever comes of it, it is recorded."""
        asked, self._asked = self._asked, False
        heard = None
        try:
            # "Later" behind "good night" means the reflection that was offered.
            with contextlib.suppress(RefusedError):
                if asked:
                    heard = Heard((), reflection=self.memory.reflection.reply(text))
            heard = heard or self.memory.hear(text, person=self.person)
        except ReverieError as error:
            self.problem(error)
            return Heard(())
        self._asked = heard.reflection is not None and heard.reflection.state == "asked"
        self.say([faint(_remembered(each)) for each in heard.remembered])
        self.say(told_refused(heard))
        if heard.reflection:
            more = "`reverie reflect`, or /reflect here, goes on with it."
            if self._asked:
                more = "Or type the answer here: now, later, no, 4h."
            self.say([*told_standing(heard.reflection), faint(more)])
        return heard

    def _forget(self, found: Forgetting) -> list[str]:
        """Show what would be forgotten, and forget what is agreed to; their ids.

        Whoever goes on talking instead of answering has said no, and is heard. A
        program is told the keys, and confirms them with `/forget … --confirm KEY`.
        """
        if self.session.json:
            return []
        self.say(told_matches(found))
        free = [m for m in found.matches if found.permanent or not m.protected]
        if not free:
            return []
        typed = self.keyboard.line(WHICH) or ""
        while len(found.matches) > 1 and typed.strip().lower() in YES:
            typed = self.keyboard.line(WHICH) or ""
        chosen = picked(typed, found.matches, free)
        if chosen is None:
            self.keyboard.type_again(typed)
        if not chosen:
            self.say([faint("Nothing was forgotten.")])
            return []
        try:
            if found.permanent:
                if not self.at_a_screen:
                    raise NeedsAPersonError
                type_the_word("This cannot be undone. ")
                for each in chosen:
                    self.memory.erase_match(each)
                self.say([good("Erased for good.")])
            else:
                actor = self.memory.acting(FORGET)
                receipt = self.memory.forget(chosen, actor=actor, trigger=found.wish)
                back = faint(f"/undo {receipt.commit[:10]} brings it back.")
                self.say([(good("Forgotten. "), back)])
        except ReverieError as error:
            self.problem(error)
            return []
        return [each.id for each in chosen]

    def _record(
        self, text: str, role: Role, answers: int = 0, speaker: str = ""
    ) -> Turn:
        """Record a turn; where nothing can be written, the talk goes on without."""
        try:
            return self.window.say(
                text, role=role, answers=answers, speaker=speaker, person=self.person
            )
        except UnavailableError as error:
            if not self._unrecorded:
                self._unrecorded = True
                self.problem(error)
                self.say([faint(UNRECORDED)])
            return Turn(self.window.name, answers, role, text, speaker=speaker)

    def _answer(self, talker: Talker, question: Turn) -> bool:
        """Ask for an answer and show it; Ctrl-C stops it."""
        if self.context.full:
            with self.session.status(REFLECTING):
                self.context.fit()
        heard, stopped = "", False
        problem: ReverieError | None = None
        try:
            with self.session.status("thinking…"):
                messages = self.context.messages()
                heard = talker.talk(messages, most_tokens=self.context.most_answer)
        except KeyboardInterrupt:
            stopped = True
        except CutShortError as error:
            heard, problem = error.said, error
        except ReverieError as error:
            problem = error
        if heard:
            self._print(f"{heard}\n\n")
        whole, words = not stopped and problem is None, heard.strip()
        if words:
            words = words if whole else f"{words}\n\n{CUT_OFF}"
            try:
                said = self._record(words, Role.ASSISTANT, question.number)
            except OnlyRecalledError as error:
                raise OnlyEchoError from error
            self.context.add(said)
            self.emit("assistant", text=said.text, number=said.number, whole=whole)
        if stopped:
            self._interrupt()
        if problem:
            self.problem(problem)
        return stopped or bool(words)

    def _print(self, text: str) -> None:
        """Print a piece of an answer as it comes, whatever characters it has."""
        if not self.session.json:
            shown = text.replace("\r", "").replace("\t", "    ")
            click.echo(printable(shown, lines=True), nl=False)
            sys.stdout.flush()

    def _answer_from_memory(self, attended: Attended) -> None:
        """Show what memory has; nobody is there to answer, and nothing pretends to."""
        if not self._told_how:
            self._told_how = True
            self.say(NO_MODEL)
        self.emit("memory", text=attended.text, ids=attended.ids)
        if not attended.ids:
            self.say([faint("Nothing in memory fits this."), ""])
            return
        lines = attended.memories.split("\n")
        said = [line for line in lines if line and not line.startswith(("<!--", "##"))]
        self.say([title("From memory, not from a model:"), *said, ""])


def _remembered(receipt: Remembered) -> str:
    ids = ", ".join(receipt.ids)
    parts = (
        f"Remembered: {ids}" if receipt.lines else f"Known already: {ids}",
        *(f"no longer holds: {old.id}" for old in receipt.superseded),
        *(f"it contradicts {other.id}" for other in receipt.contradicts),
        f"near: {', '.join(near.id for near in receipt.near)}" if receipt.near else "",
        *(f"perhaps the same as {doubt}" for doubt in receipt.doubts),
        *(f"redacted: {kind}" for kind in receipt.redacted),
        "kept as it is until the model answers" if receipt.unrouted else "",
        f"it waits for your yes: /pending accept {receipt.waits}"
        if receipt.waits
        else "",
    )
    return " · ".join(filter(None, parts))


def _note_for_model(heard: Heard, forgotten: Sequence[str]) -> str:
    """What memory did with a message, as its agent is told it; empty for nothing."""
    lines = [
        *(f"- Remembered: {', '.join(each.ids)}" for each in heard.remembered),
        *("- Not remembered: it was refused" for _ in heard.refused),
        *(f"- Forgotten: {id_}" for id_ in forgotten),
    ]
    if heard.forgetting and not forgotten:
        lines.append("- Nothing was forgotten")
    if not lines:
        return ""
    head = "## What memory did with this message"
    return "\n".join((OPENING, head, "", *lines, CLOSING))
