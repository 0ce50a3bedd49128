"""Tokens: no process passes a limit, and no death makes them cheaper."""

from __future__ import annotations

import os
from contextlib import closing
from datetime import UTC, date, datetime, timedelta, timezone
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.authority.keyring import Keyring
from reverie.minds.mind import OutOfTokensError, Use
from reverie.model.health import Sum
from reverie.workspace.files import Folder
from reverie.workspace.local_state import Drawer
from reverie.workspace.lock import WorkspaceBusyError
from reverie.workspace.spend_log import Spending, parse_line, sum_lines

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

DAY = date(2026, 2, 2)
NOON = datetime(2026, 2, 2, 12, tzinfo=UTC)
WISH = Use("route", "tiny", 100, 0, estimated=True)
USE = Use("route", "tiny", 30, 10, estimated=False)


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Folder]:
    with closing(Folder(tmp_path)) as made:
        yield made


@pytest.fixture
def purse(folder: Folder) -> Spending:
    return Spending(folder.root / ".reverie", lambda: NOON)


@pytest.fixture
def written(tmp_path: Path) -> Path:
    return tmp_path / ".reverie" / "spending" / "2026-02-02.jsonl"


def test_a_day_without_questions_costs_nothing(purse: Spending, tmp_path: Path) -> None:
    assert purse.spent(DAY).tokens == 0
    assert list(tmp_path.iterdir()) == []


def test_what_is_put_aside_counts_until_it_is_settled(purse: Spending) -> None:
    name = purse.reserve(WISH, 1000)
    before = purse.spent(DAY)
    purse.settle(name, USE)
    after = purse.spent(DAY)

    assert before.sums == (Sum("route", "tiny", calls=1, standing=100),)
    assert after.sums == (Sum("route", "tiny", 1, 0, 30, 10),)
    assert (before.tokens, after.tokens) == (100, 40)


def test_a_call_that_took_more_than_was_put_aside_counts_in_full(
    purse: Spending,
) -> None:
    name = purse.reserve(WISH, 1000)

    purse.settle(name, Use("route", "tiny", 30, 900, estimated=False))

    assert purse.spent(DAY).tokens == 930


def test_the_day_is_told_by_operation_and_model(purse: Spending) -> None:
    for operation, model in [("route", "b"), ("route", "a"), ("forget", "b")] * 2:
        name = purse.reserve(Use(operation, model, 100, 0, estimated=True), 10_000)
        purse.settle(name, Use(operation, model, 3, 4, estimated=model == "a"))

    assert purse.spent(DAY).sums == (
        Sum("forget", "b", 2, 0, 6, 8),
        Sum("route", "a", 2, 2, 6, 8),
        Sum("route", "b", 2, 0, 6, 8),
    )


def test_a_limit_is_reached_and_not_passed(purse: Spending) -> None:
    purse.reserve(WISH, 250)
    purse.reserve(WISH, 250)

    with pytest.raises(OutOfTokensError) as caught:
        purse.reserve(WISH, 250)

    error = caught.value
    assert str(error) == (
        "mind.daily_tokens is 250: 200 tokens are spent, and this route may take 100"
    )
    assert "at 2026-02-03 00:00 UTC" in error.advice
    assert purse.spent(DAY).tokens == 200


def test_a_limit_of_nothing_allows_nothing(purse: Spending, tmp_path: Path) -> None:
    with pytest.raises(OutOfTokensError):
        purse.reserve(WISH, 0)

    assert not list(tmp_path.rglob("*.jsonl"))


def test_a_call_over_midnight_belongs_to_the_day_it_began(folder: Folder) -> None:
    now = [NOON]
    purse = Spending(folder.root / ".reverie", lambda: now[0])
    name = purse.reserve(WISH, 100)
    now[0] += timedelta(days=1)

    purse.settle(name, USE)

    assert purse.spent(DAY).tokens == 40
    assert purse.spent(DAY + timedelta(days=1)).tokens == 0


def test_days_are_those_of_utc(folder: Folder) -> None:
    tokyo = timezone(timedelta(hours=9))
    purse = Spending(
        folder.root / ".reverie", lambda: datetime(2026, 2, 3, 1, tzinfo=tokyo)
    )

    purse.reserve(WISH, 100)

    assert purse.spent(DAY).tokens == 100


def test_a_process_that_dies_has_spent_what_it_put_aside(
    purse: Spending,
) -> None:
    child = os.fork()
    if child == 0:
        purse.reserve(WISH, 1000)
        os._exit(1)  # before it could settle
    os.waitpid(child, 0)

    assert purse.spent(DAY).tokens == 100


def test_processes_at_once_do_not_pass_the_limit_together(
    purse: Spending,
) -> None:
    children = []
    for _ in range(4):
        child = os.fork()
        if child == 0:
            try:
                while True:
                    purse.reserve(WISH, 2000)
            finally:
                os._exit(0)
        children.append(child)
    for child in children:
        os.waitpid(child, 0)

    spent = purse.spent(DAY)
    assert (spent.tokens, spent.sums[0].calls) == (2000, 20)


def test_counting_and_reserving_is_one_step(folder: Folder) -> None:
    """While one process has counted and not yet reserved, another one waits."""
    hurried = Spending(folder.root / ".reverie", lambda: NOON, lock_seconds=0.01)
    with (
        Drawer(folder.root / ".reverie", "spending", 1.0).alone("counting"),
        pytest.raises(WorkspaceBusyError),
    ):
        hurried.reserve(WISH, 1000)

    assert hurried.spent(DAY).tokens == 0


