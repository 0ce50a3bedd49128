"""What is taken out of a file, and what is not."""

from __future__ import annotations

import re
import subprocess
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest
from tests.memory.home import (
    ALEX,
    ARCHIVE,
    CORE,
    DAY,
    GIT_ENVIRONMENT,
    GRAPH,
    LOG,
    NOON,
    SCORES,
    Clock,
    Home,
)

from reverie import (
    Actor,
    Block,
    Core,
    Episodic,
    NotFoundError,
    Procedural,
    RefusedError,
    Role,
    Semantic,
    Vault,
)
from reverie.encoding.scrub import Scrubber, Wanted, recognised
from reverie.stores.entities import fact_id, reference

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from reverie import Memory

SAID = "My secret words."
HEAD = "# 2026-02-02 — Episode Log\n"


def entry(text: str, at: str = "12:00") -> str:
    return f"\n## {at} | event | confidence:high | tags:[]\n{text}\n"


def wanted(id_: str, *texts: str, names: frozenset[str] = frozenset()) -> Wanted:
    home = id_.partition("#")[0].partition("~")[0]
    words = tuple(recognised(texts))
    made = Wanted(frozenset({id_}), {home: set(texts)}, words=words)
    return made._replace(names=names)


EPISODE = wanted("episode:2026-02-02:12:00", "My secret words.")
AL = wanted("entity:person--al", "Al", names=frozenset({"person--al"}))
NOTE = wanted("vault:key", "Under the mat.")


def scrubbed(what: Wanted, path: str, text: str) -> str | None:
    done = Scrubber(what).file(path, text.encode())
    return None if done.content is None else done.content.decode()


def test_an_episode_is_cut_out_and_its_neighbours_stay() -> None:
    text = HEAD + entry("Before.", "11:00") + entry(SAID) + entry("After.")

    expected = HEAD + entry("Before.", "11:00") + entry("After.")
    assert scrubbed(EPISODE, DAY, text) == expected


def test_the_same_words_at_another_minute_stay() -> None:
    text = HEAD + entry(SAID, "13:00")

    assert scrubbed(EPISODE, DAY, text) == text


def test_a_neighbour_that_once_had_its_id_stays() -> None:
    text = HEAD + entry("Harmless.") + entry(SAID)

    assert scrubbed(EPISODE, DAY, text) == HEAD + entry("Harmless.") + "\n"


def test_a_file_of_its_own_is_dropped() -> None:
    assert scrubbed(NOTE, "memory/vault/key.md", "anything") is None
    assert scrubbed(NOTE, "memory/vault/a/key.md", "anything") is None
    assert scrubbed(NOTE, "memory/vault/monkey.md", "anything") == "anything"
    assert scrubbed(NOTE, "memory/procedures/key.md", "anything") == "anything"


def test_other_files_lose_its_name_and_no_longer_name() -> None:
    for before, after in [
        ("Knows [[person--al]]", "Knows [erased]"),
        ("[[person--al|Al]], [[person--alex]]", "[erased], [[person--alex]]"),
        ("vice-person--al person--al-2", "vice-person--al person--al-2"),
        ("“person--al” (person--al).", "“erased” (erased)."),
        ("person--alö", "person--alö"),
    ]:
        assert scrubbed(AL, "memory/graph/entities/person--x.md", before) == after


def test_its_row_of_the_graph_goes_with_its_label() -> None:
    rows = "| person--al | person | Al | x |\n| person--alex | person | Alex | y |\n"

    left = scrubbed(AL, "memory/graph/index.md", rows)

    assert left == "| person--alex | person | Alex | y |\n"


def test_bytes_that_are_no_text_survive() -> None:
    done = Scrubber(EPISODE).file(DAY, b"\xff\xfe# x\n")

    assert (done.content, done.taken) == (b"\xff\xfe# x\n", b"")


