"""What people mean by when, on a calendar that never moves."""

from __future__ import annotations

import time
from datetime import UTC, date, datetime, timedelta, timezone
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from reverie.recall.spans import Span, find_spans

BERLIN = ZoneInfo("Europe/Berlin")
NOON = "2026-06-17 15:30"  # a Wednesday
BEGINNING = "0001-01-02"  # the first midnight in Berlin that UTC has, too
FAR_AHEAD = "9999-12-31"


def berlin(moment: str) -> datetime:
    return datetime.fromisoformat(moment).replace(tzinfo=BERLIN)


def only(question: str, now: datetime) -> Span:
    spans = find_spans(question, now)
    assert len(spans) == 1, spans
    return spans[0]


WEDNESDAY_AFTERNOON = [
    # days
    ("What did I do today?", "2026-06-17", "2026-06-18"),
    ("What did I say yesterday?", "2026-06-16", "2026-06-17"),
    ("Yesterday's meeting was about what?", "2026-06-16", "2026-06-17"),
    ("Whom did I see the day before yesterday?", "2026-06-15", "2026-06-16"),
    ("What is on tomorrow?", "2026-06-18", "2026-06-19"),
    ("And the day after tomorrow?", "2026-06-19", "2026-06-20"),
    # parts of days
    ("What did you tell me this morning?", "2026-06-17", "2026-06-17 12:00"),
    ("What about this afternoon?", "2026-06-17 12:00", "2026-06-17 18:00"),
    ("What are we doing tonight?", "2026-06-17 18:00", "2026-06-18 06:00"),
    ("Where was I last night?", "2026-06-16 18:00", "2026-06-17 06:00"),
    ("Who called yesterday evening?", "2026-06-16 17:00", "2026-06-17"),
    ("Who called on Monday morning?", "2026-06-15", "2026-06-15 12:00"),
    ("Whom did I meet last Friday night?", "2026-06-12 18:00", "2026-06-13 06:00"),
    # weeks, months, years
    ("What did we decide last week?", "2026-06-08", "2026-06-15"),
    ("What is left this week?", "2026-06-15", "2026-06-22"),
    ("What comes next week?", "2026-06-22", "2026-06-29"),
    ("What happened in the past week?", "2026-06-10", NOON),
    ("What happened in the last week?", "2026-06-10", NOON),
    ("What happened the week before last?", "2026-06-01", "2026-06-08"),
    ("What did I buy last month?", "2026-05-01", "2026-06-01"),
    ("What did I buy this month?", "2026-06-01", "2026-07-01"),
    ("What did I buy over the past month?", "2026-05-17", NOON),
    ("How did we do last quarter?", "2026-01-01", "2026-04-01"),
    ("How are we doing this quarter?", "2026-04-01", "2026-07-01"),
    ("Where did we go last year?", "2025-01-01", "2026-01-01"),
    ("Where did we go this year?", "2026-01-01", "2027-01-01"),
    ("Where do we go next year?", "2027-01-01", "2028-01-01"),
    ("What did we do last weekend?", "2026-06-13", "2026-06-15"),
    ("What did we do this past weekend?", "2026-06-13", "2026-06-15"),
    ("What did we do over the weekend?", "2026-06-13", "2026-06-15"),
    ("What do we do this weekend?", "2026-06-20", "2026-06-22"),
    ("What do we do next weekend?", "2026-06-27", "2026-06-29"),
    # seasons
    ("Where were we last summer?", "2025-06-01", "2025-09-01"),
    ("Where are we this summer?", "2026-06-01", "2026-09-01"),
    ("What grew in spring?", "2026-03-01", "2026-06-01"),
    ("What did I learn last autumn?", "2025-09-01", "2025-12-01"),
    ("What did I learn last fall?", "2025-09-01", "2025-12-01"),
    ("Was it cold last winter?", "2025-12-01", "2026-03-01"),
    ("Where do we go next winter?", "2026-12-01", "2027-03-01"),
    ("Where were we in the summer of 2021?", "2021-06-01", "2021-09-01"),
    ("Who moved in fall 2022?", "2022-09-01", "2022-12-01"),
    # some time ago
    ("What was it 3 days ago?", "2026-06-14", "2026-06-15"),
    ("What was it a day ago?", "2026-06-16", "2026-06-17"),
    ("What was it twelve days ago?", "2026-06-05", "2026-06-06"),
    ("What was it three weeks ago?", "2026-05-24", "2026-05-31"),
    ("What was it a month ago?", "2026-05-02", "2026-06-02"),
    ("What was it 2 years ago?", "2023-12-18", "2024-12-17"),
    ("What was it a couple of days ago?", "2026-06-14", "2026-06-16"),
    ("What was it a few days ago?", "2026-06-12", "2026-06-16"),
    ("What was it several days ago?", "2026-06-09", "2026-06-15"),
    ("What was it two or three weeks ago?", "2026-05-24", "2026-06-07"),
    ("What was it a day or two ago?", "2026-06-15", "2026-06-17"),
    ("What was it half a year ago?", "2025-12-02", "2026-01-02"),
    ("What was it two weekends ago?", "2026-06-06", "2026-06-08"),
    ("What was it an hour ago?", "2026-06-17 14:00", "2026-06-17 15:00"),
    ("What was it half an hour ago?", "2026-06-17 14:55", "2026-06-17 15:05"),
    ("What is it two weeks from now?", "2026-06-28", "2026-07-05"),
    # until now, from now
    ("What did I eat in the last 3 days?", "2026-06-14", NOON),
    ("What did I eat in the past two weeks?", "2026-06-03", NOON),
    ("What did I eat over the last 6 months?", "2025-12-17", NOON),
    ("What did I eat the last few days?", "2026-06-12", NOON),
    ("What did I eat in the last 24 hours?", "2026-06-16 15:30", NOON),
    ("What is due in the next 3 days?", NOON, "2026-06-21"),
    ("What is due in the next 2 hours?", NOON, "2026-06-17 17:30"),
    # days of the week
    ("What did we say on Tuesday?", "2026-06-16", "2026-06-17"),
    ("What did we say on Wednesday?", "2026-06-10", "2026-06-11"),
    ("What did we say last Friday?", "2026-06-12", "2026-06-13"),
    ("What do we do next Friday?", "2026-06-19", "2026-06-20"),
    ("What do we do this Friday?", "2026-06-19", "2026-06-20"),
    ("What did we do on Sat?", "2026-06-13", "2026-06-14"),
    ("What did we say Tuesday last week?", "2026-06-09", "2026-06-10"),
    ("What did we say last week on Tuesday?", "2026-06-09", "2026-06-10"),
    # months
    ("What did I read in May?", "2026-05-01", "2026-06-01"),
    ("what did i read in may?", "2026-05-01", "2026-06-01"),
    ("What did I read in June?", "2026-06-01", "2026-07-01"),
    ("What did I read in July?", "2025-07-01", "2025-08-01"),
    ("What did I read last May?", "2026-05-01", "2026-06-01"),
    ("What did I read last June?", "2025-06-01", "2025-07-01"),
    ("What did I read this May?", "2026-05-01", "2026-06-01"),
    ("What do I read next May?", "2027-05-01", "2027-06-01"),
    ("What did I read, May 2023 or so?", "2023-05-01", "2023-06-01"),
    ("What did I read in Dec. 2021?", "2021-12-01", "2022-01-01"),
    ("What did I read in May last year?", "2025-05-01", "2025-06-01"),
    ("What did I read last year in May?", "2025-05-01", "2025-06-01"),
    ("Was January cold?", "2026-01-01", "2026-02-01"),
    ("How was Q1 2023?", "2023-01-01", "2023-04-01"),
    ("How did we do in Q3?", "2025-07-01", "2025-10-01"),
    # years and decades
    ("Where was I in 2023?", "2023-01-01", "2024-01-01"),
    ("Where was I back in 2019?", "2019-01-01", "2020-01-01"),
    ("Where was I in the year 2000?", "2000-01-01", "2001-01-01"),
    ("Where was I in 2019-2021?", "2019-01-01", "2022-01-01"),
    ("Where was I in 2023-05?", "2023-05-01", "2023-06-01"),
    ("What did they wear in the 90s?", "1990-01-01", "2000-01-01"),
    ("What did they wear in the '60s?", "1960-01-01", "1970-01-01"),
    ("What did they wear in the 20s?", "2020-01-01", "2030-01-01"),
    ("What did they wear in the 1990s?", "1990-01-01", "2000-01-01"),
    ("What did they wear in the early 90s?", "1990-01-01", "1993-05-01"),
    ("What did they wear in the late 1980s?", "1986-09-01", "1990-01-01"),
    # dates
    ("What happened on 2023-05-08?", "2023-05-08", "2023-05-09"),
    ("What happened on 2023/05/08?", "2023-05-08", "2023-05-09"),
    ("What happened on 8 May 2023?", "2023-05-08", "2023-05-09"),
    ("1:56 pm on 8 May, 2023", "2023-05-08", "2023-05-09"),
    ("What happened on May 8th, 2023?", "2023-05-08", "2023-05-09"),
    ("What happened on May 8 2023?", "2023-05-08", "2023-05-09"),
    ("What happened on the 8th of May?", "2026-05-08", "2026-05-09"),
    ("What happened on 8 July?", "2025-07-08", "2025-07-09"),
    ("What happened May 8?", "2026-05-08", "2026-05-09"),
    ("what happened on may 8?", "2026-05-08", "2026-05-09"),
    ("What happened on 8 May last year?", "2025-05-08", "2025-05-09"),
    ("What happened on Sept. 5, 2022?", "2022-09-05", "2022-09-06"),
    ("What happened on 08.05.2023?", "2023-05-08", "2023-05-09"),
    ("What happened on 5/8/2023?", "2023-05-08", "2023-05-09"),
    ("What happened on 13/5/2023?", "2023-05-13", "2023-05-14"),
    ("What happened on May-08-2023?", "2023-05-08", "2023-05-09"),
    ("What happened on 08-May-2023?", "2023-05-08", "2023-05-09"),
    ("What happened on Tuesday, 9 May 2023?", "2023-05-09", "2023-05-10"),
    ("What happened on Feb 29?", "2024-02-29", "2024-03-01"),
    ("What is episode:2026-02-02:14:30 about?", "2026-02-02", "2026-02-03"),
    ("What failed at 2023-05-08T14:30:00?", "2023-05-08", "2023-05-09"),
    ("What failed at 2023-05-08T23:30:00Z?", "2023-05-09", "2023-05-10"),
    ("What failed at 2023-05-08T23:30+02:00?", "2023-05-08", "2023-05-09"),
    # parts of something longer
    ("What did I plant in early May?", "2026-05-01", "2026-05-11"),
    ("What did I plant in mid-May?", "2026-05-11", "2026-05-21"),
    ("What did I plant in late May?", "2026-05-21", "2026-06-01"),
    ("What was planned at the beginning of last year?", "2025-01-01", "2025-05-01"),
    ("What was planned at the end of last year?", "2025-09-01", "2026-01-01"),
    ("What was planned at the end of the year?", "2026-09-01", "2027-01-01"),
    ("What was planned in mid-2023?", "2023-05-01", "2023-09-01"),
    ("What was planned in the first week of May?", "2026-05-01", "2026-05-08"),
    ("What was planned in the last week of May?", "2026-05-25", "2026-06-01"),
    ("What was planned the last Friday in June 2023?", "2023-06-30", "2023-07-01"),
    ("What of the first weekend of August 2023?", "2023-08-05", "2023-08-07"),
    ("What of the second half of last year?", "2025-07-01", "2026-01-01"),
    # beside something else
    ("What did we do the week before Christmas?", "2025-12-18", "2025-12-25"),
    ("What did we do two days after 5 May?", "2026-05-07", "2026-05-08"),
    ("What did we do the Sunday before 25 May 2023?", "2023-05-21", "2023-05-22"),
    ("What did we do the weekend after 5 May?", "2026-05-09", "2026-05-11"),
    ("What did we do the week of 5 May?", "2026-05-04", "2026-05-11"),
    ("What did we do the day of 5 May?", "2026-05-05", "2026-05-06"),
    ("What did we do the last Monday before 5 May?", "2026-05-04", "2026-05-05"),
    # holidays
    ("What did I get for Christmas?", "2025-12-25", "2025-12-26"),
    ("What did I get for Christmas 2023?", "2023-12-25", "2023-12-26"),
    ("Where were we on New Year's Eve?", "2025-12-31", "2026-01-01"),
    ("Where were we on New Year’s Day?", "2026-01-01", "2026-01-02"),  # noqa: RUF001 -- as phones type it
    ("What did I wear at Halloween?", "2025-10-31", "2025-11-01"),
    ("Who came for Thanksgiving?", "2025-11-27", "2025-11-28"),
    ("Who came last Thanksgiving?", "2025-11-27", "2025-11-28"),
    ("What did I buy on Black Friday?", "2025-11-28", "2025-11-29"),
    ("What did we do on Valentine's Day?", "2026-02-14", "2026-02-15"),
    ("Where were we at Easter?", "2026-04-05", "2026-04-06"),
    ("Where were we on Good Friday 2024?", "2024-03-29", "2024-03-30"),
    # since, before, after, until
    ("What has changed since March?", "2026-03-01", NOON),
    ("What has changed since last Tuesday?", "2026-06-16", NOON),
    ("What has changed since 2019?", "2019-01-01", NOON),
    ("What has changed since early May?", "2026-05-01", NOON),
    ("What has changed from May onwards?", "2026-05-01", NOON),
    ("What did I know before 5 May?", BEGINNING, "2026-05-05"),
    ("What did I know until 5 May?", BEGINNING, "2026-05-06"),
    ("What did I know by the end of 2025?", BEGINNING, "2026-01-01"),
    ("What did I know before the end of May?", BEGINNING, "2026-06-01"),
    ("What did I learn after 5 May?", "2026-05-06", NOON),
    ("What is planned after next Friday?", "2026-06-20", FAR_AHEAD),
    # from one to another
    ("What did I write between March and May?", "2026-03-01", "2026-06-01"),
    ("What did I write between May and July?", "2025-05-01", "2025-08-01"),
    ("What did I write between May and July 2023?", "2023-05-01", "2023-08-01"),
    ("What did I write from 3 to 9 June 2023?", "2023-06-03", "2023-06-10"),
    ("What did I write June 3-9, 2023?", "2023-06-03", "2023-06-10"),
    ("What did I write between June 3 and 9 July?", "2025-06-03", "2025-07-10"),
    ("What did I write from 28 May to 3 June?", "2026-05-28", "2026-06-04"),
    (
        "What did I write between the 3rd and the 9th of June?",
        "2026-06-03",
        "2026-06-10",
    ),
    ("What did I write between 2019 and 2021?", "2019-01-01", "2022-01-01"),
    ("What did I write from Monday to Tuesday?", "2026-06-15", "2026-06-17"),
    ("What did I write from March until now?", "2026-03-01", NOON),
    ("What did I write 8 May 2023 – 10 May 2023?", "2023-05-08", "2023-05-11"),  # noqa: RUF001 -- a range
]


