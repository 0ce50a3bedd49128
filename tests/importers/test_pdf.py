"""Reading PDFs page by page, with `pypdf` where it is installed."""

from __future__ import annotations

import builtins
import io
import os
import sys
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pypdf import PdfReader, PdfWriter
from tests.importers.samples import (
    NOON,
    everything,
    passages,
    source,
    survey,
    write,
    zipped,
)

from reverie.importers.documents import PdfSupportMissingError, joined, titled
from reverie.importers.intake import read

if TYPE_CHECKING:
    from pathlib import Path


def pdf(*pages: str, info: str = "") -> bytes:
    """A PDF with these pages, written by hand; a line feed begins a new line."""
    kids = " ".join(f"{4 + 2 * n} 0 R" for n in range(len(pages)))
    parts = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for n, text in enumerate(pages):
        shown = " 0 -14 Td ".join(f"({line}) Tj" for line in text.split("\n"))
        drawn = f"BT /F1 12 Tf 72 720 Td {shown} ET" if text else ""
        parts.append(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents "
            f"{5 + 2 * n} 0 R /Resources << /Font << /F1 3 0 R >> >> >>"
        )
        parts.append(f"<< /Length {len(drawn)} >>\nstream\n{drawn}\nendstream")
    parts.append(f"<< {info} >>")
    return _assembled(parts)


def _assembled(parts: list[str]) -> bytes:
    data = b"%PDF-1.4\n"
    table = "0000000000 65535 f \n"
    for number, part in enumerate(parts, start=1):
        table += f"{len(data):010} 00000 n \n"
        data += f"{number} 0 obj\n{part}\nendobj\n".encode("latin-1")
    end = f"xref\n0 {len(parts) + 1}\n{table}trailer\n<< /Size {len(parts) + 1} "
    end += f"/Root 1 0 R /Info {len(parts)} 0 R >>\nstartxref\n{len(data)}\n%%EOF\n"
    return data + end.encode()


def test_each_page_is_a_passage(tmp_path: Path) -> None:
    path = write(tmp_path / "2026-02-02 report.pdf", pdf("First page.", "", "Third."))

    found = passages(path, "pdf")

    stem = "2026-02-02 report"
    assert [(p.title, p.text, p.origin.line) for p in found] == [
        (titled(stem, ["page 1"]), "First page.", 1),
        (titled(stem, ["page 3"]), "Third.", 3),
    ]
    assert found[0].at == datetime(2026, 2, 2, tzinfo=UTC)


def test_a_pdf_has_the_date_it_says_it_was_made(tmp_path: Path) -> None:
    info = "/CreationDate (D:20260202130000+01'00')"
    path = write(tmp_path / "a.pdf", pdf("x", info=info))

    assert passages(path, "pdf")[0].at == NOON


@pytest.mark.parametrize(
    "info",
    ["", "/CreationDate (yesterday)", "/CreationDate 7", "/CreationDate (D:2026)"],
)
def test_a_pdf_that_says_no_clear_date_is_as_old_as_its_file(
    tmp_path: Path, info: str
) -> None:
    path = write(tmp_path / "a.pdf", pdf("x", info=info))
    os.utime(path, (NOON.timestamp(), NOON.timestamp()))

    assert passages(path, "pdf")[0].at == NOON


def test_words_that_were_cut_at_the_end_of_a_line_are_whole_again(
    tmp_path: Path,
) -> None:
    path = write(tmp_path / "a.pdf", pdf("The experi-\nment worked."))

    assert passages(path, "pdf")[0].text == "The experiment worked."


def test_only_hyphens_inside_a_word_join_it() -> None:
    for text, whole in [
        ("soft\u00ad\nware", "software"),
        ("Müll-\n  eimer", "Mülleimer"),
        ("soft\u00adware", "software"),
        ("Saint-\nExupéry", "Saint-\nExupéry"),
        ("2025-\n2026", "2025-\n2026"),
        ("a -\nb", "a -\nb"),
    ]:
        assert joined(text) == whole


def test_a_scanned_pdf_gives_a_finding(tmp_path: Path) -> None:
    path = write(tmp_path / "scan.pdf", pdf("", ""))

    found, _, (finding,) = everything([source(path, "pdf")])

    assert found == []
    assert "scanned" in finding.what
    assert "2 pages" in finding.what


def locked(password: str) -> bytes:
    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(pdf("Secret."))))
    writer.encrypt(user_password=password, owner_password="o", algorithm="RC4-128")  # noqa: S106 - made up
    stream = io.BytesIO()
    writer.write(stream)
    return stream.getvalue()


def test_a_pdf_with_a_password_gives_a_finding(tmp_path: Path) -> None:
    path = write(tmp_path / "a.pdf", locked("pw"))

    found, _, (finding,) = everything([source(path, "pdf")])

    assert found == []
    assert "password" in finding.what


def test_a_pdf_that_is_only_locked_against_changes_is_read(tmp_path: Path) -> None:
    path = write(tmp_path / "a.pdf", locked(""))

    assert passages(path, "pdf")[0].text == "Secret."


def test_what_is_only_called_a_pdf_gives_a_finding(tmp_path: Path) -> None:
    path = write(tmp_path / "a.pdf", "not a pdf at all")

    found, _, (finding,) = everything([source(path, "pdf")])

    assert found == []
    assert "cannot be read as a PDF" in finding.what


def test_a_broken_page_does_not_stop_the_rest(tmp_path: Path) -> None:
    data = pdf("One.", "Two.").replace(b"/Contents 5 0 R", b"/Contents /Oops")
    path = write(tmp_path / "a.pdf", data)

    found, _, _ = everything([source(path, "pdf")])

    assert found[-1].text == "Two."


def test_a_pdf_in_a_zip_is_read(tmp_path: Path) -> None:
    path = zipped(tmp_path / "a.zip", {"papers/a.pdf": pdf("Inside.")})

    (found,), _, _ = everything(survey(path))

    assert (found.origin.name, found.text) == ("papers/a.pdf", "Inside.")


def test_without_pypdf_the_error_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path / "a.pdf", pdf("x"))
    real = builtins.__import__

    def missing(name: str, *args: object, **more: object) -> object:
        if name.startswith("pypdf"):
            raise ImportError(name)
        return real(name, *args, **more)  # type: ignore[arg-type]  # handed on as it came

    monkeypatch.delitem(sys.modules, "pypdf")
    monkeypatch.setattr(builtins, "__import__", missing)

    with pytest.raises(PdfSupportMissingError) as caught:
        list(read(source(path, "pdf")))

    assert caught.value.advice == "pip install 'reverie[pdf]'"


@given(st.binary(), st.booleans())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_bytes_give_findings_and_no_crash(
    tmp_path: Path,
    data: bytes,
    begun: bool,  # noqa: FBT001 - made up by Hypothesis
) -> None:
    path = write(tmp_path / "a.pdf", (b"%PDF-1.4\n" if begun else b"") + data)

    everything([source(path, "pdf")])


@given(st.lists(st.tuples(st.integers(0, 2_000), st.integers(0, 255)), max_size=12))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_a_damaged_pdf_gives_pages_or_findings(
    tmp_path: Path, changes: list[tuple[int, int]]
) -> None:
    data = bytearray(pdf("One page.", "Two pages.", info="/CreationDate (D:2026)"))
    for at, byte in changes:
        data[at % len(data)] = byte
    path = write(tmp_path / "a.pdf", bytes(data))

    found, chats, _ = everything([source(path, "pdf")])

    assert chats == []
    assert all(passage.text for passage in found)
