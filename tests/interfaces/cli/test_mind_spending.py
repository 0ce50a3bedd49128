"""`spend`."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace
from tests.interfaces.cli.conftest import on_a_screen
from tests.memory.home import state_folder

from reverie.minds.mind import Use
from reverie.workspace.spend_log import Spending

if TYPE_CHECKING:
    from tests.interfaces.cli.conftest import Desk

PRICES = '[mind]\nprice_input = 0.15\nprice_output = 0.6\ncurrency = "EUR"\n'


def spend(
    desk: Desk, *uses: Use, days_ago: int = 0, standing: tuple[Use, ...] = ()
) -> None:
    """Think on a day."""
    then = desk.now - timedelta(days=days_ago)
    purse = Spending(state_folder(desk.root), lambda: then)
    for use in uses:
        wish = replace(use, input_tokens=use.tokens, output_tokens=0)
        purse.settle(purse.reserve(wish, 10**12), use)
    for wish in standing:
        purse.reserve(wish, 10**12)


def use(operation: str, tokens: int = 1000, *, estimated: bool = False) -> Use:
    return Use(operation, "tiny", tokens, tokens // 10, estimated)


def test_nothing_spent_is_told_beside_the_limit(desk: Desk) -> None:
    assert desk.done("mind").out == (
        "2026-02-02  ....................  0 of 200,000 tokens a day\n"
        "\n"
        "Nothing was spent since 2026-01-04.\n"
    )


def test_days_and_causes_are_told_with_their_totals(desk: Desk) -> None:
    spend(desk, use("route", 500), days_ago=3)
    reflected = use("reflect-survey", 1000), use("reflect-meta", 200)
    spend(desk, *reflected, use("forget", 100))

    assert desk.done("mind").out == (
        "2026-02-02  ....................  1,430 of 200,000 tokens a day\n"
        "\n"
        "for               calls     in  out\n"
        "2026-01-30            1    500   50\n"
        "2026-02-02            3  1,300  130\n"
        "reflect               2  1,200  120\n"
        "  reflect-survey      1  1,000  100\n"
        "  reflect-meta        1    200   20\n"
        "route                 1    500   50\n"
        "forget                1    100   10\n"
        "together              4  1,800  180\n"
        "For money, set mind.price_input and mind.price_output in reverie.toml: what "
        "a million tokens cost.\n"
    )


def test_with_prices_there_is_money(desk: Desk) -> None:
    desk.write("reverie.toml", PRICES)
    spend(desk, use("route", 1_000_000), days_ago=1)

    told = desk.done("mind").out.splitlines()

    assert told[2:4] == [
        "for         calls         in      out     EUR",
        "2026-02-01      1  1,000,000  100,000  0.2100",
    ]
    assert told[-1].split()[-1] == "0.2100"
    assert not any("mind.price_input" in line for line in told)


def test_counts_of_our_own_are_marked(desk: Desk) -> None:
    desk.write("reverie.toml", PRICES)
    spend(desk, use("route", 5000, estimated=True), use("forget", 1000))

    told = desk.done("mind").out

    assert "1  ~5,000  ~500  ~0.001" in told
    assert "1   1,000   100   0.0002\n" in told
    assert "~ some counts are Reverie's own estimate" in told


def test_calls_whose_end_nobody_saw_are_told(desk: Desk) -> None:
    spend(desk, use("route"), standing=(Use("route", "tiny", 7000, 0, estimated=True),))

    told = desk.done("mind").out

    assert "besides 7,000 tokens of calls whose end nobody saw" in told


def test_unreadable_lines_are_told(desk: Desk) -> None:
    spend(desk, use("route"))
    (state_folder(desk.root) / "spending/2026-02-01.jsonl").write_text("what?\n")

    assert "besides 10,000 tokens" in desk.done("mind").out
    assert "besides 10,000 tokens" in desk.done("mind", "--day", "2026-02-01").out


def test_fewer_days_may_be_asked_for(desk: Desk) -> None:
    spend(desk, use("route"), days_ago=3)
    spend(desk, use("route"), days_ago=40)

    assert "2026-01-30" in desk.done("mind", "--days", "4").out
    assert "2025-12-24" not in desk.done("mind").out
    assert "2025-12-24" in desk.done("mind", "--days", "365").out
    assert "spent since 2026-01-31" in desk.done("mind", "--days", "3").out


def test_one_day_is_told_by_operation_and_model(desk: Desk) -> None:
    desk.write("reverie.toml", PRICES)
    spend(desk, use("route"), Use("route", "large", 10, 10, estimated=False))

    told = desk.done("mind", "--day", "today").out

    assert told == (
        "2026-02-02  ....................  1,120 of 200,000 tokens a day\n"
        "\n"
        "for           calls     in  out     EUR\n"
        "route  large      1     10   10  0.0000\n"
        "route  tiny       1  1,000  100  0.0002\n"
        "together          2  1,010  110  0.0002\n"
    )


def test_a_program_gets_one_day_by_operation_and_model(desk: Desk) -> None:
    spend(desk, use("route"), days_ago=1)

    told = desk.json("mind", "--day", "yesterday")

    assert told == {
        "day": "2026-02-01",
        "sums": [
            {
                "operation": "route",
                "model": "tiny",
                "calls": 1,
                "estimated": 0,
                "input_tokens": 1000,
                "output_tokens": 100,
                "standing": 0,
            }
        ],
        "unreadable": 0,
        "feared": 0,
    }


def test_a_program_gets_days_causes_and_money_in_millionths(desk: Desk) -> None:
    desk.write("reverie.toml", PRICES)
    spend(desk, use("reflect-survey", 1_000_000))

    told = desk.json("mind", "--days", "7")

    assert (told["first"], told["last"]) == ("2026-01-27", "2026-02-02")
    assert (told["limit"], told["currency"]) == (200_000, "EUR")
    assert told["total"]["micros"] == 210_000
    assert [day["day"] for day in told["days"]] == ["2026-02-02"]
    (cause,) = told["causes"]
    assert (cause["name"], cause["cost"]["micros"]) == ("reflect", 210_000)
    assert [phase["name"] for phase in cause["phases"]] == ["reflect-survey"]


def test_one_day_and_many_days_are_not_asked_for_together(desk: Desk) -> None:
    typed = desk.type("mind", "--day", "today", "--days", "3")

    assert typed.code == 2
    assert "give one of them" in typed.err


@pytest.mark.parametrize("days", ["0", "-1", "x", "99999999999"])
def test_a_number_of_days_that_makes_no_sense_is_refused(desk: Desk, days: str) -> None:
    assert desk.type("mind", "--days", days).code == 2


def test_asking_writes_nothing(desk: Desk) -> None:
    desk.done("mind")

    assert not (state_folder(desk.root) / "spending").exists()


def test_it_fits_a_screen_of_80_columns(desk: Desk) -> None:
    desk.write("reverie.toml", PRICES.replace("0.15", "900.0"))
    dead = Use("reflect-consolidate", "tiny", 7_000_000, 0, estimated=True)
    spend(
        desk, use("reflect-consolidate", 99_000_000, estimated=True), standing=(dead,)
    )

    code, seen = on_a_screen(("-w", str(desk.root), "mind", "--days", "3660"))

    assert code == 0
    assert "reflect-consolidate" in seen
    assert "…" not in seen
