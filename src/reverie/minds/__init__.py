"""Who thinks: a model server, the host agent, or nobody (spec, §10).

    mind = open_mind(config.mind, environ, purse, box)
    if mind:
        target = ask(mind, forget_question("forget the cat"), check)

    talker = open_talker(config.mind, environ, purse)
    if talker:
        for piece in talker.talk(messages, most_tokens=1000):
            ...

See docs/design/minds.md.
"""

from reverie.minds.choose import open_mind
from reverie.minds.host import HostMustAnswerError
from reverie.minds.mind import Answer, Mind, MindUnavailableError, Question, Use
from reverie.minds.scripted import ScriptedMind, ScriptedTalker
from reverie.minds.talking import Message, Talker, open_talker
from reverie.minds.thinking import UnusableAnswerError, ask

__all__ = [
    "Answer",
    "HostMustAnswerError",
    "Message",
    "Mind",
    "MindUnavailableError",
    "Question",
    "ScriptedMind",
    "ScriptedTalker",
    "Talker",
    "UnusableAnswerError",
    "Use",
    "ask",
    "open_mind",
    "open_talker",
]
