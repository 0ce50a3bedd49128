"""Notebooks: folders of Markdown files that an agent keeps by itself.

An agent's framework wants a place of its own, whose files it names, rewrites and
removes as it likes. Here that is a folder below `memory/notebooks/`: every change is a
commit, so a file that was removed is in history and `undo` brings it back; what stands
in it is notes, found by every question, and counts as the agent's words.

A file comes back as it was put. So what may not be kept (a secret, what came out of
memory, what its human asked to forget) is refused, and nothing is cut out of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from msgspec import Struct, field

from reverie import markdown as md
from reverie.encoding.forget import nothing_done
from reverie.encoding.gate import ForgottenError, OnlyRecalledError, without_recalled
from reverie.encoding.placement import cut_out
from reverie.errors import RefusedError
from reverie.model.change import (
    MAIN,
    Action,
    Approval,
    ChangeSet,
    Edit,
    Secrets,
    checksum,
)
from reverie.model.ids import slug
from reverie.model.views import Reach
from reverie.printable import UnstorableTextError, storable
from reverie.secrets import SecretFoundError, find_secrets, pass_words
from reverie.stores.notes import parse_notes
from reverie.stores.reader import faithful_text
from reverie.workspace import layout
from reverie.workspace.files import NotAPlainFileError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from reverie.model.change import Receipt
    from reverie.model.views import Recalled
    from reverie.session.session import Session

DEEPEST = 12
"""So many folders may stand in each other."""


class NotebookPathError(RefusedError):
    """A file of a notebook was given a name that it cannot have."""

    says = "{!r} is no file of a notebook: {}"
    mend = "Give a plain path inside of it, such as `trips/rome.md`."


class FoundFile(NamedTuple):
    """A file in which something answers a question, and how well."""

    path: str
    score: float


class _Known(Struct):
    """What a notebook knows of the workspace as of one change.

    Attributes:
        head: The change.
        hides: Whether its human ever asked to forget anything.
        names: The files of folders, by what their names have in common on any disk.
    """

    head: str
    hides: bool = True
    names: dict[str, dict[str, str]] = field(default_factory=dict)


class Notebook:
    """One folder of an agent's own.

    Args:
        session: The workspace's parts.
        name: What the folder is called: small letters, digits and hyphens.
        find: Finds what answers a question.
        forgotten: Whether its human asked to forget a text.
    """

    def __init__(
        self,
        session: Session,
        name: str,
        find: Callable[..., Recalled],
        forgotten: Callable[[str], bool],
    ) -> None:
        if slug(name) != name:
            pass_words((name,), Secrets.REFUSE)
            hint = f"Take small letters, digits and hyphens: `{slug(name)}`."
            raise RefusedError(f"{name!r} is no name for a notebook", hint=hint)
        self.name, self.folder = name, f"{layout.NOTEBOOKS}/{name}"
        self._session, self._find, self._forgotten = session, find, forgotten
        self._known = _Known("")

    def _whole(self, path: str) -> str:
        """Where a file stands in the workspace; refuses all but a plain name."""
        whole = f"{self.folder}/{path}"
        *folders, name = path.split("/")
        checks = {
            "its name does not end in `.md`": not name.endswith(".md"),
            "a folder in it ends in `.md`": any(f.endswith(".md") for f in folders),
            f"it stands in more than {DEEPEST} folders": len(folders) > DEEPEST,
            "hidden and passing files are not kept": not layout.tracked(whole),
        }
        wrong = layout.why_unsafe(whole)
        wrong = wrong or next((reason for reason, bad in checks.items() if bad), "")
        if wrong:
            raise NotebookPathError(path, wrong)
        return whole

    def _folder(self, under: str) -> str:
        """Where a folder stands in the workspace."""
        inside = f"{under}/any.md" if under else "any.md"
        return self._whole(inside).rpartition("/")[0]

    # --- asking --------------------------------------------------------------

    def paths(self, under: str = "") -> list[str]:
        """The files there are, or those in a folder, in order."""
        session = self._session
        session.look_sometimes()

        def walk(place: str) -> Iterator[str]:
            for name in session.ledger.files(place):
                if name.endswith(".md"):
                    yield f"{place}/{name}".removeprefix(f"{self.folder}/")
            for name in session.ledger.folders(place):
                yield from walk(f"{place}/{name}")

        return sorted(walk(self._folder(under)))

    def read(self, path: str) -> str | None:
        """What a file says, without what its human asked to forget; None for none."""
        whole = self._whole(path)
        try:
            data = self._session.ledger.read(whole)
        except NotAPlainFileError as error:
            raise NotebookPathError(path, "it is a link or a folder") from error
        if data is None:
            return None
        text, index = faithful_text(data, whole), self._session.index
        if not self._as_known().hides:
            return text
        traces = ((e, index.trace(str(e.id))) for e in parse_notes(text, whole))
        return cut_out(text, (e for e, trace in traces if trace and trace.archived))

    def _as_known(self) -> _Known:
        """What holds as of the newest change; found out once for each."""
        session = self._session
        if self._known.head != session.ledger.head:
            session.sync()
            hides = session.index.anything_forgotten()
            self._known = _Known(session.ledger.head, hides)
        return self._known

    def search(self, question: str, limit: int, under: str = "") -> list[FoundFile]:
        """The files in which something answers a question, best first.

        What has faded is found as well: a file does not go by itself.

        Args:
            question: In plain words.
            limit: The most passages to look at.
            under: Only files in this folder.
        """
        index, found = self._session.index, dict[str, float]()
        within = self._folder(under)
        reach = {"limit": limit, "least": 0.0, "reach": Reach.EVERYTHING}
        for hit in self._find(question, **reach, within=within).hits:
            for id_ in (hit.id, *hit.same):
                trace, there = index.trace(id_), index.find(id_)
                if there is None or (trace and trace.archived):
                    continue
                if there.path.startswith(f"{within}/"):
                    path = there.path.removeprefix(f"{self.folder}/")
                    found.setdefault(path, hit.score)
        return [FoundFile(*each) for each in found.items()]

    # --- writing -------------------------------------------------------------

    def write(self, files: Mapping[str, str | None], *, why: str) -> Receipt:
        """Give files these texts, all in one change; None removes one.

        Args:
            files: Texts by their paths.
            why: What started it.
        """
        return self.change(lambda: files, why=why)

    def change(
        self, plan: Callable[[], Mapping[str, str | None]], *, why: str
    ) -> Receipt:
        """Write what is planned on files as they stand while nobody else writes.

        Args:
            plan: Says what files shall say; called again if a person saves meanwhile.
            why: What started it.
        """
        session = self._session

        def attempt() -> Receipt:
            edits = [e for path, text in plan().items() for e in self._edit(path, text)]
            if not edits:
                return nothing_done(session, MAIN, ())
            return session.commit(ChangeSet(tuple(edits), MAIN, Approval.AUTO, why))

        session.sync()
        return session.persist("notebook", attempt)

    def _edit(self, path: str, text: str | None) -> Iterator[Edit]:
        """What makes a file say something; nothing where it does already."""
        whole = self._whole(path)
        try:
            old = self._session.ledger.read(whole)
        except NotAPlainFileError as error:
            raise NotebookPathError(path, "it is a link or a folder") from error
        if old is None and text is not None:
            pass_words((path, *path.split("/")), Secrets.REFUSE)
            self._require_no_alias(path, whole)
        new = None if text is None else self._passed(text, whole, old).encode()
        if new == old:
            return
        action = Action.CREATE if old is None else Action.EDIT
        action = Action.DELETE if new is None else action
        words = {Action.CREATE: "wrote", Action.EDIT: "rewrote"}
        said = f"{words.get(action, 'removed')} {path} in the notebook {self.name}"
        yield Edit(whole, new, checksum(old), action, said)

    def _require_no_alias(self, path: str, whole: str) -> None:
        """Refuse a second name of a file, as some systems would take it for."""
        folder, name = whole.rpartition("/")[::2]
        names = self._as_known().names
        if folder not in names:
            there = self._session.ledger.files(folder)
            names[folder] = {layout.alias_key(each): each for each in there}
        other = names[folder].get(layout.alias_key(name), name)
        if other != name:
            raise NotebookPathError(path, f"{other} is the same name on some disks")

    def _passed(self, text: str, whole: str, old: bytes | None) -> str:
        """A text as it is, if all of it may be kept.

        Raises:
            SecretFoundError: It has a password or a key.
            OnlyRecalledError: Some of it came out of memory.
            ForgottenError: Some of it is what its human asked to forget.
            UnstorableTextError: It is too long, or has what a person would not see.
        """
        limits = self._session.config.ledger
        if text.strip():
            storable(text, limits.file_limit)
        told = md.without_comments(text)
        if len(told) > limits.text_limit:
            what, most = f"it is {len(told):,} characters long", limits.text_limit
            raise UnstorableTextError(what, f"A file may have {most:,}. Make several.")
        if secrets := find_secrets(text):
            raise SecretFoundError(secret.kind for secret in secrets)
        if without_recalled(told)[1]:
            raise OnlyRecalledError
        known = (old or b"").decode("utf-8", "replace")
        for entry in parse_notes(text, whole):
            if entry.raw not in known and self._forgotten(entry.text):
                raise ForgottenError("once")
        return text
