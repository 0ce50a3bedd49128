"""Ask a model behind a web address, in OpenAI's or Anthropic's style, with httpx.

One `ApiMind` thinks or talks for one operation: what its questions, repairs, retries
and refused attempts take together stays below `mind.operation_tokens`. Opening one
costs nothing, so open one for each.

A time-out of httpx begins anew with every byte, so a server that drips could hold us
for ever. So a thread reads, and each wait for it gets only what is left of the whole.
"""

from __future__ import annotations

import codecs
import json
import re
import socket
import time
from contextlib import closing, suppress
from dataclasses import replace
from email.utils import parsedate_to_datetime
from functools import partial
from ipaddress import ip_address
from queue import Empty, SimpleQueue
from threading import Event, Thread
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import quote, urlsplit

import httpx2

from reverie.minds.budget import Budget, Wish, believed
from reverie.minds.json_answers import parse_object
from reverie.minds.mind import (
    OPERATION,
    Answer,
    CutOffAnswerError,
    CutShortError,
    DeclinedError,
    Message,
    MindUnavailableError,
    NothingToAnswerError,
    Use,
    merged,
)
from reverie.minds.prompts import render_prompt
from reverie.minds.styles import (
    AnthropicStyle,
    Ending,
    Form,
    Manners,
    OpenAiStyle,
    ReplyPart,
    Stream,
    spoken,
)
from reverie.model.items import Role
from reverie.tokens import count_tokens, within_tokens

if TYPE_CHECKING:
    from collections.abc import (
        Callable,
        Generator,
        Iterable,
        Iterator,
        Mapping,
    )

    from reverie.config import MindConfig
    from reverie.minds.budget import Purse
    from reverie.minds.mind import Question

    Pieces = Generator[str, None, None]

T = TypeVar("T")

LARGEST_REPLY = 4 << 20
"""Bytes; a thousand times what a question of ours is answered with."""

LARGEST_STREAM = 32 << 20
"""Bytes; where each word is wrapped, an answer takes a hundred times its length."""

_FIRST_PAUSE = 0.5  # seconds; doubles with each further attempt
_LONGEST_MESSAGE = 200
_FRAME = 32  # tokens that servers wrap around a message
_ROLE = 8  # tokens that say who speaks, at most
_BUSY = {408, 425, 429, 500, 502, 503, 504, 529}


class ServerError(MindUnavailableError):
    """A model server is away, busy or slow, refuses, or gives no usable reply.

    Attributes:
        sent: Whether it has the question.
        written: Whether it may have written something, which has to be paid for.
        retry: After so many seconds it may help to try again; None for never.
        unaccepted: What it says of a request that it does not take in this form.
    """

    def __init__(
        self,
        message: str,
        *,
        hint: str,
        sent: bool = True,
        written: bool = True,
        retry: float | None = None,
        unaccepted: str = "",
    ) -> None:
        super().__init__(message, hint=hint)
        self.sent, self.written = sent, written
        self.retry, self.unaccepted = retry, unaccepted


