"""LangGraph's store, by real graphs and beside LangGraph's own."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, TypedDict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie import AsyncMemory, Memory, Origin, RefusedError
from reverie.secrets import SecretFoundError

pytest.importorskip("langgraph", reason="make test-adapters installs it")

from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime  # noqa: TC002 - a graph reads the types of its nodes
from langgraph.store.base import (
    GetOp,
    InvalidNamespaceError,
    ListNamespacesOp,
    MatchCondition,
    PutOp,
    SearchOp,
)
from langgraph.store.memory import InMemoryStore

from reverie.interfaces.adapters.files import BrokenFileError
from reverie.interfaces.adapters.langgraph import (
    ReverieStore,
    StoredItem,
    item_path,
    parse_item,
    render_item,
)

if TYPE_CHECKING:
    from tests.memory.home import Home

ALEX = ("users", "alex")
NOW = datetime(2026, 2, 2, 12, 0, 0, 123456, tzinfo=UTC)
KEY = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"

LEAVES = (
    st.none() | st.booleans() | st.integers() | st.text() | st.floats(allow_nan=False)
)
VALUES = st.dictionaries(
    st.text(),
    st.recursive(
        LEAVES, lambda s: st.lists(s, max_size=3) | st.dictionaries(st.text(), s)
    ),
    max_size=4,
)
TRICKY = [
    *("", " ", "a\n\n## b", "```json\n1\n```", "`1`", "<!-- x", "-->", "a\r\nb", "\0"),
    *("# x", "> x", "a\n", "\na", "\u202ea", "\u2028", "1", "null", "---\na: b\n---"),
]


@pytest.fixture
def store(memory: Memory) -> ReverieStore:
    """A store in a new workspace."""
    return ReverieStore(memory)


# --- what an item becomes ----------------------------------------------------


@given(value=VALUES, key=st.text(), label=st.text(min_size=1), indexed=st.booleans())
def test_an_item_reads_back_as_it_was_written(
    value: dict[str, Any], key: str, label: str, *, indexed: bool
) -> None:
    stored = StoredItem((label, "x"), key, value, NOW, NOW, indexed)

    assert parse_item(render_item(stored)) == stored


@pytest.mark.parametrize("text", TRICKY)
def test_texts_that_look_like_structure_come_back(
    store: ReverieStore, text: str
) -> None:
    store.put(ALEX, text or "empty", {"text": text, text: [text]})

    found = store.get(ALEX, text or "empty")

    assert found is not None
    assert found.value == {"text": text, text: [text]}


@given(one=st.text(), other=st.text())
def test_two_keys_are_two_files(one: str, other: str) -> None:
    assert (item_path(ALEX, one) == item_path(ALEX, other)) is (one == other)


def test_a_person_reads_an_item_corrects_it_and_recalls_it(
    home: Home, store: ReverieStore
) -> None:
    store.put(ALEX, "food", {"text": "Loves pizza with anchovies.", "times": 3})
    path = "memory/notebooks/langgraph/users/alex/food.md"
    text = home.text(path)
    assert "## text\n\nLoves pizza with anchovies.\n\n## times\n\n`3`\n" in text

    home.type(path, text.replace("anchovies", "capers"))

    found = store.get(ALEX, "food")
    assert found is not None
    assert found.value == {"text": "Loves pizza with capers.", "times": 3}
    hit = home.memory.recall("Who loves pizza with capers?").hits[0]
    assert (hit.path, hit.origin) == (path, Origin.AGENT)


def test_what_was_deleted_comes_back_with_undo(
    memory: Memory, store: ReverieStore
) -> None:
    store.put(ALEX, "food", {"text": "Loves pizza."})
    put = store.get(ALEX, "food")

    store.delete(ALEX, "food")
    store.delete(ALEX, "never there")

    assert store.get(ALEX, "food") is None
    assert "LangGraph put users/alex/food" in memory.history(limit=1)[0].trigger
    memory.undo()
    assert store.get(ALEX, "food") == put


def test_an_item_knows_when_it_was_made_and_changed(store: ReverieStore) -> None:
    store.put(ALEX, "food", {"text": "Loves pizza."})
    first = store.get(ALEX, "food")
    store.put(ALEX, "food", {"text": "Loves pasta."})
    second = store.get(ALEX, "food")

    assert first is not None
    assert second is not None
    assert first.created_at == first.updated_at == second.created_at
    assert second.updated_at > second.created_at


def test_what_its_human_forgot_is_in_no_answer(
    memory: Memory, store: ReverieStore
) -> None:
    store.put(ALEX, "food", {"text": "Loves pizza with anchovies.", "times": 3})

    memory.forget(memory.find_to_forget("pizza with anchovies").matches)

    found = store.get(ALEX, "food")
    assert found is not None
    assert found.value == {"times": 3}
    assert store.search(ALEX, filter={"text": "Loves pizza with anchovies."}) == []


def test_nothing_is_left_of_an_item_that_was_erased(
    home: Home, store: ReverieStore
) -> None:
    store.put(ALEX, "food", {"text": "Loves pizza with anchovies.", "times": 3})
    hit = home.memory.recall("pizza with anchovies").hits[0]

    home.memory.erase(hit.id)

    assert "anchovies" not in home.text(hit.path)
    assert home.git("log", "--all", "-S", "anchovies", "--oneline") == ""


# --- what a store has to do --------------------------------------------------


def test_it_answers_as_langgraphs_own_store_does(store: ReverieStore) -> None:
    own = InMemoryStore()
    for each in (store, own):
        each.batch(
            [
                PutOp(("a", "b"), "1", {"n": 1, "deep": {"x": 1}, "l": [1, 2]}),
                PutOp(("a", "b"), "2", {"n": 2, "kind": "x"}),
                PutOp(("a", "c", "d"), "1", {"n": 3, "kind": "x"}),
                PutOp(("e",), "Ünï/code key..", {"n": 4}),
                PutOp(("a", "b"), "1", {"n": 10, "deep": {"x": 1}, "l": [1, 2]}),
                PutOp(("a", "b"), "gone", {"n": 1}),
            ]
        )
        each.delete(("a", "b"), "gone")
    asked: list[Any] = [
        GetOp(("a", "b"), "1"),
        GetOp(("a", "b"), "gone"),
        GetOp(("e",), "Ünï/code key.."),
        *(
            SearchOp(prefix, wanted)
            for prefix in ((), ("a",), ("a", "b"), ("x",))
            for wanted in (
                None,
                {"kind": "x"},
                {"n": {"$gt": 1, "$lte": 3}},
                {"n": {"$ne": 2}},
                {"n": {"$eq": 2}},
                {"n": {"$gte": 2}},
                {"n": {"$lt": 2}},
                {"deep": {"x": 1}},
                {"l": [1, 2]},
                {"l": [1]},
            )
        ),
        ListNamespacesOp(),
        ListNamespacesOp(max_depth=1),
        ListNamespacesOp(limit=1, offset=1),
        ListNamespacesOp((MatchCondition("prefix", ("a", "*")),)),
        ListNamespacesOp((MatchCondition("suffix", ("d",)),)),
        ListNamespacesOp((MatchCondition("prefix", ("a", "c", "d", "e")),)),
    ]

    def plain(answer: Any) -> Any:
        if isinstance(answer, list) and answer and not isinstance(answer[0], tuple):
            return sorted((i.namespace, i.key, str(i.value)) for i in answer)
        return (answer.key, answer.value) if hasattr(answer, "value") else answer

    mine, theirs = store.batch(asked), own.batch(asked)
    assert list(map(plain, mine)) == list(map(plain, theirs))


def test_a_batch_reads_first_and_writes_one_change(
    memory: Memory, store: ReverieStore
) -> None:
    before = len(memory.history())

    answers = store.batch(
        [PutOp(("a",), "1", {"n": 1}), PutOp(("a",), "2", {"n": 2}), GetOp(("a",), "1")]
    )

    assert answers == [None, None, None]
    assert len(memory.history()) == before + 1


def test_a_query_finds_by_meaning_within_its_namespace(store: ReverieStore) -> None:
    store.put(ALEX, "food", {"text": "Loves pizza with anchovies."})
    store.put(ALEX, "job", {"text": "Works as a carpenter in Lyon."})
    store.put(("users", "mia"), "food", {"text": "Loves pizza with olives."})
    store.put(ALEX, "hidden", {"text": "Hates pizza with tuna."}, index=False)

    found = store.search(ALEX, query="which pizza?", limit=2)
    other = store.search(("users",), query="pizza", limit=10, filter={"text": "x"})

    assert (found[0].key, found[0].namespace) == ("food", ALEX)
    assert found[0].score is not None
    assert {item.namespace for item in found} == {ALEX}
    assert "hidden" not in {item.key for item in found}
    assert other == []


def test_the_newest_come_first_without_a_query(store: ReverieStore) -> None:
    for key in "abc":
        store.put(("x",), key, {"n": 1})

    found = store.search(("x",), limit=1, offset=1)

    assert [item.key for item in found] == ["b"]


@pytest.mark.parametrize(
    ("value", "error"),
    [
        ({"text": f"token {KEY}"}, SecretFoundError),
        ({"when": NOW}, RefusedError),
        ({"text": "x" * 300_000}, RefusedError),
    ],
)
def test_what_cannot_be_kept_is_refused(
    store: ReverieStore, value: dict[str, Any], error: type[Exception]
) -> None:
    with pytest.raises(error):
        store.put(ALEX, "food", value)

    assert store.get(ALEX, "food") is None


def test_an_unknown_operator_is_refused(store: ReverieStore) -> None:
    store.put(ALEX, "food", {"n": "many"})

    assert store.search(ALEX, filter={"n": {"$gt": 1}}) == []
    with pytest.raises(RefusedError, match=r"\$like"):
        store.search(ALEX, filter={"n": {"$like": "m"}})


def test_nothing_expires_and_no_label_leads_elsewhere(store: ReverieStore) -> None:
    with pytest.raises(NotImplementedError):
        store.put(ALEX, "food", {"n": 1}, ttl=5)
    with pytest.raises(InvalidNamespaceError):
        store.batch([PutOp(("..", "x"), "y", {"n": 1})])
    store.put(ALEX, "../../../MEMORY", {"n": 1})

    assert item_path(ALEX, "../../../MEMORY").startswith("users/alex/memory.")


def test_a_file_that_somebody_broke_is_told_and_hides_no_other(
    home: Home, store: ReverieStore
) -> None:
    store.put(ALEX, "food", {"n": 1})
    store.put(ALEX, "job", {"n": 2})
    path = "memory/notebooks/langgraph/users/alex/food.md"
    whole = home.text(path)

    for broken in ("Gone.\n", whole.replace("`1`", "`{`")):
        home.type(path, broken)
        with pytest.raises(BrokenFileError, match=r"food\.md"):
            store.get(ALEX, "food")
        assert [item.key for item in store.search(ALEX)] == ["job"]
    store.put(ALEX, "food", {"n": 3})
    assert len(store.search(ALEX)) == 2


# --- in graphs, threads and loops ---------------------------------------------


class State(TypedDict):
    """What the graph below passes on."""

    said: str
    answer: str


def _graph(store: ReverieStore) -> Any:
    def learn(state: State, runtime: Runtime[None]) -> dict[str, str]:
        assert runtime.store is not None
        runtime.store.put(ALEX, "latest", {"text": state["said"]})
        return {}

    def answer(state: State, runtime: Runtime[None]) -> dict[str, str]:
        assert runtime.store is not None
        found = runtime.store.search(ALEX, query=state["said"], limit=1)
        return {"answer": found[0].value["text"]}

    builder = StateGraph(State)
    builder.add_node("learn", learn)
    builder.add_node("answer", answer)
    builder.add_edge(START, "learn")
    builder.add_edge("learn", "answer")
    builder.add_edge("answer", END)
    return builder.compile(store=store)


def test_a_graph_remembers_across_its_nodes_and_runs(
    home: Home, store: ReverieStore
) -> None:
    state = _graph(store).invoke({"said": "Loves pizza.", "answer": ""})

    assert state["answer"] == "Loves pizza."
    again = ReverieStore(home.reopen())
    found = again.get(ALEX, "latest")
    assert found is not None
    assert found.value == {"text": "Loves pizza."}


def test_a_graph_is_awaited(home: Home) -> None:
    async def run() -> Any:
        async with AsyncMemory(home.root, environ={}) as memory:
            return await _graph(ReverieStore(memory)).ainvoke(
                {"said": "Loves pizza.", "answer": ""}
            )

    home.memory.close()
    assert asyncio.run(run())["answer"] == "Loves pizza."


def test_many_await_it_at_once_and_nothing_is_lost(home: Home) -> None:
    async def run() -> Any:
        async with AsyncMemory(home.root, environ={}) as memory:
            store = ReverieStore(memory)
            await asyncio.gather(
                *(store.aput(("n",), str(n), {"n": n}) for n in range(8))
            )
            return await store.asearch(("n",))

    home.memory.close()
    assert sorted(item.value["n"] for item in asyncio.run(run())) == list(range(8))


def test_threads_share_one_memory(store: ReverieStore) -> None:
    with ThreadPoolExecutor(4) as threads:
        list(threads.map(lambda n: store.put(("n",), str(n), {"n": n}), range(8)))

    assert len(store.search(("n",))) == 8