@pytest.mark.parametrize(("question", "start", "end"), WEDNESDAY_AFTERNOON)
def test_on_a_wednesday_in_june_2026_people_mean(
    question: str, start: str, end: str
) -> None:
    span = only(question, berlin(NOON))

    assert (span.start, span.end) == (berlin(start), berlin(end))
    assert span.start.tzinfo is span.end.tzinfo is BERLIN


OTHER_TIMES = [
    # the turn of the year
    ("What did we do last month?", "2026-01-01 00:00", "2025-12-01", "2026-01-01"),
    ("What did we do last week?", "2026-01-01 09:00", "2025-12-22", "2025-12-29"),
    ("What did we do yesterday?", "2026-01-01 00:00", "2025-12-31", "2026-01-01"),
    ("How was last quarter?", "2026-02-10 09:00", "2025-10-01", "2026-01-01"),
    # a winter has two years
    ("How is this winter?", "2026-01-10 09:00", "2025-12-01", "2026-03-01"),
    ("How was last winter?", "2026-01-10 09:00", "2024-12-01", "2025-03-01"),
    # weekends, seen from inside
    ("How was last weekend?", "2026-06-21 09:00", "2026-06-13", "2026-06-15"),
    ("How is this weekend?", "2026-06-21 09:00", "2026-06-20", "2026-06-22"),
    ("And over the weekend?", "2026-06-21 09:00", "2026-06-20", "2026-06-22"),
    # leap days
    ("What was it a year ago?", "2024-02-29 12:00", "2022-08-30", "2023-08-30"),
    ("What was it a month ago?", "2024-03-31 12:00", "2024-02-14", "2024-03-16"),
    ("What happened on 29 February?", "2024-02-29 12:00", "2024-02-29", "2024-03-01"),
    ("What happened on Feb 29?", "1904-02-28 12:00", "1896-02-29", "1896-03-01"),
    # the small hours
    ("What about tonight?", "2026-06-17 02:00", "2026-06-16 18:00", "2026-06-17 06:00"),
    ("And last night?", "2026-06-17 02:00", "2026-06-16 18:00", "2026-06-17 06:00"),
    # the first day of what is asked for
    ("What did I do in May?", "2026-05-01 00:00", "2026-05-01", "2026-06-01"),
    ("What did I do last May?", "2026-05-20 12:00", "2025-05-01", "2025-06-01"),
    ("What did I get for Christmas?", "2026-12-25 08:00", "2026-12-25", "2026-12-26"),
    ("What did I get for Christmas?", "2026-12-24 23:59", "2025-12-25", "2025-12-26"),
    # from December to February
    ("December to February 2024?", "2026-06-17 12:00", "2023-12-01", "2024-03-01"),
    # the past is a matter of when
    ("I went there yesterday.", "2023-05-08 13:56", "2023-05-07", "2023-05-08"),
    ("I signed up last Friday.", "2023-07-03 09:00", "2023-06-30", "2023-07-01"),
]  # fmt: skip


