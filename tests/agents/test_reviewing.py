"""Who may commit which proposal."""

from __future__ import annotations

from dataclasses import replace

from reverie.agents.review import commits_by_itself, may_commit
from reverie.model.ids import Store
from reverie.model.items import Confidence
from reverie.model.origin import Origin
from reverie.model.proposals import DEFERRED, Proposal, ask, conflict

TRUSTED = ("coder",)
SURE = Proposal(
    1,
    "coder",
    None,
    "",
    Store.SEMANTIC,
    "The port is 80",
    confidence=Confidence.HIGH,
    origin=Origin.SUBAGENT,
)


def why_not(proposal: Proposal, store: Store, review: str = "batch") -> str:
    return may_commit(proposal, store, review=review, trusted=TRUSTED)


def test_the_main_agent_commits_what_is_data_and_ways_of_the_trusted() -> None:
    for store, sender, allowed in (
        (Store.EPISODIC, "coder", True),
        (Store.EPISODIC, "stranger", True),
        (Store.SEMANTIC, "stranger", True),
        (Store.PROCEDURAL, "coder", True),
        (Store.PROCEDURAL, "stranger", False),
        (Store.VAULT, "coder", False),
        (Store.CORE, "coder", False),
        (Store.TURNS, "coder", False),
    ):
        assert (why_not(replace(SURE, sender=sender), store) == "") is allowed


def test_the_main_agent_is_told_why_it_may_not() -> None:
    for change, why in (
        ({"origin": Origin.TOOL}, "no sub-agent"),
        ({"origin": Origin.OWNER}, "no sub-agent"),
        ({"origin": Origin.IMPORT}, "no sub-agent"),
        ({"conflicts": ("#2",)}, "contradicts"),
        ({"conflicts": ("#2",), "status": DEFERRED}, "contradicts"),
        ({"status": conflict(["#2"])}, "contradicts"),
        ({"status": ask(["#2"])}, "contradicts"),
    ):
        assert why in why_not(replace(SURE, **change), Store.SEMANTIC)


def test_the_main_agent_may_commit_what_it_had_put_off() -> None:
    assert why_not(replace(SURE, status=DEFERRED), Store.SEMANTIC) == ""


def test_where_a_human_reviews_the_main_agent_commits_nothing() -> None:
    assert "human" in why_not(SURE, Store.EPISODIC, "manual")


def test_a_sure_proposal_of_a_trusted_agent_commits_itself() -> None:
    for store in (Store.EPISODIC, Store.SEMANTIC):
        sure = replace(SURE, store=store)

        assert commits_by_itself(sure, review="auto", trusted=TRUSTED)
        assert not commits_by_itself(sure, review="batch", trusted=TRUSTED)
        assert not commits_by_itself(sure, review="manual", trusted=TRUSTED)


def test_nothing_else_commits_itself() -> None:
    for change in (
        {"sender": "stranger"},
        {"sender": ""},
        {"confidence": Confidence.MEDIUM},
        {"confidence": Confidence.LOW},
        {"origin": Origin.AGENT},
        {"conflicts": ("entity:project--apollo",)},
        {"status": conflict(["#2"])},
        {"status": ask(["#2"])},
        {"status": DEFERRED},
        {"status": "approved"},
        {"store": Store.PROCEDURAL},
        {"store": Store.VAULT},
        {"store": Store.CORE},
    ):
        assert not commits_by_itself(
            replace(SURE, **change), review="auto", trusted=TRUSTED
        )
