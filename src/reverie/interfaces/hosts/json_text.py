"""JSON in a person's file, changed only where it is asked for.

Reads JSON, JSON with comments and JSON5, and knows where each value stands. A change
is an insertion or a cut in the text, so comments, order, quotes and spacing of
everything else stay. Each change is read back before it counts.
"""

from __future__ import annotations

import json
import re
from contextlib import suppress
from typing import Any

from msgspec import Struct

from reverie.errors import FormatError

Keys = tuple[str | int, ...]
"""A way down: names of members, and places in lists."""

MEND = "Mend it there, then try again. Nothing was changed."
DEEPEST = 100

_SPACE = re.compile(r"(?:[\s\ufeff]|//[^\n\r]*|/\*.*?\*/)*", re.DOTALL)
_STRING = re.compile(r'"(?:[^"\\\n\r]|\\.)*"|' + r"'(?:[^'\\\n\r]|\\.)*'", re.DOTALL)
_NAME = re.compile(r"[\w$]+")
_WORD = re.compile(r"[^\s,:/'\"\[\]{}]+")
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|\r\n|.)", re.DOTALL)
_ESCAPED = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_ESCAPED |= {"0": "\0", "\n": "", "\r": "", "\r\n": "", "\u2028": "", "\u2029": ""}
_WORDS: dict[str, Any] = {"true": True, "false": False, "null": None}
_WORDS |= {"NaN": float("nan"), "Infinity": float("inf")}


class Value(Struct):
    """A value and where it stands in the text."""

    start: int
    end: int
    data: Any
    parts: list[Part] = []

    def at(self, key: str | int) -> Part | None:
        """The member of that name, or the item at that place."""
        if isinstance(key, int):
            return self.parts[key] if key < len(self.parts) else None
        return next((part for part in self.parts if part.key == key), None)


class Part(Struct):
    """A member of an object, or an item of a list, and the comma behind it if any."""

    start: int
    value: Value
    key: str | None = None
    comma: int = -1


class _Text:
    """One reading of a text."""

    def __init__(self, text: str, path: str) -> None:
        self.text, self.path = text, path

    def wrong(self, at: int, problem: str) -> FormatError:
        line = len(re.findall(r"\r\n|\r|\n", self.text[:at])) + 1
        return FormatError(self.path, line, problem, hint=MEND)

    def skip(self, at: int) -> int:
        found = _SPACE.match(self.text, at)
        return found.end() if found else at

    def value(self, at: int, depth: int = 0) -> Value:
        sign = self.text[at : at + 1]
        if sign in ("{", "["):
            if depth == DEEPEST:
                raise self.wrong(at, f"is nested deeper than {DEEPEST} levels")
            return self.container(at, depth, "}" if sign == "{" else "]")
        if found := _STRING.match(self.text, at):
            return Value(at, found.end(), _unescaped(found[0]))
        if found := _WORD.match(self.text, at):
            with suppress(ValueError):
                return Value(at, found.end(), _scalar(found[0]))
        here = repr(self.text[at : at + 12]) if sign else "its end"
        raise self.wrong(at, f"a value was expected, not {here}")

    def container(self, start: int, depth: int, close: str) -> Value:
        text, named, parts = self.text, close == "}", list[Part]()
        at = self.skip(start + 1)
        while text[at : at + 1] != close:
            if parts and parts[-1].comma < 0:
                raise self.wrong(at, f"a comma or '{close}' was expected")
            begin, key = at, None
            if named:
                at, key = self.key(at)
                if any(part.key == key for part in parts):
                    raise self.wrong(begin, f"{key!r} stands there twice")
            value = self.value(at, depth + 1)
            at = self.skip(value.end)
            part = Part(begin, value, key)
            parts.append(part)
            if text[at : at + 1] == ",":
                part.comma = at
                at = self.skip(at + 1)
        items = [part.value.data for part in parts]
        data = {p.key: p.value.data for p in parts} if named else items
        return Value(start, at + 1, data, parts)

    def key(self, at: int) -> tuple[int, str]:
        found = _STRING.match(self.text, at) or _NAME.match(self.text, at)
        if not found:
            raise self.wrong(at, "a name was expected")
        behind = self.skip(found.end())
        if self.text[behind : behind + 1] != ":":
            raise self.wrong(behind, "a colon was expected")
        quoted = found[0][0] in "\"'"
        return self.skip(behind + 1), _unescaped(found[0]) if quoted else found[0]