def test_messages_keep_their_shape() -> None:
    note = wanted("vault:key", "manual\nremember the milk")
    told = (
        "[CREATE] memory/vault/key.md — Key\n\n[EDIT] MEMORY.md — remember the milk\n\n"
        "Actor: manual\nApproval: —\nTrigger: said remember the milk\n"
    )

    message = Scrubber(note).message(told, ("memory/vault/key.md",))

    assert message == (
        "[CREATE] memory/vault/[erased].md — [erased]\n\n"
        "[EDIT] MEMORY.md — [erased]\n\n"
        "Actor: manual\nApproval: —\nTrigger: [erased]\n"
    )


def test_other_peoples_messages_are_left_alone() -> None:
    told = "[EDIT] MEMORY.md — other\n\nActor: manual\nApproval: —\nTrigger: x\n"

    assert Scrubber(EPISODE).message(told, ()) == told


def test_a_text_goes_from_every_file_and_message() -> None:
    scrub = Scrubber(Wanted(words=("secret words",), quotes=True)).scrub

    done = scrub.file("any.md", b"secret words, secret words")
    assert done.content == b"[erased], [erased]"
    assert scrub.message("said secret words", ()) == "said [erased]"


CANARY = "zqcanarykxvwmhptbdlonely"
CAPITAL = CANARY.upper()


# --- a scanner of our own ------------------------------------------------------


def places_of(root: Path, needle: str) -> list[str]:
    """Every place under a folder where a text stands, in any case of letters."""
    wanted = needle.lower().encode()
    found = [f"name {p}" for p in root.rglob("*") if wanted in str(p).lower().encode()]
    for file in root.rglob("*"):
        if file.is_file() and not file.is_symlink():
            data = file.read_bytes()
            found += [f"file {file}"] if wanted in data.lower() else []
            loose = re.search(r"/objects/../[0-9a-f]{38}$", str(file))
            if loose and wanted in zlib.decompress(data).lower():
                found.append(f"loose object {file}")
    return found + [
        f"object {o}" for o, data in objects(root) if wanted in data.lower()
    ]


def objects(root: Path) -> Iterator[tuple[str, bytes]]:
    """Every object of the ledger, reachable or not, as git prints it."""
    out = subprocess.run(
        [
            *("git", f"--git-dir={root}/.audit", "cat-file"),
            *("--batch-all-objects", "--batch", "--unordered"),
        ],
        check=True,
        capture_output=True,
        env=GIT_ENVIRONMENT,
    ).stdout
    at = 0
    while at < len(out):
        end = out.index(b"\n", at)
        name, _, size = out[at:end].split()
        yield name.decode(), out[end + 1 : end + 1 + int(size)]
        at = end + 2 + int(size)


def test_the_scanner_finds_what_is_there(furnished: Home) -> None:
    (item_id,) = furnished.memory.remember(CANARY, Vault()).ids
    furnished.memory.remember("Later.", Episodic())

    found = places_of(furnished.root, CANARY)

    assert item_id == f"vault:{CANARY}"
    kinds = {place.split()[0] for place in found}
    assert kinds == {"name", "file", "loose", "object"}
    assert any(place.endswith(f"/{CANARY}.md") for place in found)
    assert any(LOG in place for place in found)
    furnished.memory.erase(item_id)
    assert places_of(furnished.root, CANARY) == []


# --- one canary in each kind of place --------------------------------------------


@dataclass(frozen=True)
class Case:
    """How a secret got into memory, and what to erase to get it out."""

    write: Callable[[Memory], object]
    erase: str


def _superseded(memory: Memory) -> None:
    memory.remember(f"Lives in {CANARY}", Semantic("Bo", "person"))
    memory.remember(
        "Lives in Rome", Semantic("person--bo", supersedes=f"Lives in {CANARY}")
    )


def _linked(memory: Memory) -> None:
    memory.remember("Exists", Semantic(f"X {CANARY}", "person"))
    link = (("Knows", f"person--x-{CANARY}"),)
    memory.remember("Is new", Semantic("Bo", "person", links=link))