@pytest.mark.parametrize(("question", "now", "start", "end"), OTHER_TIMES)
def test_at_other_times_the_same_words_mean_other_days(
    question: str, now: str, start: str, end: str
) -> None:
    span = only(question, berlin(now))

    assert (span.start, span.end) == (berlin(start), berlin(end))


@pytest.mark.parametrize(
    "question",
    [
        "",
        "What is the name of my dog?",
        # verbs, people and things
        "May I ask you something?",
        "This may be wrong, and in may be lies the rub.",
        "The last may be first.",
        "this may take a while; this march was long, this past may hurt",
        "we march on, may we?",
        "Did they march in step?",
        "They sat down in the sun and wed.",
        "Who last sat here?",
        "Mar the surface with a mar.",
        "Wait a second, or a second ago.",
        "What did April say to June and August?",
        "A gift for April",
        "Prices fall, leaves fall; after the fall of Rome.",
        "How is a bean defined in Spring Boot?",
        "Was it in the past?",
        "The last time we met, the last year of school",
        "the middle of the night, the end of the road",
        "Happy new year; my New Year's resolution",
        "at 8 may I come? room 5 may be free; 5 mar",
        "May-like weather",
        # what repeats
        "every Tuesday, each Friday, on Tuesdays",
        # digits
        "Is version 3.5.2023.1 out? v3.5.2023? version 3.5.2023?",
        "Ping 192.168.20.23 and 10.0.0.1.",
        "Call 555-2023 or +49 30 2023 2024.",
        "It costs $2023, 2023 euros, 2,023.00 or 20.23.",
        "At 10:30 May called 555-8 May.",
        "Open 24/7, 3/4 full, 16:9, 1:2023.",
        "Port 2024 of 2048; RSA in 2048-bit mode; in 1920x1080",
        "550e8400-e29b-41d4-a716-446655440000",
        "In 1066, in 1850, in 2200, in 20233",
        "2023-13-45, 2023-02-30, 32/12/2023, 31.11.2023",
        "after 2000 steps in 2000 lines for 1999 people",
        "He is in his 20s, in her early 30s.",
        "1.5 years ago",
        "2023",
        # words of time without a time
        "since then, before lunch, after work, until further notice",
        "between you and me, from Berlin to Munich",
        "two days, a week, three months",
        "the day before the meeting, a week before my birthday",
    ],
)
def test_there_is_no_time_in(question: str) -> None:
    assert find_spans(question, berlin(NOON)) == ()