def _scalar(word: str) -> Any:
    if word.lstrip("+-") in _WORDS:
        named = _WORDS[word.lstrip("+-")]
        return -named if word[0] == "-" and named is not None else named
    if re.fullmatch(r"[+-]?0[xX][0-9a-fA-F]+", word):
        return int(word, 16)
    if not _NUMBER.fullmatch(word):
        raise ValueError(word)
    return int(word) if re.fullmatch(r"[+-]?\d{1,400}", word) else float(word)


def _unescaped(quoted: str) -> str:
    def plain(found: re.Match[str]) -> str:
        what = found[1]
        if what[0] in "ux" and len(what) > 1:
            return chr(int(what[1:], 16))
        return _ESCAPED.get(what, what)

    said = _ESCAPE.sub(plain, quoted[1:-1])
    return said.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def read(text: str, path: str) -> Value:
    """The object that a text is.

    Raises:
        FormatError: It is no JSON, or not an object.
    """
    reading = _Text(text, path)
    at = reading.skip(0)
    value = reading.value(at)
    behind = reading.skip(value.end)
    if behind < len(text):
        raise reading.wrong(behind, "there is more behind the end of the value")
    if not isinstance(value.data, dict):
        raise reading.wrong(at, "an object was expected: { … }")
    return value


def look_up(data: Any, keys: Keys) -> Any:
    """What stands at the end of some keys; None where there is nothing."""
    for key in keys:
        if isinstance(key, int):
            there = isinstance(data, list) and key < len(data)
            data = data[key] if there else None
        else:
            data = data.get(key) if isinstance(data, dict) else None
    return data


# --- changes -------------------------------------------------------------------


def put(text: str, keys: Keys, value: Any, path: str) -> str:
    """A text with one more member of this value; objects on the way are made.

    Raises:
        FormatError: The text cannot be read, or something else is on the way.
    """
    if not text.strip("\ufeff \t\r\n"):
        return text + _rendered(_nested(keys, value), "", "  ") + "\n"
    root = read(text, path)
    node = root
    for depth, key in enumerate(keys):
        if not isinstance(node.data, dict):
            raise _in_the_way(text, node, keys[:depth], "an object", path)
        part = node.at(key)
        if part is None:
            new = _nested(keys[depth + 1 :], value)
            return _checked(_inserted(text, root, node, new, str(key)), root, path)
        node = part.value
    raise _in_the_way(text, node, keys, "free", path)


def append(text: str, keys: Keys, item: Any, path: str) -> str:
    """A text in which a list has one more item; the list is made where it is missing.

    Raises:
        FormatError: The text cannot be read, or something else is on the way.
    """
    root = read(text, path) if text.strip("\ufeff \t\r\n") else None
    node = root
    for key in keys:
        part = node.at(key) if node else None
        node = part.value if part else None
    if root is None or node is None:
        return put(text, keys, [item], path)
    if not isinstance(node.data, list):
        raise _in_the_way(text, node, keys, "a list", path)
    return _checked(_inserted(text, root, node, item), root, path)


def cut(text: str, keys: Keys, path: str) -> str:
    """A text without a member, or without an item of a list."""
    node = read(text, path)
    way = keys[:-1]
    for key in way:
        part = node.at(key)
        if part is None:
            return text
        node = part.value
    gone = node.at(keys[-1])
    if gone is None:
        return text
    place = node.parts.index(gone)
    expected = [p.value.data for n, p in enumerate(node.parts) if n != place]
    # A comment that ends with its line keeps the end of its line.
    for space_too in (True, False):
        new = _without(text, node, place, space_too=space_too)
        with suppress(FormatError):
            left: Value | None = read(new, path)
            for key in way:
                part = left.at(key) if left else None
                left = part.value if part else None
            # As text: what is no number does not equal itself.
            if left and repr([p.value.data for p in left.parts]) == repr(expected):
                return new
    raise _in_the_way(text, node, keys, "something simpler", path)


