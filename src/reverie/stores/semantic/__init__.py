"""The knowledge graph: entity pages, relation names and the index (design, 6)."""

from reverie.stores.semantic.edits import (
    MissingFactError,
    add_alias,
    add_fact,
    add_link,
    add_question,
    add_timeline,
    forget_fact,
    set_header,
    supersede_fact,
)
from reverie.stores.semantic.facts import (
    reference,
)
from reverie.stores.semantic.graph_index import (
    GraphIndex,
    GraphRow,
    parse_graph_index,
    render_graph_index,
)
from reverie.stores.semantic.pages import (
    EntityPage,
    default_label,
    new_entity,
    parse_entity,
    render_entity,
)
from reverie.stores.semantic.relations import (
    RELATIONS_TEMPLATE,
    Relation,
    RelationsFile,
    Vocabulary,
    edges,
    inverse_of,
    parse_relations,
    render_relations,
)

__all__ = [
    "RELATIONS_TEMPLATE",
    "EntityPage",
    "GraphIndex",
    "GraphRow",
    "MissingFactError",
    "Relation",
    "RelationsFile",
    "Vocabulary",
    "add_alias",
    "add_fact",
    "add_link",
    "add_question",
    "add_timeline",
    "default_label",
    "edges",
    "forget_fact",
    "inverse_of",
    "new_entity",
    "parse_entity",
    "parse_graph_index",
    "parse_relations",
    "reference",
    "render_entity",
    "render_graph_index",
    "render_relations",
    "set_header",
    "supersede_fact",
]
