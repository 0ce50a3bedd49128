"""What can be looked at and done on the page, one module a view."""

from reverie.interfaces.web.views import (
    ask,
    conversations,
    core,
    graph,
    health,
    inbox,
    ledger,
    memory,
    timeline,
)

MODULES = (
    *(inbox, ask, core, timeline, conversations),
    *(graph, memory, health, ledger),
)
VIEWS = tuple(view for module in MODULES for view in module.VIEWS)
ACTS = tuple(act for module in MODULES for act in module.ACTS)
