"""The zone of the machine's clock, with its summer times."""

from __future__ import annotations

import os
from contextlib import suppress
from datetime import UTC, datetime, tzinfo
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

if TYPE_CHECKING:
    from collections.abc import Mapping

_LINK = "/etc/localtime"


def local_zone(environ: Mapping[str, str]) -> tzinfo:
    """The zone that `TZ` names, else the machine's, else how far it is from UTC now."""
    linked = os.path.realpath(_LINK).partition("zoneinfo/")[2]
    for name in (environ.get("TZ", "").lstrip(":"), linked):
        with suppress(ValueError, OSError, LookupError):
            if name:
                return ZoneInfo(name)
    return datetime.now(UTC).astimezone().tzinfo or UTC
