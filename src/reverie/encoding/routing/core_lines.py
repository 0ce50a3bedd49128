"""How core memory is told something: as the line of its template, where it has one."""

from __future__ import annotations

import re

from reverie.markdown import headline

LONGEST = 200
"""Characters of a text that core memory is told of."""

_MY = r"(?:my|the user's|user's)"
_I = r"(?:i am|i['\u2019]m|the user is|user is)"
_END = r"[\s.!]*$"
_LINES = (
    (
        "Name",
        rf"^(?:{_MY} (?:full |first )?name is|(?:please )?call me|{_I} called)\s+"
        r"(?P<value>[^\W\d_][\w'\u2019.-]*(?: [^\W\d_][\w'\u2019.-]*){0,3}?)",
    ),
    (
        "Role",
        rf"^(?:{_MY} (?:job|role|job title|profession|occupation) is"
        r"|i work as|the user works as)\s+(?:an? )?(?P<value>[^.!?\n]{2,80}?)",
    ),
    ("Timezone", rf"^{_MY} time ?zone is\s+(?P<value>[\w+/:-]{{2,40}})"),
)
_PATTERNS = tuple(
    (label, re.compile(pattern + _END, re.IGNORECASE)) for label, pattern in _LINES
)


def core_line(text: str) -> str:
    """A text as one line of core memory, in its own words.

    "My name is Alex." becomes `Name: Alex`, which is how the template puts it.
    """
    line = headline(text, LONGEST)
    for label, pattern in _PATTERNS:
        found = pattern.match(line.strip())
        if found:
            return f"{label}: {found['value'].strip(' .')}"
    return line
