"""Who thinks: a model server, the host agent, or nobody but the rules (spec, §10).

    mind = open_mind(config.mind, environ, purse, box)
    if mind:
        target = ask(mind, forget_question("forget the cat"), check)

See docs/design/minds.md.
"""

from reverie.minds.choose import open_mind, sends_out
from reverie.minds.host import HostMustAnswerError
from reverie.minds.mind import Answer, Mind, MindUnavailableError, Question, Use
from reverie.minds.scripted import ScriptedMind
from reverie.minds.thinking import UnusableAnswerError, ask

__all__ = [
    "Answer",
    "HostMustAnswerError",
    "Mind",
    "MindUnavailableError",
    "Question",
    "ScriptedMind",
    "UnusableAnswerError",
    "Use",
    "ask",
    "open_mind",
    "sends_out",
]