def test_two_expressions_are_two_spans_in_their_order() -> None:
    question = "Did I go there yesterday, or on 8 May 2023?"

    texts = [span.text for span in find_spans(question, berlin(NOON))]

    assert texts == ["yesterday", "on 8 May 2023"]


def test_a_span_knows_its_words_and_where_they_stand() -> None:
    question = "What has CHANGED Since Last Tuesday, my friend?"

    span = only(question, berlin(NOON))

    assert span.text == "Since Last Tuesday"
    assert question[span.at[0] : span.at[1]] == span.text


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("the day before yesterday", "the day before yesterday"),
        ("the week before last Friday", "the week before last Friday"),
        ("since May 8 to June 9", "May 8 to June 9"),
        ("Black Friday 2023", "Black Friday 2023"),
        ("in the last week of May 2023", "in the last week of May 2023"),
        ("on 30 February 2023", "February 2023"),
        ("three days of early May", "of early May"),
        ("the second weekend in Christmas 2024", "in Christmas 2024"),
    ],
)
def test_of_two_that_overlap_the_longer_counts(question: str, text: str) -> None:
    assert only(question, berlin(NOON)).text == text


def test_what_lies_ahead_has_not_lasted_until_now() -> None:
    span = only("What will be since tomorrow?", berlin(NOON))

    assert span.text == "tomorrow"