CASES = {
    "an episode": Case(
        lambda m: m.remember(f"My secret is {CANARY}.", Episodic()),
        "episode:2026-02-02:12:00~2",
    ),
    "a long episode": Case(
        lambda m: m.remember(f"{CANARY} {'and so on ' * 30}\n\nmore", Episodic()),
        "episode:2026-02-02:12:00~2",
    ),
    "a tag": Case(
        lambda m: m.remember("Some event.", Episodic(tags=("a", CANARY))),
        "episode:2026-02-02:12:00~2",
    ),
    "an entity's name": Case(
        lambda m: m.remember("Is a person", Semantic(f"Mx {CANARY}", "person")),
        f"entity:person--mx-{CANARY}",
    ),
    "an entity's label": Case(
        lambda m: m.remember("Is a person", Semantic(f"Mx {CAPITAL}", "person")),
        f"entity:person--mx-{CANARY}",
    ),
    "a fact": Case(
        lambda m: m.remember(f"Has {CANARY}", Semantic("Bo", "person")),
        "entity:person--bo",
    ),
    "a superseded fact": Case(_superseded, "entity:person--bo"),
    "a link": Case(_linked, f"entity:person--x-{CANARY}"),
    "core memory": Case(
        lambda m: m.remember(f"Secret: {CANARY}", Core(Block.CONTEXT)),
        "core:context/secret",
    ),
    "the name of a core item": Case(
        lambda m: m.remember(f"{CANARY}: yes", Core(Block.CONTEXT)),
        f"core:context/{CANARY}",
    ),
    "a vault note": Case(
        lambda m: m.remember(f"The code is {CANARY}", Vault("Code")), "vault:code"
    ),
    "a vault title": Case(
        lambda m: m.remember("Nothing to see", Vault(CANARY)), f"vault:{CANARY}"
    ),
    "a procedure": Case(
        lambda m: m.remember(f"say {CANARY}\nleave", Procedural("rob")),
        "procedure:rob",
    ),
    "a procedure's trigger": Case(
        lambda m: m.remember("leave", Procedural("rob", f"When {CANARY}")),
        "procedure:rob",
    ),
    "a procedure's name": Case(
        lambda m: m.remember("leave", Procedural(f"rob {CANARY}")),
        f"procedure:rob-{CANARY}",
    ),
    "the words that started it": Case(
        lambda m: m.remember("Hm.", Vault("Hm"), trigger=f'user said "{CANARY}"'),
        "vault:hm",
    ),
}


def at_once(_: Home, __: str) -> None:
    """Nothing happens in between."""


def after_later_changes(home: Home, _: str) -> None:
    home.memory.remember("Later.", Episodic())
    home.memory.remember("Later: yes", Core(Block.CONTEXT))
    home.memory.remember("Likes tea", Semantic("person--alex"))
    home.memory.pin("episode:2026-02-02:12:00")
    home.memory.rebuild()


def after_packing(home: Home, _: str) -> None:
    home.memory.rebuild()
    home.git("repack", "-a", "-d", "-q")
    home.memory.tidy()
    home.reopen()


def after_pinning(home: Home, item_id: str) -> None:
    home.memory.pin(item_id)


def after_undo_and_redo(home: Home, _: str) -> None:
    undone = home.memory.undo()
    home.memory.undo(undone.commit)


def after_an_edit_by_hand(home: Home, item_id: str) -> None:
    path = home.memory.show(item_id).path
    text = home.text(path)
    home.type(path, text.replace("\n", "\n\n", 1))
    home.memory.history()


ONE_OF_EACH = ["an episode", "a fact", "core memory", "a vault note", "a procedure"]
STORIES = [
    *((kind, at_once) for kind in CASES),
    ("a fact", after_later_changes),
    ("core memory", after_later_changes),
    *zip(
        ONE_OF_EACH,
        [
            after_packing,
            after_an_edit_by_hand,
            after_pinning,
            after_undo_and_redo,
            after_packing,
        ],
        strict=True,
    ),
]


