"""The values of an audit."""

from __future__ import annotations

from reverie.audit import Fault, Spot


def test_a_spot_reads_as_editors_take_it() -> None:
    assert str(Spot("memory/a.md", 7)) == "memory/a.md:7"


def test_what_matters_most_comes_first() -> None:
    assert next(iter(Fault)) is Fault.SECRETS