def test_letters_that_grow_when_lowered_do_not_shift_the_words() -> None:
    question = "İİİ: what was yesterday?"  # in small letters they are twice as many

    assert only(question, berlin(NOON)).text == "yesterday"


# --- clocks that jump --------------------------------------------------------


@pytest.mark.parametrize(
    ("now", "hours"),
    [("2026-03-30 12:00", 23), ("2026-10-26 12:00", 25), ("2026-06-17 12:00", 24)],
)
def test_a_day_lasts_from_midnight_to_midnight(now: str, hours: int) -> None:
    span = only("What did I do yesterday?", berlin(now))

    assert (span.start.hour, span.end.hour) == (0, 0)
    assert span.end.astimezone(UTC) - span.start.astimezone(UTC) == timedelta(
        hours=hours
    )


@pytest.mark.parametrize("now", ["2026-03-29 03:10", "2026-10-25 03:10"])
def test_hours_ago_are_hours_that_passed(now: str) -> None:
    span = only("What did I do in the last 2 hours?", berlin(now))

    passed = span.end.astimezone(UTC) - span.start.astimezone(UTC)
    assert passed >= timedelta(hours=2)
    assert span.start < span.end == berlin(now)


def test_in_the_hour_that_comes_twice_the_past_is_before_now() -> None:
    now = datetime(2026, 10, 25, 2, 10, fold=1, tzinfo=BERLIN)

    span = only("What did I do in the last 30 minutes?", now)

    assert span.start < span.end
    assert now.astimezone(UTC) - span.start.astimezone(UTC) >= timedelta(minutes=30)