@pytest.mark.parametrize(("kind", "meanwhile"), STORIES)
def test_nothing_of_it_is_left_anywhere(
    furnished: Home, kind: str, meanwhile: Callable[[Home, str], None]
) -> None:
    before = furnished.tracked()
    CASES[kind].write(furnished.memory)
    meanwhile(furnished, CASES[kind].erase)
    assert places_of(furnished.root, CANARY)

    receipt = furnished.memory.erase(CASES[kind].erase)

    assert receipt.remains == ()
    assert places_of(furnished.root, CANARY) == []
    assert furnished.git("fsck", "--strict", "--full", "--no-dangling") == ""
    after = furnished.tracked()
    kept = {ALEX, "memory/procedures/how-to-deploy.md", "memory/vault/passport.md"}
    if meanwhile is not after_later_changes:
        assert {p: after[p] for p in kept} == {p: before[p] for p in kept}
    assert "- Working on: the ledger\n" in furnished.text(CORE)
    assert "Chose the hybrid approach.\n" in furnished.text(DAY)
    if meanwhile is at_once:
        assert furnished.disagreements() == []
        assert places_of(furnished.root, CANARY) == []


def test_the_record_says_that_and_not_what(furnished: Home) -> None:
    furnished.memory.remember(f"The code is {CANARY}", Vault("Code"))
    commits = furnished.commits()

    receipt = furnished.memory.erase("vault:code")

    assert furnished.message(receipt.commit) == (
        "[DELETE] memory/vault/[erased] — permanently erased, also from history\n\n"
        "Actor: manual\nApproval: —\n"
        "Trigger: explicit request to delete permanently"
    )
    assert any("permanently erased" in line for line in furnished.log())
    assert receipt.rewritten >= commits
    assert receipt.dropped > 0
    assert receipt.remotes == ()


def test_the_rest_of_history_is_kept(furnished: Home) -> None:
    before = [(e.at, str(e.actor)) for e in furnished.memory.history()]
    furnished.clock.forward(hours=1)
    furnished.memory.remember(f"The code is {CANARY}", Vault("Code"))
    furnished.clock.forward(hours=1)
    furnished.memory.remember("Likes tea", Semantic("person--alex"))

    furnished.memory.erase("vault:code")

    told = furnished.memory.history()
    assert [(e.at, str(e.actor)) for e in told][-6:] == before
    assert "Likes tea" in [e.lines[0].summary for e in told]
    furnished.memory.restore(NOON)
    assert furnished.memory.show("entity:person--alex").text == "Alex\nLives in Berlin"


def test_an_erased_memory_cannot_be_brought_back(furnished: Home) -> None:
    written = furnished.memory.remember(f"The code is {CANARY}", Vault("Code"))
    furnished.memory.erase("vault:code")

    with pytest.raises(NotFoundError):
        furnished.memory.show("vault:code")
    with pytest.raises(NotFoundError):
        furnished.memory.undo(written.commit)


def test_an_id_outlives_the_removal_of_an_earlier_entry(home: Home) -> None:
    first = home.memory.remember("Something harmless.", Episodic())
    home.memory.remember(f"My secret is {CANARY}.", Episodic())
    home.memory.remember("Another one.", Episodic())
    home.memory.undo(first.commit)
    assert home.memory.show("episode:2026-02-02:12:00~2").text.endswith(f"{CANARY}.")

    receipt = home.memory.erase("episode:2026-02-02:12:00~2")

    assert receipt.remains == ()
    assert places_of(home.root, CANARY) == []
    assert [item.text for item in home.memory.items()] == ["Another one."]
    assert "Something harmless." in "".join(
        data.decode("utf-8", "replace") for _, data in objects(home.root)
    )


