"""How a finding reads."""

from __future__ import annotations

from reverie.model.items import Finding, Severity


def test_a_finding_names_its_file_and_line() -> None:
    assert str(Finding("MEMORY.md", 3, "is odd")) == "MEMORY.md:3: is odd"


def test_a_finding_about_a_whole_file_names_no_line() -> None:
    assert str(Finding("MEMORY.md", 0, "is missing")) == "MEMORY.md: is missing"


def test_findings_sort_by_file_and_line() -> None:
    found = [Finding("b.md", 1, "x"), Finding("a.md", 9, "x"), Finding("a.md", 2, "x")]

    assert [str(f) for f in sorted(found)] == ["a.md:2: x", "a.md:9: x", "b.md:1: x"]


def test_a_finding_is_an_error_unless_it_says_otherwise() -> None:
    assert Finding("a.md", 1, "x").severity is Severity.ERROR