def test_a_day_that_a_zone_left_out_is_no_span() -> None:
    samoa = ZoneInfo("Pacific/Apia")
    now = datetime(2012, 1, 5, 12, tzinfo=samoa)

    assert find_spans("What happened on 2011-12-30?", now) == ()
    assert len(find_spans("What happened on 2011-12-31?", now)) == 1


def test_today_is_the_askers_day() -> None:
    moment = datetime(2026, 6, 17, 22, 30, tzinfo=UTC)

    starts = [
        only("What did I do today?", moment.astimezone(ZoneInfo(zone))).start.date()
        for zone in ("UTC", "Europe/Berlin", "America/Los_Angeles")
    ]

    assert [day.day for day in starts] == [17, 18, 17]


# --- the ends of the calendar ------------------------------------------------


def test_all_of_the_past_begins_with_the_calendar() -> None:
    now = datetime(2026, 6, 17, 12, tzinfo=UTC)

    span = only("What did I know before 2020?", now)

    assert span.start == datetime.min.replace(tzinfo=UTC)


@pytest.mark.parametrize("last", [False, True])
@pytest.mark.parametrize("hours", [-12, 0, 14])
def test_nothing_fails_at_the_ends_of_the_calendar(hours: int, *, last: bool) -> None:
    zone = timezone(timedelta(hours=hours))
    ends = datetime.min.replace(tzinfo=zone), datetime.max.replace(tzinfo=zone)

    for question, _, _ in WEDNESDAY_AFTERNOON:
        assert_sound(question, ends[last])