def test_an_entry_by_hand_that_moved_up_is_not_taken_for_another(home: Home) -> None:
    def entry(text: str) -> str:
        return f"\n## 12:00 | event | confidence:high | tags:[]\n{text}\n"

    title = "# 2026-02-02 — Episode Log\n"
    secret = entry(f"My secret is {CANARY}.")
    home.type(DAY, title + entry("Something harmless.") + secret)
    home.memory.history()
    home.type(DAY, title + secret)

    receipt = home.memory.erase("episode:2026-02-02:12:00")

    assert receipt.remains == ()
    assert places_of(home.root, CANARY) == []
    left = b"".join(data for _, data in objects(home.root))
    assert b"Something harmless." in left
    assert home.disagreements() == []


def test_a_longer_name_that_begins_the_same_is_left_alone(home: Home) -> None:
    home.memory.remember("Is short", Semantic("Al", "person"))
    link = (("Knows", "person--al"), ("Knows", "person--alan"))
    home.memory.remember("Is long", Semantic("Alex", "person", links=link))
    home.memory.rebuild()

    receipt = home.memory.erase("entity:person--al")

    assert receipt.remains == ()
    page = home.text(ALEX)
    assert page.startswith("# person--alex\n")
    assert "erased" not in page
    assert "- Knows: [[person--alan]] <" in page
    assert "person--alex" in home.text(GRAPH)
    assert "entity:person--alex" in home.text(SCORES)
    assert any(f"CREATE | {ALEX} " in line for line in home.log())
    assert home.disagreements() == []


@pytest.mark.parametrize("text", ["manual", "memory"])
def test_a_common_word_in_it_does_not_spoil_the_log(home: Home, text: str) -> None:
    home.furnish()
    home.type("USER.md", "# User\n")
    home.memory.history()
    before = [(e.lines[0].action, e.actor, e.approval) for e in home.memory.history()]
    home.memory.remember(f"{text}\n{text}", Vault("X"))

    home.memory.erase("vault:x")

    told = [(e.lines[0].action, e.actor, e.approval) for e in home.memory.history()]
    assert told[-len(before) :] == before
    paths = {line.path for e in home.memory.history() for line in e.lines}
    assert {DAY, ALEX, CORE, "USER.md"} <= paths


def test_what_left_core_memory_is_erased_there_too(tmp_path: Path) -> None:
    home = Home(tmp_path / "tight", REVERIE_CORE_CONTEXT_TOKENS="220")
    home.memory.remember(f"Secret: {CANARY}{' x' * 100}", Core(Block.CONTEXT))
    home.memory.remember(f"New: thing{' x' * 100}", Core(Block.CONTEXT))

    receipt = home.memory.erase("episode:2026-02-02:12:00")

    assert receipt.remains == ()
    assert places_of(home.root, CANARY) == []
    assert "- New: thing" in home.text(CORE)
    assert home.disagreements() == []
    home.memory.close()


def test_a_digest_that_told_of_it_tells_no_more(tmp_path: Path) -> None:
    tight = {"REVERIE_CORE_CONTEXT_TOKENS": "220"}
    home = Home(tmp_path / "tight", Clock(), **tight)
    home.memory.remember(f"Old: thing{' x' * 100}", Core(Block.CONTEXT))
    home.memory.remember(f"Secret: {CANARY}{' x' * 100}", Core(Block.CONTEXT))
    home.clock.forward(days=200)
    home.memory.tidy_on_close = True
    home.reopen(**tight)
    assert CANARY in home.text(ARCHIVE)

    receipt = home.memory.erase("core:context/secret")

    assert receipt.remains == ()
    assert places_of(home.root, CANARY) == []
    assert home.text(ARCHIVE).startswith("# Audit Digest — February 2026\n")
    assert home.memory.check() == []
    home.memory.close()


# --- a text wherever it stands -----------------------------------------------------


