"""The rules in their order: which store a text belongs in, and how sure that is.

1. What its human wants kept for good goes to the vault.
2. A way of doing something is a procedure.
3. A question, another language, a fragment: an episode, and not sure.
4. Corrections are episodes: they speak of something said before.
5. A decision that names both its project and what was chosen is knowledge about that
   project (`uses` where it says so, else `decided-on`); any other is an episode.
6. Name, role, pronouns, language and time zone of the owner, and standing rules
   ("never …"), are core memory. Health, emergencies and what the owner works on are
   facts that core memory hears of.
7. What somebody likes or avoids is a fact about them.
8. Tasks, moods and happenings are episodes.
9. What is left and has a subject and a verb is a fact about its subject.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from reverie.encoding.routing import selfhood
from reverie.encoding.routing.choices import choice_in
from reverie.encoding.routing.clauses import Tense, clause_of
from reverie.encoding.routing.cues import VAULT, cue_of, is_dated, is_hedged, rule_block
from reverie.encoding.routing.known import known_thing, owner, thing
from reverie.encoding.routing.lexicon import DETERMINERS, PRONOUNS, words_in
from reverie.encoding.routing.naming import find_named, named_at
from reverie.encoding.routing.procedures import recipe_in
from reverie.encoding.routing.relating import kinship, phrase, relations_in
from reverie.encoding.routing.subjects import NOBODY, Subject, Who, subject_of
from reverie.model.ids import Store
from reverie.model.items import Block, Confidence, EpisodeKind
from reverie.model.route import RelationMention, is_name

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from reverie.encoding.routing.clauses import Clause
    from reverie.encoding.routing.known import Known, Thing
    from reverie.encoding.routing.reading import Sentence


LONGEST_RULE = 40
"""So many words a sentence may have that goes to core memory."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the rules make of a text.

    Attributes:
        store: Where it belongs.
        confidence: How sure that is.
        kind: What sort of episode it is or would be.
        things: What it names; the first is what it is about.
        relations: What it says of them.
        block: Which block of core memory should hold or hear of it; None is none.
    """

    store: Store
    confidence: Confidence = Confidence.HIGH
    kind: EpisodeKind = EpisodeKind.FACT
    things: tuple[Thing, ...] = ()
    relations: tuple[RelationMention, ...] = ()
    block: Block | None = None


@dataclass(frozen=True, slots=True)
class Reading:
    """A sentence with all that the rules ask of it.

    Attributes:
        sentence: The sentence.
        clause: The same cut at its verb, where it has one.
        subject: Whom it speaks of.
        kind: What sort of episode it plainly is, if any.
        known: What the workspace knows.
    """

    sentence: Sentence
    clause: Clause | None
    subject: Subject
    kind: EpisodeKind | None
    known: Known

    @property
    def own(self) -> bool:
        """Whether it is about the owner or somebody they call their own."""
        return self.subject.who is Who.OWNER or self.subject.mine


def judge(text: str, sentences: Sequence[Sentence], known: Known) -> Verdict:
    """What the rules make of a text, and of its sentences."""
    if VAULT.search(" ".join(text[:300].lower().replace("\u2019", "'").split())):
        return Verdict(Store.VAULT, things=_names(sentences, known, sure=True))
    if recipe_in(text):
        return Verdict(Store.PROCEDURAL, things=_names(sentences, known, sure=True))
    return _fitting(_judge_all(sentences, known))


def _judge_all(sentences: Sequence[Sentence], known: Known) -> Verdict:
    readings = [_reading(s, known) for s in sentences if _is_plain(s)]
    found = [verdict for said in readings if (verdict := _judge_one(said))]
    if not found:
        return _unsure(sentences, readings, known)
    return _with_others(found[0], found[1:], _names(sentences, known))


def _fitting(verdict: Verdict) -> Verdict:
    """Without names that could not be one: a path, a page of text, no letter at all."""
    kept = tuple(one for one in verdict.things if is_name(one.name))
    if kept == verdict.things:
        return verdict
    ids = {one.id for one in kept}
    told = tuple(r for r in verdict.relations if {r.origin, r.target} <= ids)
    if verdict.store is Store.SEMANTIC and verdict.things[:1] != kept[:1]:
        return Verdict(Store.EPISODIC, Confidence.LOW, verdict.kind, kept)
    return replace(verdict, things=kept, relations=told)


def _reading(sentence: Sentence, known: Known) -> Reading:
    clause = clause_of(sentence.words)
    subject = subject_of(clause, known) if clause else NOBODY
    return Reading(sentence, clause, subject, cue_of(sentence, clause), known)


def _is_plain(sentence: Sentence) -> bool:
    """Whether a sentence is a statement in words the rules know."""
    quoted = sentence.text[0] in "\"'\u201c\u2018\u00ab>"
    return not (sentence.asks or quoted) and sentence.english


def _judge_one(said: Reading) -> Verdict | None:
    if len(said.sentence.words) < 2:
        return None
    return next((found for rule in _RULES if (found := rule(said))), None)


def _with_others(
    first: Verdict, others: Sequence[Verdict], named: Sequence[Thing]
) -> Verdict:
    """The first sentence decides; facts in the others add what they relate."""
    more = [v for v in others if v.store is first.store is Store.SEMANTIC]
    relations = dict.fromkeys(r for v in (first, *more) for r in v.relations)
    things = [*first.things, *(one for v in more if v.relations for one in v.things)]
    for one in named:
        words = set(one.name.lower().split())
        if not any(_overlap(words, set(t.name.lower().split())) for t in things):
            things.append(one)
    return replace(
        first,
        things=tuple({one.id: one for one in things}.values()),
        relations=tuple(relations),
    )


def _overlap(one: set[str], other: set[str]) -> bool:
    """Whether two names are one, perhaps with a word more."""
    return one <= other or other <= one


def _names(
    sentences: Sequence[Sentence], known: Known, *, sure: bool = False
) -> tuple[Thing, ...]:
    found = (
        one
        for sentence in sentences
        if sentence.english
        for one in find_named(sentence.words, known, sure=sure)
    )
    return tuple({one.id: one for one in found}.values())


def _unsure(
    sentences: Sequence[Sentence], readings: Sequence[Reading], known: Known
) -> Verdict:
    kind = next((said.kind for said in readings if said.kind), EpisodeKind.FACT)
    named = _names(sentences, known, sure=True)
    return Verdict(Store.EPISODIC, Confidence.LOW, kind, named)


# --- the rules ---------------------------------------------------------------


def _correction(said: Reading) -> Verdict | None:
    if said.kind is not EpisodeKind.CORRECTION:
        return None
    return Verdict(Store.EPISODIC, kind=said.kind)


def _decision(said: Reading) -> Verdict | None:
    choice = choice_in(said.sentence, said.clause, said.subject, said.known)
    if choice:
        project, relation, chosen = choice
        relations = tuple(RelationMention(project.id, relation, o.id) for o in chosen)
        return Verdict(Store.SEMANTIC, things=(project, *chosen), relations=relations)
    if said.kind is not EpisodeKind.DECISION:
        return None
    return Verdict(Store.EPISODIC, kind=said.kind)


def _core(said: Reading) -> Verdict | None:
    """What must always be in sight; that is never long."""
    if len(said.sentence.words) > LONGEST_RULE:
        return None
    block = rule_block(said.sentence)
    if block:
        return Verdict(Store.CORE, block=block)
    block = selfhood.identity_block(said.sentence)
    if block:
        return Verdict(Store.CORE, things=(owner(said.known),), block=block)
    return None


def _matters(said: Reading) -> Verdict | None:
    """What core memory hears of, whatever else the sentence is."""
    address = selfhood.is_address(said.sentence)
    if not address and not selfhood.is_emergency(said.sentence):
        return None
    block = selfhood.also_core(said.sentence, own=True)
    kind = EpisodeKind.PREFERENCE if address else EpisodeKind.FACT
    return Verdict(Store.SEMANTIC, kind=kind, things=(owner(said.known),), block=block)


def _wish(said: Reading) -> Verdict | None:
    """What somebody likes or avoids."""
    human = owner(said.known)
    favourite = selfhood.favourite_in(said.sentence)
    about = human if favourite else (*said.subject.things, human)[0]
    found = ("prefers", favourite) if favourite else _wish_of(said, about)
    if not found:
        return None
    relation, what = found
    wished = (_wished(what, said.known),) if what else ()
    related = tuple(RelationMention(about.id, relation, one.id) for one in wished)
    return Verdict(
        Store.SEMANTIC,
        kind=EpisodeKind.PREFERENCE,
        things=(about, *wished),
        relations=related,
        block=selfhood.also_core(said.sentence, own=said.own),
    )


def _wished(what: str, known: Known) -> Thing:
    id_ = known.names.get(what)
    return known_thing(what, id_) if id_ else thing(what, "concept")


def _wish_of(said: Reading, about: Thing) -> tuple[str, str] | None:
    sentence, clause = said.sentence, said.clause
    spoken = said.subject.things and not said.subject.mine
    if about.type == "person" and clause and spoken:
        wish = selfhood.wish_in(clause.said)
        if wish:
            return wish
    order = selfhood.order_in(sentence)
    if order:
        return "prefers", order
    habit = selfhood.habit_in(sentence)
    return None if habit is None else ("avoids", habit)


def _episode(said: Reading) -> Verdict | None:
    """Tasks, moods and happenings."""
    if said.kind is None:
        return None
    happened = said.kind is EpisodeKind.EVENT
    if happened and _of_nobody(said):
        return None
    plain = happened and not (is_dated(said.sentence) or said.subject.sure)
    named = said.subject.things if said.subject.sure and not said.own else ()
    confidence = Confidence.MEDIUM if plain else Confidence.HIGH
    return Verdict(Store.EPISODIC, confidence, said.kind, named)


def _hedge(said: Reading) -> Verdict | None:
    """What is not settled is no fact."""
    if not said.clause or not is_hedged(said.sentence):
        return None
    return Verdict(Store.EPISODIC, Confidence.MEDIUM)


def _entry(said: Reading) -> Verdict | None:
    """`Deadline: March 15`."""
    found = _ENTRY.match(said.sentence.text)
    key = found[1].lower().replace("'", " ").split() if found else []
    if not found or found[1].lower() in _NO_KEYS or key[0] in PRONOUNS:
        return None
    words = said.sentence.words[: len(found[1].split())]
    named = named_at(words, 0, said.known)
    sure = named and (named.thing.known or named.thing.type == "person")
    about = named.thing if named and sure else thing(found[1], "concept")
    return Verdict(Store.SEMANTIC, Confidence.MEDIUM, things=(about,))


def _of_nobody(said: Reading) -> bool:
    """`She told him about it`: nobody can know of whom that is."""
    lows = [word.low for word in said.clause.subject] if said.clause else []
    named = find_named(said.sentence.words, said.known)
    return lows[:1] in (["it"], ["he"], ["she"], ["they"], ["that"]) and not named


def _fact(said: Reading) -> Verdict | None:
    """A fact about what the sentence speaks of."""
    clause, subject = said.clause, said.subject
    if not clause or clause.tense is Tense.AHEAD:
        return None
    if subject.who is Who.WE:
        return _of_ours(said)
    if subject.who is Who.UNKNOWN or not subject.things:
        return None
    subject = _introduced(said)
    kin = kinship(clause, subject, said.known)
    told = relations_in(clause, subject, said.known)
    things = (*subject.things, *kin.things, *told.things)
    plain = not (subject.sure and (subject.things[0].known or told.relations))
    return Verdict(
        Store.SEMANTIC,
        Confidence.MEDIUM
        if plain and subject.who is not Who.OWNER
        else Confidence.HIGH,
        things=tuple({one.id: one for one in things}.values()),
        relations=(*kin.relations, *told.relations),
        block=selfhood.also_core(said.sentence, own=said.own),
    )


def _introduced(said: Reading) -> Subject:
    """`my wife's name is Helena`, `our landlord is Mr. Castell`: whoever is named."""
    clause, subject = said.clause, said.subject
    if not clause or not subject.mine or subject.who is not Who.NAMED:
        return subject
    lows = [word.low for word in clause.subject]
    alone = len(lows) == 2 or lows[-1] == "name"
    called = _CALLED.match(clause.said)
    if not alone or not called:
        return subject
    at = len(called[0].split())
    found = named_at(clause.rest, at, said.known, "person")
    whole = found and (found.end >= len(clause.rest) or clause.rest[found.end - 1].stop)
    return replace(subject, things=(found.thing,)) if found and whole else subject


def _of_ours(said: Reading) -> Verdict | None:
    """`We use Grafana`: a fact about Grafana; `we keep the skis in the attic`."""
    named = find_named(said.sentence.words[1:], said.known)
    told = said.clause.point[1:] if said.clause else ()
    if not named and told and told[0].low in DETERMINERS:
        plain = phrase(told, 3)
        named = [thing(plain, "concept")] if plain else []
    if not named:
        return None
    return Verdict(Store.SEMANTIC, Confidence.MEDIUM, things=(named[0],))


_NO_KEYS = words_in("""
    idea question error warning note update ps summary example hint tip news problem
    subject re fwd from to
""")
_CALLED = re.compile(r"(?:is|are)(?: (?:called|named))?\b")
_RULES: tuple[Callable[[Reading], Verdict | None], ...] = (
    _correction,
    _decision,
    _core,
    _matters,
    _wish,
    _episode,
    _hedge,
    _fact,
    _entry,
)
_ENTRY = re.compile(r"([A-Za-z][\w'-]{1,30}(?: [\w'-]{1,30}){0,3}): ?(?=\S)(?!//)")