# --- whatever is written -----------------------------------------------------

WORDS = st.sampled_from(
    sorted({word for row in WEDNESDAY_AFTERNOON for word in row[0].split()})
)
NUMBERS = st.integers(0, 99999).map(str)
GAPS = st.sampled_from([" ", "  ", "-", "/", "."])
PIECES = st.lists(st.one_of(WORDS, WORDS, NUMBERS, st.text(max_size=3)), max_size=12)
SENTENCES = st.builds(lambda gap, words: gap.join(words), GAPS, PIECES)
MOMENTS = st.datetimes(timezones=st.timezones(), allow_imaginary=True)


def assert_sound(question: str, now: datetime) -> None:
    spans = find_spans(question, now)

    for span in spans:
        assert span.start.utcoffset() is not None
        assert span.start.tzinfo is span.end.tzinfo is now.tzinfo
        assert span.start < span.end
        assert span.start.astimezone(UTC) < span.end.astimezone(UTC)
        assert span.text == question[span.at[0] : span.at[1]] != ""
    assert all(one.at[1] <= other.at[0] for one, other in pairwise(spans))


@given(question=st.text(), now=MOMENTS)
@example(
    question="\u212a \u017f 2023-05-08 \u0663 May 8",
    now=datetime(2026, 6, 17, tzinfo=UTC),
)
def test_any_text_at_any_moment_gives_sound_spans(question: str, now: datetime) -> None:
    assert_sound(question, now)


@given(question=SENTENCES, now=MOMENTS)
@example(question="from 2023 to now afternoon", now=datetime(9999, 12, 31, tzinfo=UTC))
@example(question="31 December 9999 to tonight", now=datetime(9999, 12, 31, tzinfo=UTC))
def test_any_words_of_time_at_any_moment_give_sound_spans(
    question: str, now: datetime
) -> None:
    assert_sound(question, now)


@given(day=st.dates(date(1900, 1, 1), date(2199, 12, 31)))
def test_a_date_is_found_however_it_is_spelled(day: date) -> None:
    now = berlin(NOON)
    spellings = ["%Y-%m-%d", "%Y/%m/%d", "%d %B %Y", "%B %d, %Y", "%b-%d-%Y"]
    spellings += ["%d.%m.%Y", "%m/%d/%Y", "%A, %d %B %Y", "%dth of %b. %Y"]

    found = {only(f"What about {day:{spelling}}?", now).start for spelling in spellings}

    assert found == {berlin(f"{day:%Y-%m-%d}")}


# --- time --------------------------------------------------------------------


@pytest.mark.timing
@pytest.mark.parametrize(
    "text",
    [
        "between May and ",
        "the week before ",
        "8 May 2023 to ",
        "2023-05-",
        "1 ",
        "a couple of ",
        "last   \n",
        "from the first week of early ",
        "x" * 50,
        " ",
    ],
)
def test_time_grows_with_the_text_and_no_faster(text: str) -> None:
    def seconds(size: int) -> float:
        question = (text * (size // len(text) + 1))[:size]
        begin = time.process_time()
        find_spans(question, berlin(NOON))
        return time.process_time() - begin

    seconds(1_000)  # patterns are compiled when first of use
    small = min(seconds(12_500) for _ in range(2))

    assert seconds(100_000) < 8 * 5 * small + 0.1