def test_a_text_is_erased_wherever_it_stands(furnished: Home) -> None:
    memory = furnished.memory
    memory.remember(f"One {CANARY} two", Episodic(), trigger=f"said {CANARY}")
    memory.remember(f"Has {CANARY} too", Semantic("person--alex"))
    memory.remember(f"And {CANARY}: three", Core(Block.PERSONA))
    memory.remember(f"say {CANARY}", Procedural("how to deploy"))
    furnished.type("SOUL.md", f"# Soul\n\n{CANARY}\n")
    memory.history()
    furnished.type("SOUL.md", "# Soul\n")
    memory.remember(f"{CANARY} is the key", Vault("Key"))

    receipt = memory.erase(text=CANARY)

    assert receipt.remains == ()
    assert places_of(furnished.root, CANARY) == []
    assert "One [erased] two" in furnished.text(DAY)
    assert memory.show("vault:key").text == "[erased] is the key"
    assert furnished.git("fsck", "--strict", "--no-dangling") == ""
    assert furnished.disagreements() == []


def test_a_file_that_is_named_after_a_text_gets_another_name(furnished: Home) -> None:
    link = (("Keeps", f"concept--the-{CANARY}"),)
    furnished.memory.remember("Some note.", Vault(CANARY))
    furnished.memory.remember("Is odd", Semantic(f"The {CAPITAL}", "concept"))
    furnished.memory.remember("Lives", Semantic("Bo", "person", links=link))

    receipt = furnished.memory.erase(text=CANARY)

    assert receipt.remains == ()
    assert places_of(furnished.root, CANARY) == []
    texts = {item.text for item in furnished.memory.items()}
    assert {"Some note.", "Is odd"} <= {line for t in texts for line in t.split("\n")}
    _, _, (edge,), _ = furnished.state()
    assert furnished.memory.show(f"entity:{edge.target}").title == "The [erased]"
    assert furnished.disagreements() == []


def test_a_text_too_short_to_be_meant_everywhere_is_refused(furnished: Home) -> None:
    head = furnished.head

    with pytest.raises(RefusedError, match="too short") as caught:
        furnished.memory.erase(text="  12345  ")

    assert caught.value.advice
    assert furnished.head == head


def test_a_text_that_stands_nowhere_changes_nothing(furnished: Home) -> None:
    head = furnished.head

    with pytest.raises(NotFoundError, match="in no file"):
        furnished.memory.erase(text=CANARY)

    assert furnished.head == head


# --- who may, and when not -----------------------------------------------------------


@pytest.mark.parametrize("actor", ["bot:main", "reflection:r-1"])
def test_only_a_human_erases(furnished: Home, actor: str) -> None:
    head = furnished.head

    with pytest.raises(RefusedError, match="may not do this"):
        furnished.memory.erase("vault:passport", actor=Actor(actor))
    with pytest.raises(RefusedError, match="may not do this"):
        furnished.memory.erase(text="In the blue box.", actor=Actor(actor))

    assert furnished.head == head


@pytest.mark.parametrize(
    "command", [("branch", "mine"), ("update-ref", "refs/stash", "main")]
)
def test_other_refs_that_keep_old_history_are_named(
    furnished: Home, command: tuple[str, ...]
) -> None:
    furnished.git(*command, *(["main"] if len(command) == 2 else []))
    head, before = furnished.head, furnished.tracked()

    with pytest.raises(
        RefusedError, match=r"refs/(heads/mine|tags/v1|stash)"
    ) as caught:
        furnished.memory.erase("vault:passport")

    assert "git" in caught.value.advice
    assert (furnished.head, furnished.tracked()) == (head, before)


def test_copies_elsewhere_are_named(furnished: Home) -> None:
    furnished.git("remote", "add", "backup", "/mnt/backup.git")

    receipt = furnished.memory.erase("vault:passport")

    assert any("backup" in remote for remote in receipt.remotes)


