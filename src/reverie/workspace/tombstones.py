"""What was erased for good, remembered only as something not to learn again.

A tombstone is a keyed hash of a text's words, cut short: it recognises the text when
it comes again, and says nothing of it to whoever reads the file. It lives beside the
index and never in history. Who deletes that folder lifts them.
"""

from __future__ import annotations

import hmac
import json
import secrets
from contextlib import suppress
from typing import TYPE_CHECKING

from reverie.workspace.drawers import Drawer
from reverie.workspace.files import DiskError, NotAPlainFileError

if TYPE_CHECKING:
    from reverie.workspace.files import Folder

LENGTH = 8
"""Hexadecimal digits of a hash that are kept."""

_FILE, _DAMAGED = "erased.json", "erased.damaged.json"


class Tombstones:
    """The tombstones of one workspace.

    Args:
        folder: The workspace.
        lock_seconds: How long to wait for another process.
    """

    def __init__(self, folder: Folder, *, lock_seconds: float = 30.0) -> None:
        self._drawer = Drawer(folder, "tombstones", lock_seconds)
        self._seen: bytes = b""
        self._key, self._days = "", dict[str, str]()
        self.problem = ""
        self._load(self._read())

    def day_of(self, words: str) -> str:
        """The day a text of these words was erased; empty if it was not."""
        data = self._read()
        if data != self._seen:
            # Another process has laid something to rest.
            self._load(data)
        return self._days.get(self._mark(words), "") if self._days else ""

    def add(self, texts: set[str], day: str) -> None:
        """Keep texts of these words from being learned again."""
        with self._drawer.alone("keeping tombstones"):
            self._load(self._read())
            if self.problem:
                self._drawer.put(_DAMAGED, self._seen)
            self._key = self._key or secrets.token_hex(16)
            self._days |= {self._mark(words): day for words in texts}
            told = json.dumps({"key": self._key, "erased": self._days}, indent=1)
            self._drawer.put(_FILE, f"{told}\n".encode())

    def _mark(self, words: str) -> str:
        data = words.encode("utf-8", "replace")
        return hmac.new(self._key.encode(), data, "sha256").hexdigest()[:LENGTH]

    def _read(self) -> bytes:
        with suppress(DiskError, NotAPlainFileError):
            return self._drawer.read(_FILE) or b""
        self.problem = f"{_FILE} cannot be read"
        return b""

    def _load(self, data: bytes) -> None:
        """Take over the key and what it has marked."""
        self._seen, self._key, self._days = data, "", {}
        self.problem = ""
        if not data:
            return
        try:
            told = json.loads(data)
            erased = {str(mark): str(day) for mark, day in told["erased"].items()}
            self._key, self._days = str(told["key"]), erased
        except (ValueError, LookupError, AttributeError, TypeError):
            self.problem = f"{_FILE} is damaged: what was erased may be learned again"
