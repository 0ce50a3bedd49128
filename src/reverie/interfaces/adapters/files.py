"""Labels and JSON as they stand in the files of a notebook."""

from __future__ import annotations

import hashlib
import json

from reverie.errors import RefusedError
from reverie.model.ids import slug
from reverie.printable import UnstorableTextError, storable

LONGEST_LABEL = 60


class BrokenFileError(RefusedError):
    """A file of an adapter was edited, and reads no longer as what it kept."""

    says = "{} does not read as what was kept there: {}"
    mend = "Mend the file, or take the edit back: `reverie undo --file {0}`."


def file_name(label: str) -> str:
    """A label as it names a file; what is no plain name gets its hash behind it."""
    plain = label.replace("_", "-")
    if slug(plain) == plain and len(label) <= LONGEST_LABEL and label != "4913":
        return label
    digest = hashlib.sha256(label.encode("utf-8", "surrogatepass")).hexdigest()
    return f"{slug(label)[:LONGEST_LABEL].rstrip('-')}.{digest[:12]}"


def json_text(value: object, indent: int | None = None) -> str:
    """JSON that is no comment's end, and has nothing that a person would not see."""
    try:
        text = json.dumps(value, ensure_ascii=False, indent=indent)
    except (TypeError, ValueError) as error:
        what = f"only JSON can be kept, and this is not: {error}"
        raise RefusedError(what, hint="Put texts, numbers, lists and dicts.") from None
    if not is_visible(text):
        text = json.dumps(value, indent=indent)
    return text.replace("<!--", r"\u003c!--").replace("-->", r"--\u003e")


def is_visible(text: str) -> bool:
    """Whether a person sees every character of a text."""
    try:
        storable(text, 4 * len(text))
    except UnstorableTextError:
        return not text.strip() and text.isprintable()
    return True