def test_an_edit_saved_just_before_is_kept(furnished: Home) -> None:
    furnished.type(ALEX, furnished.text(ALEX) + "- Sings\n")

    furnished.memory.erase("vault:passport")

    assert furnished.memory.show("entity:person--alex").text.endswith("Sings")


def test_progress_is_told_to_the_end(furnished: Home) -> None:
    seen: list[tuple[int, int]] = []

    furnished.memory.erase("vault:passport", progress=lambda *at: seen.append(at))

    assert seen[-1][0] == seen[-1][1]
    assert [done for done, _ in seen] == list(range(1, len(seen) + 1))


# --- what comes of it, and what quotes it ------------------------------------------


def test_sentences_extracted_from_an_episode_go_with_it(furnished: Home) -> None:
    """X17: they stayed on the page, in the log and in history."""
    memory = furnished.memory
    (told,) = memory.remember(f"Mia moved to {CANARY} in May.", Episodic()).ids
    memory.remember(f"Lives in {CANARY}", Semantic("Mia", "person", basis=told))
    memory.remember("Sings", Semantic("person--mia"))

    receipt = memory.erase(told)

    assert (receipt.remains, receipt.quoted) == ((), ())
    assert places_of(furnished.root, CANARY) == []
    assert memory.show("entity:person--mia").text == "Mia\nSings"
    assert furnished.disagreements() == []


def test_a_fact_is_erased_by_itself_with_its_links(furnished: Home) -> None:
    """S2: relations told of it, and history had it three times."""
    memory = furnished.memory
    links = (("prefers", f"concept--{CANARY}"),)
    memory.remember(f"Likes {CANARY}", Semantic("person--alex", links=links))
    memory.remember("Likes tea", Semantic("person--alex"))
    kept = [line for line in furnished.text(ALEX).splitlines() if "Likes tea" in line]

    receipt = memory.erase(fact_id("person--alex", f"Likes {CANARY}"))

    assert receipt.remains == ()
    assert places_of(furnished.root, CANARY) == []
    assert [x for x in furnished.text(ALEX).splitlines() if "Likes tea" in x] == kept
    assert memory.show("entity:person--alex").text == "Alex\nLives in Berlin\nLikes tea"
    memory.undo()
    assert furnished.disagreements() == []


def test_what_quotes_it_among_other_things_is_shown_and_stays(furnished: Home) -> None:
    memory = furnished.memory
    (told,) = memory.remember(f"Mia hid the {CANARY}.", Episodic()).ids
    (other,) = memory.remember(f"Bo: “Mia hid the {CANARY}.” Hm.", Episodic()).ids

    shown = memory.find_to_erase(told)
    receipt = memory.erase(told)

    assert [each.id for each in shown.taken] == [told]
    assert [each.id for each in shown.quoted] == [other]
    assert [each.id for each in receipt.quoted] == [other]
    assert receipt.remains
    assert memory.show(other).text == f"Bo: “Mia hid the {CANARY}.” Hm."


def test_its_words_go_out_of_what_quotes_it_where_a_human_says_so(
    furnished: Home,
) -> None:
    memory = furnished.memory
    (told,) = memory.remember(f"Mia hid the {CANARY}.", Episodic()).ids
    (other,) = memory.remember(f"Bo: “Mia hid the {CANARY}.” Hm.", Episodic()).ids

    receipt = memory.erase(told, quotes=True)

    assert (receipt.remains, receipt.quoted) == ((), ())
    assert memory.show(other).text == "Bo: “[erased]” Hm."
    assert places_of(furnished.root, CANARY) == []


