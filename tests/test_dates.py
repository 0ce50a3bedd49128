"""What people mean by when, on a calendar that never moves."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone
from itertools import pairwise
from zoneinfo import ZoneInfo

from hypothesis import example, given
from hypothesis import strategies as st
from tests.strategies import built

from reverie.dates import Span, at_home, find_spans

BERLIN = ZoneInfo("Europe/Berlin")
NOON = "2026-06-17 15:30"  # a Wednesday


def berlin(moment: str) -> datetime:
    return datetime.fromisoformat(moment).replace(tzinfo=BERLIN)


def only(question: str, now: datetime) -> Span:
    spans = find_spans(question, now)
    assert len(spans) == 1, spans
    return spans[0]


WEDNESDAY_AFTERNOON = [
    ("What did I do today?", "2026-06-17", "2026-06-18"),
    ("Yesterday's meeting was about what?", "2026-06-16", "2026-06-17"),
    ("Whom did I see the day before yesterday?", "2026-06-15", "2026-06-16"),
    ("Where was I last night?", "2026-06-16", "2026-06-17"),
    ("What is on tomorrow?", "2026-06-18", "2026-06-19"),
    ("What did we decide last week?", "2026-06-08", "2026-06-15"),
    ("What happened in the last week?", "2026-06-10", NOON),
    ("What did I buy this month?", "2026-06-01", "2026-07-01"),
    ("How did we do last quarter?", "2026-01-01", "2026-04-01"),
    ("Where do we go next year?", "2027-01-01", "2028-01-01"),
    ("What did we do last weekend?", "2026-06-13", "2026-06-15"),
    ("What did we do over the weekend?", "2026-06-13", "2026-06-15"),
    ("What was it two days ago?", "2026-06-15", "2026-06-16"),
    ("What was it 3 weeks ago?", "2026-05-24", "2026-05-31"),
    ("What was it an hour ago?", "2026-06-17 14:00", "2026-06-17 15:00"),
    ("What did I eat in the last 3 days?", "2026-06-14", NOON),
    ("What is due in the next two weeks?", NOON, "2026-07-02"),
    ("What did we say on Tuesday?", "2026-06-16", "2026-06-17"),
    ("what did we say on wednesday?", "2026-06-10", "2026-06-11"),
    ("What do we do this Friday?", "2026-06-19", "2026-06-20"),
    ("What do we do next Friday?", "2026-06-19", "2026-06-20"),
    ("What did we do on Sat?", "2026-06-13", "2026-06-14"),
    ("what did i read in may?", "2026-05-01", "2026-06-01"),
    ("What did I read in July?", "2025-07-01", "2025-08-01"),
    ("What did I read last June?", "2025-06-01", "2025-07-01"),
    ("What did I read in Dec. 2021?", "2021-12-01", "2022-01-01"),
    ("What did I read in May last year?", "2025-05-01", "2025-06-01"),
    ("What did I read last year in March?", "2025-03-01", "2025-04-01"),
    ("What is on next year on 8 May?", "2027-05-08", "2027-05-09"),
    ("Was January cold?", "2026-01-01", "2026-02-01"),
    ("Where was I in 2023?", "2023-01-01", "2024-01-01"),
    ("Where was I in the summer of 2023?", "2023-01-01", "2024-01-01"),
    ("What happened on May 8th, 2023?", "2023-05-08", "2023-05-09"),
    ("What happened on the 8th of May?", "2026-05-08", "2026-05-09"),
    ("What happened on 8 July?", "2025-07-08", "2025-07-09"),
    ("What happened on Tuesday, 9 May 2023?", "2023-05-09", "2023-05-10"),
    ("What happened on 13/5/2023?", "2023-05-13", "2023-05-14"),
    ("What happened on Feb 29?", "2024-02-29", "2024-03-01"),
    ("What is episode:2026-02-02:14:30 about?", "2026-02-02", "2026-02-03"),
    ("What has changed since March?", "2026-03-01", NOON),
    ("What did I know before 5 May?", "1970-01-01", "2026-05-05"),
    ("What did I know until 5 May?", "1970-01-01", "2026-05-06"),
    ("What did I learn after 5 May?", "2026-05-06", NOON),
    ("What is planned after next Friday?", "2026-06-20", "2200-01-01"),
    ("What did I write between March and May?", "2026-03-01", "2026-06-01"),
    ("What did I write between May and July 2023?", "2023-05-01", "2023-08-01"),
    ("What did I write from 28 May to 3 June?", "2026-05-28", "2026-06-04"),
    ("What did I write 8 May 2023 – 10 May 2023?", "2023-05-08", "2023-05-11"),  # noqa: RUF001 -- a range
    ("What did I do on the first Saturday of May?", "2026-05-02", "2026-05-03"),
    ("Whom did we see the first weekend of May?", "2026-05-02", "2026-05-04"),
    ("Where was I the last Friday of last October?", "2025-10-31", "2025-11-01"),
    ("What did we do in the last week of May?", "2026-05-25", "2026-06-01"),
    ("Where did we spend the weekend of 13 June?", "2026-06-13", "2026-06-15"),
    ("What was due the week of May 6?", "2026-05-04", "2026-05-11"),
    # other languages
    ("Wo war ich letzten Dienstag?", "2026-06-16", "2026-06-17"),
    ("Was war am ersten Samstag im Mai?", "2026-05-02", "2026-05-03"),
    ("¿Dónde estuve el primer sábado de mayo?", "2026-05-02", "2026-05-03"),
    ("Où étions-nous le premier samedi de mai ?", "2026-05-02", "2026-05-03"),
    ("Onde estive no primeiro sábado de maio?", "2026-05-02", "2026-05-03"),
    ("上周二我在哪里", "2026-06-09", "2026-06-10"),
    ("四月二十三号我们吃了什么", "2026-04-23", "2026-04-24"),
    ("十二月三十一日做了什么", "2025-12-31", "2026-01-01"),
    ("四月最后一个星期六谁来了", "2026-04-25", "2026-04-26"),
    ("Was haben wir vorgestern besprochen?", "2026-06-15", "2026-06-16"),
    ("Was war letzten Monat am wichtigsten?", "2026-05-01", "2026-06-01"),
    ("Was habe ich vor drei Tagen gesagt?", "2026-06-14", "2026-06-15"),
    ("Was ist am 8. Mai 2023 passiert?", "2023-05-08", "2023-05-09"),
    ("Was war letztes Jahr im März?", "2025-03-01", "2025-04-01"),
    ("Was war im März des letzten Jahres?", "2025-03-01", "2025-04-01"),
    ("¿Qué pasó en marzo del año pasado?", "2025-03-01", "2025-04-01"),
    ("¿Qué pasó la semana pasada?", "2026-06-08", "2026-06-15"),
    ("¿Qué dije hace dos días?", "2026-06-15", "2026-06-16"),
    ("¿Qué hicimos entre marzo y mayo?", "2026-03-01", "2026-06-01"),
    ("Qu'avons-nous fait hier ?", "2026-06-16", "2026-06-17"),
    ("Qui est venu lundi dernier ?", "2026-06-15", "2026-06-16"),
    ("Qu'ai-je dit il y a trois jours ?", "2026-06-14", "2026-06-15"),
    ("réunion hier", "2026-06-16", "2026-06-17"),
    ("budget en mars", "2026-03-01", "2026-04-01"),
    ("l'année dernière en mars", "2025-03-01", "2025-04-01"),
    ("O que fiz na segunda-feira?", "2026-06-15", "2026-06-16"),
    ("O que fiz em março de 2023?", "2023-03-01", "2023-04-01"),
    ("上个月我买了什么？", "2026-05-01", "2026-06-01"),  # noqa: RUF001 -- as it is written
    ("三天前发生了什么？", "2026-06-14", "2026-06-15"),  # noqa: RUF001 -- as it is written
    ("2023年5月8日は何をしましたか", "2023-05-08", "2023-05-09"),
    ("水曜日に何がありましたか", "2026-06-10", "2026-06-11"),
    ("去年三月我买了什么", "2025-03-01", "2025-04-01"),
    ("去年何を買いましたか", "2025-01-01", "2026-01-01"),
]


def test_the_ends_of_all_times_are_told_as_they_are() -> None:
    first = datetime.min.replace(tzinfo=UTC)
    last = datetime.max.replace(tzinfo=UTC)

    assert at_home(first, timezone(timedelta(hours=-5))) == first
    assert at_home(last, timezone(timedelta(hours=5))) == last


def test_on_a_wednesday_in_june_2026_people_mean() -> None:
    for question, start, end in WEDNESDAY_AFTERNOON:
        span = only(question, berlin(NOON))

        assert (span.start, span.end) == (berlin(start), berlin(end))
        assert span.start.tzinfo is span.end.tzinfo is BERLIN


def test_there_is_no_time_in() -> None:
    for question in (
        "",
        "May I ask you something? This may take a while.",
        "They sat down in the sun and wed; who last sat here?",
        "What did April say to June and August? A gift for April.",
        "The last time we met, the last year of school, the next day",
        "every Tuesday, each Friday, on Tuesdays",
        "half a year ago; what did I buy on Black Friday?",
        "Ping 192.168.20.23 with v3.5.2023.1, or call 555-2023.",
        "It costs $2023, 2023 euros, 2,023.00 or 20.23.",
        "after 2000 steps in 2000 lines; in 1066; 2023",
        "2023-13-45, 2023-02-30, 32/12/2023, 31.11.2023",
        "What is in may be old. The last may be first.",
        "Is Version 3.5.2023 out, or v 3.5.2024? A game of 2048.",
        "since then, before lunch, two days, between you and me",
        "my first May, the second week, a third weekend, 二十个饺子",
        "Wo ist hier der Bahnhof, wo das Café?",
    ):
        assert find_spans(question, berlin(NOON)) == ()


def test_two_expressions_are_two_spans_with_their_words_and_places() -> None:
    question = "Did I go there yesterday, or Since Last Tuesday?"

    spans = find_spans(question, berlin(NOON))

    assert [span.text for span in spans] == ["yesterday", "Since Last Tuesday"]
    assert all(question[slice(*span.at)] == span.text for span in spans)


def test_what_is_counted_from_now_is_told_from_what_is_named() -> None:
    for question, counted in (
        ("last week", True),
        ("3 days ago", True),
        ("in May", False),
        ("Monday", False),
    ):
        assert only(question, berlin(NOON)).counted is counted


def test_what_lies_ahead_has_not_lasted_until_now() -> None:
    assert only("What will be since tomorrow?", berlin(NOON)).text == "tomorrow"


def test_at_the_turn_of_the_year_last_month_is_in_the_old_one() -> None:
    span = only("What did we do last month?", berlin("2026-01-01 00:00"))

    assert (span.start, span.end) == (berlin("2025-12-01"), berlin("2026-01-01"))


def test_letters_that_grow_when_lowered_do_not_shift_the_words() -> None:
    question = "İİİ: what was yesterday?"  # in small letters they are twice as many

    assert only(question, berlin(NOON)).text == "yesterday"


# --- zones -------------------------------------------------------------------


def test_a_day_lasts_from_midnight_to_midnight() -> None:
    for now, hours in (
        ("2026-03-30 12:00", 23),
        ("2026-10-26 12:00", 25),
        ("2026-06-17 12:00", 24),
    ):
        span = only("What did I do yesterday?", berlin(now))

        passed = span.end.astimezone(UTC) - span.start.astimezone(UTC)
        assert (span.start.hour, span.end.hour) == (0, 0)
        assert passed == timedelta(hours=hours)


def test_hours_ago_are_hours_that_passed() -> None:
    span = only("What did I do in the last 2 hours?", berlin("2026-03-29 03:10"))

    passed = span.end.astimezone(UTC) - span.start.astimezone(UTC)
    assert passed == timedelta(hours=2)


def test_a_day_that_a_zone_left_out_is_no_span() -> None:
    now = datetime(2012, 1, 5, 12, tzinfo=ZoneInfo("Pacific/Apia"))

    assert find_spans("What happened on 2011-12-30?", now) == ()
    assert len(find_spans("What happened on 2011-12-31?", now)) == 1


def test_today_is_the_askers_day() -> None:
    moment = datetime(2026, 6, 17, 22, 30, tzinfo=UTC)

    starts = [
        only("What did I do today?", moment.astimezone(ZoneInfo(zone))).start.day
        for zone in ("UTC", "Europe/Berlin", "America/Los_Angeles")
    ]

    assert starts == [17, 18, 17]


# --- whatever is written -----------------------------------------------------

WORDS = st.sampled_from(
    sorted({word for row in WEDNESDAY_AFTERNOON for word in row[0].split()})
)
NUMBERS = st.integers(0, 99999).map(str)
GAPS = st.sampled_from([" ", "  ", "-", "/", ".", ""])
PIECES = st.lists(st.one_of(WORDS, WORDS, NUMBERS, st.text(max_size=3)), max_size=12)
SENTENCES = built(lambda gap, words: gap.join(words), GAPS, PIECES)
MOMENTS = st.datetimes(timezones=st.timezones(), allow_imaginary=True)


def assert_sound(question: str, now: datetime) -> None:
    spans = find_spans(question, now)

    for span in spans:
        assert span.start.tzinfo is span.end.tzinfo is now.tzinfo
        assert span.start < span.end
        assert span.start.astimezone(UTC) < span.end.astimezone(UTC)
        assert span.text == question[slice(*span.at)] != ""
    assert all(one.at[1] <= other.at[0] for one, other in pairwise(spans))


@given(question=st.one_of(st.text(), SENTENCES), now=MOMENTS)
@example(
    question="\u212a \u017f 2023-05-08 \u0663 May 8",
    now=datetime(2026, 6, 17, tzinfo=UTC),
)
def test_any_text_at_any_moment_gives_sound_spans(question: str, now: datetime) -> None:
    assert_sound(question, now)


def test_nothing_fails_at_the_ends_of_the_calendar() -> None:
    for hours in (-12, 0, 14):
        zone = timezone(timedelta(hours=hours))

        for question, _, _ in WEDNESDAY_AFTERNOON:
            assert_sound(question, datetime.min.replace(tzinfo=zone))
            assert_sound(question, datetime.max.replace(tzinfo=zone))


@given(day=st.dates(date(1900, 1, 1), date(2199, 12, 31)))
def test_a_date_is_found_however_it_is_spelled(day: date) -> None:
    now = berlin(NOON)
    spellings = ["%Y-%m-%d", "%Y/%m/%d", "%d %B %Y", "%B %d, %Y", "%d.%m.%Y"]
    spellings += ["%m/%d/%Y", "%A, %d %B %Y", "%dth of %b. %Y"]

    spelled = [f"{day:{spelling}}" for spelling in spellings]
    spelled.append(f"{day.year}年{day.month}月{day.day}日")
    found = {only(f"What about {text}?", now).start for text in spelled}

    assert found == {berlin(f"{day:%Y-%m-%d}")}