DAMAGE = (
    b'{"reserved": "2026-02-02.1", "oper',
    b"\xff\xfe",
    b"null",
    b"[]",
    b"{}",
    b'{"settled": "2026-02-02.1"}',
    b'{"reserved": "x", "operation": "a", "model": "b", "tokens": -5}',
    b'{"reserved": "x", "operation": "a", "model": "b", "tokens": true}',
    b'{"reserved": "x", "operation": "a", "model": "b", "tokens": 1e99}',
    b'{"reserved": 7, "operation": "a", "model": "b", "tokens": 5}',
    b'{"settled": "x", "operation": "a", "model": "b", "input_tokens": 1, '
    b'"output_tokens": 1, "estimated": 3}',
    b"[" * 100_000,
)


def test_a_line_that_nobody_can_read_counts_on_the_safe_side(
    purse: Spending, written: Path
) -> None:
    purse.settle(purse.reserve(WISH, 1000), USE)
    good = written.read_bytes()
    for damage in DAMAGE:
        written.write_bytes(good + damage)
        spent = purse.spent(DAY)

        assert (spent.unreadable, spent.feared) == (1, 10_000), damage
        assert spent.tokens == 10_040
    with pytest.raises(OutOfTokensError):
        purse.reserve(WISH, 10_000)
    assert purse.reserve(WISH, 20_000)
    assert purse.spent(DAY).tokens == 10_140


def test_an_unreadable_line_counts_as_much_as_the_largest_beside_it(
    purse: Spending, written: Path
) -> None:
    purse.reserve(Use("reflect", "big", 50_000, 0, estimated=True), 10**6)
    with written.open("ab") as file:
        file.write(b"?\n?\n")

    assert purse.spent(DAY).tokens == 150_000


def test_a_reservation_never_takes_the_name_of_another(
    purse: Spending, written: Path
) -> None:
    first = purse.reserve(WISH, 10**6)
    with written.open("ab") as file:
        file.write(b"torn")

    assert len({first, purse.reserve(WISH, 10**6), purse.reserve(WISH, 10**6)}) == 3


def test_a_full_disk_lets_nobody_ask(
    purse: Spending, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "write", full)

    with pytest.raises(Exception, match="No space left"):
        purse.reserve(WISH, 1000)


def test_what_cannot_be_settled_stands(
    purse: Spending, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = purse.reserve(WISH, 1000)

    def full(*_: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "write", full)
    purse.settle(name, USE)

    assert purse.spent(DAY).tokens == 100


def test_no_word_of_a_question_is_written_down(purse: Spending, written: Path) -> None:
    purse.settle(purse.reserve(WISH, 1000), USE)

    assert written.read_text(encoding="utf-8") == (
        '{"reserved": "2026-02-02.1", "operation": "route", "model": "tiny", '
        '"tokens": 100}\n'
        '{"settled": "2026-02-02.1", "operation": "route", "model": "tiny", '
        '"input_tokens": 30, "output_tokens": 10, "estimated": false}\n'
    )


@given(st.lists(st.binary(max_size=40)))
def test_any_bytes_count_at_least_as_much_as_they_say(lines: list[bytes]) -> None:
    spent = sum_lines(DAY, lines)

    assert spent.unreadable == sum(parse_line(line) is None for line in lines)
    assert spent.tokens >= spent.unreadable * 10_000


def test_days_are_told_in_their_order_and_only_those_with_a_file(
    folder: Folder,
) -> None:
    now = [NOON]
    purse = Spending(folder.root / ".reverie", lambda: now[0])
    for days in (9, 3, 0):
        now[0] = NOON - timedelta(days=days)
        purse.settle(purse.reserve(WISH, 1000), USE)

    told = purse.days(DAY - timedelta(days=5), DAY)

    assert [each.day for each in told] == [DAY - timedelta(days=3), DAY]
    assert told[1] == purse.spent(DAY)


def test_no_day_at_all_is_told_without_making_a_folder(
    purse: Spending, tmp_path: Path
) -> None:
    assert purse.days(date.min, date.max) == ()
    assert list(tmp_path.iterdir()) == []


def test_a_file_with_another_name_is_no_day(purse: Spending, written: Path) -> None:
    purse.reserve(WISH, 1000)
    for name in ("20260202", "2026-W06-1", "lock", "2026-13-01", "x"):
        written.with_name(f"{name}.jsonl").write_bytes(written.read_bytes())

    assert [each.day for each in purse.days(date.min, date.max)] == [DAY]


# --- what is noted outside ---------------------------------------------------------


@pytest.mark.parametrize("left", [0, 1])
def test_who_takes_lines_out_of_the_file_gives_nobody_new_tokens(
    folder: Folder, tmp_path_factory: pytest.TempPathFactory, left: int
) -> None:
    keyring = Keyring(tmp_path_factory.mktemp("keys"), folder.root)
    purse = Spending(folder.root / ".reverie", lambda: NOON, keyring=keyring)
    for _ in range(3):
        name = purse.reserve(Use("chat", "m", 400, 0, estimated=True), 1000)
        purse.settle(name, Use("chat", "m", 100, 100, estimated=False))
    (file,) = (folder.root / ".reverie/spending").glob("*.jsonl")
    file.write_bytes(b"".join(file.read_bytes().splitlines(keepends=True)[: 2 * left]))

    spent = purse.spent(NOON.date())

    assert (spent.tokens, spent.unreadable) == (600, 1)
    with pytest.raises(OutOfTokensError, match="600 tokens are spent"):
        purse.reserve(Use("chat", "m", 401, 0, estimated=True), 1000)
    name = purse.reserve(Use("chat", "m", 400, 0, estimated=True), 1000)
    purse.settle(name, Use("chat", "m", 10, 10, estimated=False))
    assert purse.spent(NOON.date()).tokens == 620