def test_a_person_goes_with_all_they_said_and_others_stay(furnished: Home) -> None:
    memory = furnished.memory
    memory.remember("Is shy", Semantic(f"Mia {CAPITAL}", "person"))
    memory.remember("Hides things.", Episodic(scope=f"Mia {CAPITAL}"))
    window = memory.window("all")
    window.say("I am leaving.", speaker=f"mia {CANARY}")
    window.say("So long.", role=Role.ASSISTANT)
    window.say("I am staying.", speaker="Bo")
    before = furnished.raw(ALEX)

    receipt = memory.erase(person=f"Mia {CANARY}")

    assert receipt.remains == ()
    assert places_of(furnished.root, CANARY) == []
    assert [turn.text for turn in memory.turns("all")] == ["I am staying."]
    texts = [item.text for item in memory.items()]
    assert not {"Hides things.", "I am leaving.", "So long."} & {*texts}
    assert furnished.raw(ALEX) == before
    assert furnished.disagreements() == []


def test_what_is_out_of_reach_is_named(
    furnished: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    above = furnished.root.parent
    project = re.sub(r"[^A-Za-z0-9]", "-", str(furnished.root.resolve()))
    sessions = above / "home/.claude/projects" / project
    sessions.mkdir(parents=True)
    (sessions / "one.jsonl").write_text("{}\n")
    monkeypatch.setenv("HOME", str(above / "home"))
    diary = above / "diary.md"
    diary.write_text(f"# Diary\n\nOn Monday I found {CANARY}.\n")
    furnished.memory.import_from(diary)
    (id_,) = (each.id for each in furnished.memory.items() if CANARY in each.text)

    receipt = furnished.memory.erase(id_)

    assert receipt.remains == ()
    (transcripts, source) = receipt.beyond
    assert str(sessions) in transcripts
    assert "diary.md" in source


def test_nothing_points_at_a_fact_whose_words_were_erased(home: Home) -> None:
    memory, rome = home.memory, (("lives-in", "place--rome"),)
    memory.remember("Lives in Bonn.", Semantic("Zoe", "person"))
    memory.correct("Lives in Bonn", "Lives in Rome.", links=rome)
    memory.remember("Likes the park.", Semantic("Zoe", "person", links=rome))
    path = "memory/graph/entities/person--zoe.md"
    name = reference("Lives in Rome.")
    assert home.text(path).count(name[:6]) == 2

    memory.erase(text="Lives in Rome.")

    assert name[:6] not in home.text(path)
    assert "~~Lives in Bonn.~~ <!--" in home.text(path)
    assert f"fact: {reference('Likes the park.')[:6]} -->" in home.text(path)
    assert not [f for f in memory.check() if "no fact here" in f.what]


def _merged(home: Home) -> str:
    home.memory.remember("Likes zwirbelzupf.", Semantic("Zoe Keller", "person"))
    home.memory.remember("Lives in Rome.", Semantic("Zoe", "person"))
    home.memory.merge("Zoe Keller", "Zoe")
    return "person--zoe"


def _renamed(home: Home) -> str:
    home.memory.remember("Likes zwirbelzupf.", Semantic("Zoe", "person"))
    home.memory.rename("Zoe", "Anna")
    return "person--anna"


def _renamed_and_taken_back(home: Home) -> str:
    home.memory.remember("Likes zwirbelzupf.", Semantic("Zoe", "person"))
    home.memory.undo(home.memory.rename("Zoe", "Anna").commit)
    return "person--zoe"


def _moved_by_hand(home: Home) -> str:
    home.memory.remember("Likes zwirbelzupf.", Semantic("Zoe", "person"))
    folder = home.root / "memory/graph/entities"
    (folder / "person--zoe.md").rename(folder / "concept--zoe.md")
    home.memory.show("entity:concept--zoe")
    return "concept--zoe"


@pytest.mark.parametrize(
    "history", [_merged, _renamed, _renamed_and_taken_back, _moved_by_hand]
)
def test_a_fact_is_erased_from_every_page_that_it_once_stood_on(
    home: Home, history: Callable[[Home], str]
) -> None:
    page = history(home)

    done = home.memory.erase(fact_id(page, "Likes zwirbelzupf."))

    assert done.remains == ()
    assert "zwirbelzupf" not in home.text(f"memory/graph/entities/{page}.md")