def _without(text: str, node: Value, place: int, *, space_too: bool) -> str:
    part = node.parts[place]
    start, end = part.start, part.value.end
    if space_too:
        start -= len(text[:start]) - len(text[:start].rstrip(" \t\r\n"))
    last = place == len(node.parts) - 1
    if part.comma >= 0:
        text = text[: part.comma] + text[part.comma + 1 :]
    text = text[:start] + text[end:]
    if last and part.comma < 0 and place:
        comma = node.parts[place - 1].comma
        text = text[:comma] + text[comma + 1 :]
    return text


def _inserted(
    text: str, root: Value, node: Value, value: Any, key: str | None = None
) -> str:
    """The text with one more part at the end of a container."""
    unit, line = _unit(text, root), _newline(text)
    name = f"{json.dumps(key, ensure_ascii=False)}: " if key is not None else ""
    outer = _indent_of(text, node.start)
    if not node.parts:
        indent = outer + unit
        new = f"{line}{indent}{name}{_rendered(value, indent, unit, line)}"
        inner = text[node.start + 1 : node.end - 1]
        if not inner.strip():
            inner = f"{line}{outer}"
        return text[: node.start + 1] + new + inner + text[node.end - 1 :]
    first, last = node.parts[0], node.parts[-1]
    before = text[node.start : first.start]
    if "\n" not in before and "\r" not in before:
        new = f" {name}{json.dumps(value, ensure_ascii=False)}"
        at = last.value.end
        if last.comma >= 0:
            return text[: last.comma + 1] + new + "," + text[last.comma + 1 :]
        return f"{text[:at]},{new}{text[at:]}"
    indent = _indent_of(text, first.start)
    new = f"{line}{indent}{name}{_rendered(value, indent, unit, line)}"
    at = last.comma + 1 if last.comma >= 0 else last.value.end
    # What is said of the last part at the end of its line stays there.
    found = re.compile(r"[ \t]*(?://[^\r\n]*|/\*[^\r\n]*?\*/[ \t]*(?=[\r\n]))").match(
        text, at
    )
    behind = found.end() if found else at
    if last.comma >= 0:
        return f"{text[:behind]}{new},{text[behind:]}"
    return f"{text[:at]},{text[at:behind]}{new}{text[behind:]}"


def _checked(new: str, old: Value, path: str) -> str:
    """A changed text, if what was there before is all there still."""
    read_back = read(new, path)
    if not _contains(read_back.data, old.data):
        raise FormatError(path, 1, "cannot be changed safely", hint=MEND)
    return new


def _contains(new: Any, old: Any) -> bool:
    if isinstance(old, dict) and isinstance(new, dict):
        return all(key in new and _contains(new[key], old[key]) for key in old)
    if isinstance(old, list) and isinstance(new, list):
        fits = zip(new, old, strict=False)
        return len(new) >= len(old) and all(_contains(n, o) for n, o in fits)
    return repr(new) == repr(old)


def _nested(keys: Keys, value: Any) -> Any:
    for key in reversed(keys):
        value = {key: value}
    return value


def _rendered(value: Any, indent: str, unit: str, line: str = "\n") -> str:
    text = json.dumps(value, ensure_ascii=False, indent=unit)
    return text.replace("\n", f"{line}{indent}")


def _indent_of(text: str, at: int) -> str:
    """The white space that the line of a place begins with."""
    begin = max(text.rfind("\n", 0, at), text.rfind("\r", 0, at)) + 1
    found = re.compile(r"\ufeff?([ \t]*)").match(text, begin)
    return found[1] if found else ""


def _unit(text: str, root: Value) -> str:
    """What one level is indented by."""
    if root.parts and (indent := _indent_of(text, root.parts[0].start)):
        return indent
    return "  "


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _in_the_way(
    text: str, node: Value, keys: Keys, wanted: str, path: str
) -> FormatError:
    name = ".".join(map(str, keys)) or "the whole"
    return _Text(text, path).wrong(node.start, f"{name} should be {wanted}")
