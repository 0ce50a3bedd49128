"""What can be looked at and done on the page, one module a view."""

from reverie.interfaces.web.views import conversations, inbox, timeline

MODULES = (inbox, timeline, conversations)
VIEWS = tuple(view for module in MODULES for view in module.VIEWS)
ACTS = tuple(act for module in MODULES for act in module.ACTS)