class Deadline:
    """A moment after which nobody waits any longer.

    Attributes:
        seconds: How long is waited.
        renewed: Whether the count has begun anew, so it is not the first wait.
    """

    def __init__(
        self, seconds: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.seconds = seconds
        self.renewed = False
        self._clock = clock
        self._end = clock() + seconds

    @property
    def left(self) -> float:
        """Seconds that may still be waited; below zero when it is too late."""
        return self._end - self._clock()

    def renew(self) -> None:
        """Begin the count anew: the server has shown that it goes on."""
        self._end = self._clock() + self.seconds
        self.renewed = True


def retry(
    once: Callable[[], T],
    retries: int,
    deadline: Deadline,
    sleep: Callable[[float], None],
) -> T:
    """Ask, and ask again while the server is away or busy and there is time."""
    for attempt in range(retries):
        try:
            return once()
        except ServerError as error:
            pause = max(error.retry or 0.0, _FIRST_PAUSE * (1 << attempt))
            if error.retry is None or pause >= deadline.left:
                raise
            sleep(pause)
    return once()


class Server:
    """A server, the secret for it, and what is said when it fails.

    Attributes:
        host: Its name.
        path: The path of its address.
        key: The secret; empty where it would go to another machine in the clear.
    """

    def __init__(self, url: str, section: str, variable: str, key: str) -> None:
        """Take an address apart.

        Args:
            url: The address.
            section: The section of `reverie.toml` that names it.
            variable: The environment variable that holds the key.
            key: The key; blanks around it are left out.
        """
        self._url, self._section, self._variable = url, section, variable
        self._name = f"the {'model' if section == 'mind' else section} server {url}"
        try:
            parts = urlsplit(url)
            self.host = parts.hostname or ""
            _ = parts.port  # a ValueError where it is none
        except ValueError:
            self.host = ""
        if not self.host or not re.fullmatch(r"(?i)https?://[^\s@?#]+", url):
            shown = re.sub(r"//[^/]*@", "//…@", url)
            message = f"{shown!r} is not the address of a server"
            hint = f'Set `{section}.url` to one such as "http://localhost:11434/v1".'
            raise ServerError(message, hint=hint, sent=False, written=False)
        self._root = f"{parts.scheme}://{parts.netloc}"
        self.path = quote(parts.path.rstrip("/"), safe="/%~:@!$&'()*+,;=")
        key = key.strip()
        if not re.fullmatch(r"[!-~]*", key):
            msg = "it is no key"
            raise self._refused_key(msg)
        # On the way to another machine, whoever listens could read it.
        self.key = key if parts.scheme == "https" or self.here else ""

    @property
    def here(self) -> bool:
        """Whether it is this machine for certain: by its name, or a loopback number.

        What only resolves to this machine today may be another one tomorrow.
        """
        try:
            return self.host == "localhost" or ip_address(self.host).is_loopback
        except ValueError:
            return False

    def post(
        self,
        path: str,
        headers: Mapping[str, str],
        body: object,
        deadline: Deadline,
        most: int,
    ) -> Arriving:
        """Post a request once; who calls this closes what it returns.

        Args:
            path: Where to, on this server.
            headers: What goes with it, beside the usual.
            body: The request, sent as JSON.
            deadline: When to give up.
            most: The bytes a reply may have; a longer one is an error.
        """
        told = {"content-type": "application/json", "accept-encoding": "identity"}
        told |= {"user-agent": "reverie", **headers}
        return Arriving(self, self._root + path, told, json.dumps(body), deadline, most)

    def slow(self, deadline: Deadline, *, sent: bool) -> ServerError:
        """It did not answer in time. It is not asked again: we have waited."""
        what = "did not go on" if deadline.renewed else "did not answer"
        hint = f"Raise `{self._section}.timeout_seconds` in reverie.toml"
        message = f"{self._name} {what} within {deadline.seconds:g} s"
        hint += ", or use a faster model."
        return ServerError(message, hint=hint, sent=sent, written=sent)

    def unreachable(self, error: Exception) -> ServerError:
        """Nobody is there, and nothing was sent."""
        cause: BaseException | None = error
        while cause and not isinstance(
            cause, (ConnectionRefusedError, socket.gaierror)
        ):
            cause = cause.__cause__ or cause.__context__
        message = f"{self._name} cannot be reached: {_words(error)}"
        hint = f"Start it, or correct `{self._section}.url` in reverie.toml."
        later = 0.0 if cause else None  # it may come up
        return ServerError(message, hint=hint, sent=False, written=False, retry=later)

    def broken(self, problem: str) -> ServerError:
        """Its reply ends in the middle, or is no HTTP. It is not asked again."""
        hint = "Look at the server's own log; then try again."
        return ServerError(f"{self._name} gave half a reply: {problem}", hint=hint)

    def too_long(self, most: int) -> ServerError:
        """Its reply has more than so many bytes, and is not read to its end."""
        size = f"{most >> 20} MB" if most >> 20 else f"{most >> 10} kB"
        return self.broken(f"it is longer than {size}")

    def odd(self, problem: str) -> ServerError:
        """Its reply is whole, but not what such a server says."""
        names = {"mind": "`mind.url`, `mind.style` and `mind.model`"}
        hint = names.get(self._section, "that `embedding.name` is an embedding model")
        message = f"{self._name} gave an odd reply: {problem}"
        return ServerError(message, hint=f"Check in reverie.toml {hint}.")

    def failing(self, told: str) -> ServerError:
        """It says, in the middle of its answer, that it cannot go on."""
        message = f"{self._name} broke its answer off: {told}"
        return ServerError(message, hint="Try again later.")

    def refusal(self, reply: Arriving, body: bytes) -> ServerError:
        """The error that a reply other than 200 stands for."""
        status, message = reply.status, self.told(body)
        if status in (401, 403):
            return self._refused_key(message)
        if status in _BUSY:
            wait = _wait(reply.headers)
            later = f" It asks to wait {wait:g} s." if wait else ""
            said = f"{self._name} has trouble ({status}): {message}"
            hint = f"Try again later.{later}"
            return ServerError(said, hint=hint, written=False, retry=wait)
        unaccepted = message if status in (400, 422) else ""
        if 300 <= status < 400:
            message = "it sends us elsewhere, and we do not follow"
        model = "mind.model" if self._section == "mind" else "embedding.name"
        hint = f"Check `{self._section}.url`, which mostly ends in /v1, and that the "
        return ServerError(
            f"{self._name} refuses ({status}): {message}",
            hint=f"{hint}server has the model of `{model}`.",
            written=False,
            unaccepted=unaccepted,
        )

    def _refused_key(self, message: str) -> ServerError:
        variable = self._variable or f"named by `{self._section}.key_variable`"
        hint = f"Set the variable {variable} to a key of this server. It is sent only "
        return ServerError(
            f"{self._name} does not take our key: {message}",
            hint=f"{hint}over https or to this machine.",
            written=False,
        )

    def told(self, body: bytes) -> str:
        """What a server says about itself: one short line, without our key."""
        text = body[: 1 << 16].decode("utf-8", "replace")
        try:
            found = json.loads(text)
            found = found.get("error", found)
            text = found.get("message", found) if isinstance(found, dict) else found
        except (ValueError, AttributeError, RecursionError):
            pass
        text = str(text).replace(self.key, "[key]") if self.key else str(text)
        return _one_line(text) or "no reason given"


_GONE_WRONG = (OSError, ValueError, RuntimeError, LookupError, TypeError)
"""What a thread that reads a reply may end with; raised where it is waited for."""


class Arriving:
    """A reply whose body is still on its way, read by a thread. To be closed.

    Attributes:
        status: The number that says how it went.
        headers: Their names in lower case.
    """

    def __init__(
        self,
        server: Server,
        url: str,
        headers: Mapping[str, str],
        body: str,
        deadline: Deadline,
        most: int,
    ) -> None:
        self._server, self._deadline, self._most = server, deadline, most
        self._came: SimpleQueue[Any] = SimpleQueue()
        self._closed = Event()
        self._sent = False
        self._streams: list[Any] = []
        read = partial(self._read, url, headers, body)
        Thread(target=read, name="reverie-http", daemon=True).start()
        try:
            self.status, self.headers = self._next()
        except BaseException:
            self.close()
            raise

    def _trace(self, step: str, told: Mapping[str, Any]) -> None:
        """Follow a request on its way, and stop it before it goes to a closed reply."""
        if step.endswith(("connect_tcp.complete", "start_tls.complete")):
            self._streams.append(told["return_value"])
        # Noted before looking: who closes looks after closing, so one sees the other.
        sending = "send_request_headers.started"
        self._sent = self._sent or step.endswith(sending)
        ahead = step.endswith(("connect_tcp.started", "start_tls.started", sending))
        if ahead and self._closed.is_set():
            for stream in self._streams:
                stream.close()
            msg = "nobody waits for it any more"
            raise ConnectionAbortedError(msg)

    def _read(self, url: str, headers: Mapping[str, str], body: str) -> None:
        size = 0
        try:
            # Certificates are those of SSL_CERT_FILE, SSL_CERT_DIR or the system;
            # all else that the environment says, such as proxies, is not for us.
            secure = url.startswith("https:")
            with (
                httpx2.Client(
                    trust_env=False,
                    verify=httpx2.create_ssl_context() if secure else True,
                    timeout=self._deadline.seconds,
                ) as client,
                client.stream(
                    "POST",
                    url,
                    headers=dict(headers),
                    content=body.encode(),
                    extensions={"trace": self._trace},
                ) as response,
            ):
                self._came.put((response.status_code, dict(response.headers)))
                for piece in response.iter_raw():
                    size += len(piece)
                    if size > self._most:
                        self._came.put(self._server.too_long(self._most))
                    if self._closed.is_set() or size > self._most:
                        break
                    self._came.put(piece)
                self._came.put(b"")
        except (*_GONE_WRONG, httpx2.HTTPError, httpx2.InvalidURL) as error:
            self._came.put(error)
        finally:
            # Whatever else there may be: nobody is to wait for what does not come.
            self._came.put(EOFError("it ended in the middle"))

    def _next(self) -> Any:  # noqa: ANN401 - the head first, then bytes
        came = None
        while came is None:
            try:
                came = self._came.get(timeout=max(0.0, self._deadline.left))
            except Empty:
                if self._deadline.left <= 0:
                    self.close()  # so what is not sent by now never will be
                    raise self._server.slow(self._deadline, sent=self._sent) from None
        if not isinstance(came, Exception):
            return came
        if isinstance(came, ServerError):
            raise came
        if isinstance(came, httpx2.TimeoutException):
            raise self._server.slow(self._deadline, sent=self._sent) from came
        if not self._sent:
            raise self._server.unreachable(came) from came
        raise self._server.broken(_words(came)) from came

    def pieces(self) -> Iterator[bytes]:
        """The body as it comes, cut anywhere."""
        while piece := self._next():
            yield piece
            if self._deadline.left <= 0:
                raise self._server.slow(self._deadline, sent=True)

    def whole(self, most: int = LARGEST_REPLY) -> bytes:
        """Wait for all of it, unless it has more than so many bytes."""
        body = bytearray()
        for piece in self.pieces():
            body += piece
            if len(body) > most:
                raise self._server.too_long(most)
        return bytes(body)

    def close(self) -> None:
        """Hang up, whether or not all of it came: who reads comes to an end."""
        self._closed.set()
        for stream in self._streams[-1:]:
            with suppress(OSError):
                stream.get_extra_info("socket").shutdown(socket.SHUT_RDWR)


def _words(error: Exception) -> str:
    return _one_line(str(error)) or type(error).__name__


def _one_line(text: str) -> str:
    """A stranger's words on one line, without what a terminal would obey."""
    seen = "".join(char if char.isprintable() else " " for char in text[:2000])
    return " ".join(seen.split())[:_LONGEST_MESSAGE]


def _wait(headers: Mapping[str, str]) -> float:
    """How long the server wants to be left alone; a date counts from its own clock."""
    after = headers.get("retry-after", "").strip()
    if re.fullmatch(r"\d{1,6}(\.\d{1,6})?", after):
        return float(after)
    try:
        later = parsedate_to_datetime(after) - parsedate_to_datetime(headers["date"])
    except (ValueError, TypeError, KeyError, IndexError, OverflowError):
        return 0.0
    return max(0.0, later.total_seconds())


_LEARNED: dict[tuple[str, str, str, bool], Manners] = {}
"""What servers accept, by style, address and model, as found out by this process."""


class ApiMind:
    """Asks a model server or talks with it, for one operation."""

    def __init__(
        self,
        config: MindConfig,
        environ: Mapping[str, str],
        purse: Purse,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """Get ready to ask the configured server; nothing is sent yet.

        Args:
            config: Its address and style, its name for the model, and the limits.
            environ: Holds the key, under the name that `key_variable` gives.
            purse: What all operations of the workspace spend from.
            sleep: How to wait between attempts.
        """
        if not config.model:
            message = 'mind.kind is "api", and mind.model is not set'
            hint = "Set `mind.model` in reverie.toml to a model that the server of "
            raise MindUnavailableError(message, hint=f"{hint}`mind.url` has.")
        key = environ.get(config.key_variable, "") if config.key_variable else ""
        self._config, self._sleep = config, sleep
        self._server = Server(config.url, "mind", config.key_variable, key)
        anthropic = config.style == "anthropic"
        self._style = AnthropicStyle() if anthropic else OpenAiStyle()
        most, daily = config.operation_tokens, config.daily_tokens
        self._budget = Budget(purse, daily=daily, operation=most)

    @property
    def name(self) -> str:
        """The model and the server that has it."""
        return f"{self._config.model} at {self._server.host}"

    def think(self, question: Question) -> Answer:
        """Ask the model; see `Mind.think`. All attempts share one time-out."""
        deadline = Deadline(self._config.timeout_seconds)
        # Servers of one's own understand lengths and keep small models from rambling;
        # the large providers refuse them, which would cost a round trip each time.
        here = self._server.here and Form.LIMITED in self._style.forms
        manners = Manners(Form.LIMITED if here else Form.SCHEMA)
        part, use = self._negotiated(
            lambda found: self._ask(question, found, deadline), manners, deadline
        )
        if part.ending is Ending.DECLINED:
            raise DeclinedError(self.name)
        if part.ending is Ending.CUT_OFF:
            raise CutOffAnswerError(question.most_tokens, part.text)
        return Answer(parse_object(part.text), use)

    def talk(self, messages: Iterable[Message], *, most_tokens: int) -> Pieces:
        """Answer, piece by piece; see `Talker.talk`.

        Time is counted twice. Until the model has written something, it covers all
        attempts together. From then on it is how long the model may write nothing.
        """
        said = merged(messages)
        if all(message.role is Role.SYSTEM for message in said):
            raise NothingToAnswerError
        deadline = Deadline(self._config.timeout_seconds)

        def begun(manners: Manners) -> tuple[str, Pieces]:
            # A refusal comes before the first piece, and so does what is tried again.
            pieces = self._reply(said, most_tokens, manners, deadline)
            return next(pieces, ""), pieces

        first, rest = self._negotiated(
            begun, Manners(counting=self._style.counts_on_request), deadline
        )
        with closing(rest):
            if first:
                yield first
            yield from rest

    def _negotiated(
        self, once: Callable[[Manners], T], manners: Manners, deadline: Deadline
    ) -> T:
        """Ask in the form that the server takes, which it says by refusing others."""
        config, talking = self._config, manners.form is None
        place = (config.style, config.url, config.model, talking)
        manners = _LEARNED.get(place, manners)
        while True:
            try:
                asked = partial(once, manners)
                made = retry(asked, config.retries, deadline, self._sleep)
            except ServerError as error:
                other = manners.milder(self._style.forms, error.unaccepted)
                if not error.unaccepted or other is None:
                    raise
                manners = other
            else:
                _LEARNED[place] = manners
                return made

    def _ask(
        self, question: Question, manners: Manners, deadline: Deadline
    ) -> tuple[ReplyPart, Use]:
        """One call: reserved before, settled after, whatever happens in between."""
        form, model = manners.form or Form.TEXT, self._config.model
        text, schema = question.text, json.dumps(question.schema, indent=1)
        if form in (Form.JSON, Form.TEXT):
            words = {"question": text, "schema": schema}
            text = render_prompt("shape", {}, words)
        body = self._style.messages([Message(Role.USER, text)])
        body |= {"model": model, manners.limit: question.most_tokens}
        body |= {"temperature": 0} if manners.steady else {}
        body |= self._style.shape(question, form) if form is not Form.TEXT else {}
        asked = count_tokens(question.text) + _FRAME
        asked += count_tokens(json.dumps(question.schema))
        most = Use(
            question.operation, model, asked, question.most_tokens, estimated=True
        )
        held = self._budget.reserve(Wish(question.operation, model, most.tokens))
        use = most  # until we know better, all that was allowed has been used
        try:
            room = min(LARGEST_REPLY, (1 << 20) + 64 * most.output_tokens)
            with closing(self._posted(body, deadline)) as reply:
                part = self._part(reply.whole(room))
            if not within_tokens(part.text, 2 * most.output_tokens + 256):
                problem = f"it is far longer than the {question.most_tokens:,} tokens "
                msg = f"{problem}asked"
                raise self._server.odd(msg)
            use = believed(part.text, (part.taken, part.given), most)
        except ServerError as error:
            use = _failed(error, most)
            raise
        finally:
            self._budget.settle(held, use)
        return part, use

    def _posted(self, body: object, deadline: Deadline) -> Arriving:
        """Post a body; a refusal is raised."""
        path = self._style.path(self._server.path)
        headers = self._style.headers(self._server.key)
        reply = self._server.post(path, headers, body, deadline, LARGEST_STREAM)
        if reply.status != 200:
            with closing(reply):
                raise self._server.refusal(reply, reply.whole())
        return reply

    def _part(self, data: bytes, *, event: bool = False) -> ReplyPart:
        try:
            # Not msgspec's: of an emoji, one event may hold a half, as an escape.
            found = json.loads(data.decode("utf-8", "replace"))
            if isinstance(found, dict) and found.get("error"):
                told = self._server.told(data)
                if event:
                    raise self._server.failing(told)
                raise self._server.odd(told)
            return self._style.part(found, event=event)
        except (ValueError, RecursionError) as error:
            told = self._server.told(str(error).encode())
            msg = f"it is no answer: {told}"
            raise self._server.odd(msg) from error

    def _reply(
        self,
        said: tuple[Message, ...],
        most_tokens: int,
        manners: Manners,
        deadline: Deadline,
    ) -> Pieces:
        """One streamed call: reserved before, settled after, whoever ends it."""
        model = self._config.model
        body = self._style.messages(said) | self._style.streamed(manners)
        body |= {"model": model, manners.limit: most_tokens}
        asked = sum(count_tokens(each.text) + _ROLE for each in said) + _FRAME
        most = Use(OPERATION, model, asked, most_tokens, estimated=True)
        held = self._budget.reserve(Wish(OPERATION, model, most.tokens))
        # Two who count differ a little; but what is over is over.
        room = most_tokens + min(most_tokens // 4, self._budget.left)
        answer, use = Stream(room), most
        try:
            with closing(self._posted(body, deadline)) as reply:
                yield from spoken(self._texts(reply, answer, deadline))
            use = answer.use(most, whole=True)
        except ServerError as error:
            so_far = answer.use(most, whole=False)
            use = _failed(error, most)
            if error.written:
                use = max(use, so_far, key=lambda each: each.tokens)
            raise
        except BaseException:  # closed by who listens, or interrupted
            use = answer.use(most, whole=False)
            raise
        finally:
            self._budget.settle(held, use)
        if answer.ending is Ending.DECLINED:
            raise DeclinedError(self.name)
        if answer.ending is Ending.CUT_OFF:
            raise CutShortError(most_tokens)

    def _texts(
        self, reply: Arriving, answer: Stream, deadline: Deadline
    ) -> Iterator[str]:
        """What the model says, until the answer is whole or too long."""
        try:
            for came in self._parts(reply):
                text = answer.add(came)
                if came.text or came.thought:
                    deadline.renew()
                if text:
                    yield text
                    deadline.renew()  # however long that took, it was not the server
                if came.last or answer.cut:
                    return  # and the connection is closed: nobody pays for more
        except ServerError:
            if answer.ending is None:
                raise
        if answer.ending is None:
            msg = "it ends in the middle of the answer"
            raise self._server.broken(msg)

    def _parts(self, reply: Arriving) -> Iterator[ReplyPart]:
        kind = reply.headers.get("content-type", "unnamed")[:60]
        if "json" in kind:  # a server that does not stream, though it was asked to
            yield self._part(reply.whole())
            return
        found = False
        for data in self._events(reply):
            found = True
            last = data.strip() == b"[DONE]"
            yield (
                ReplyPart(ending=None, last=True)
                if last
                else self._part(data, event=True)
            )
        if not found:
            msg = f"it is {kind}, and has no events"
            raise self._server.odd(msg)

    def _events(self, reply: Arriving) -> Iterator[bytes]:
        """The data of server-sent events; one that no blank line ends is none."""
        data, rest, begun, returned = list[bytes](), b"", False, False
        for came in reply.pieces():
            piece = came.removeprefix(b"\n") if returned else came  # half of "\r\n"
            returned = piece.endswith(b"\r")
            *lines, rest = re.split(rb"\r\n|\n|\r", rest + piece)
            if lines and not begun:
                lines[0], begun = lines[0].removeprefix(codecs.BOM_UTF8), True
            for line in lines:
                if line.startswith(b"data:"):
                    data.append(line[5:].removeprefix(b" "))
                elif not line and data:
                    yield b"\n".join(data)
                    data.clear()
            if len(rest) + sum(map(len, data)) > 1 << 20:
                msg = "an event is longer than 1 MB"
                raise self._server.odd(msg)


def _failed(error: ServerError, most: Use) -> Use:
    """What a call took that went wrong: the worst, unless we know better."""
    if not error.sent:
        return replace(most, input_tokens=0, output_tokens=0)
    return most if error.written else replace(most, output_tokens=0)
