"""The words of a query that tell something, as a report."""

import re

from drretail.agents.base import Agent
from drretail.env.session import Session
from drretail.llm.models import Models
from drretail.records.query import Task
from drretail.records.run import Answer, Limits

_WORD = re.compile(r"[^\W\d_]+(?:[-'’][^\W\d_]+)*")
_SHORTEST = 3


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_TELL_NOTHING = _words(
    """
    about after again all already also although always and any anyone anything are around ask away back because been
    before being best better between both bought but buy buying can could did does doesn't don't down each easily else
    enough even ever every everything exactly far few find for from gave get getting give given goes good got great
    had has have haven't having her here hers him his how i'd i'll i'm i've into it's its itself just keep kind know
    last later least less let like look looking lot made make makes many may maybe mine more most much must myself
    need needs never new next nobody none nor not nothing now off once one only order ordered orders other others our
    ours out over own part per please product products put rather really recommend recommendation recommendations same
    say see she should show since some somebody something stay still such suggest sure take tell than that that's the
    their them then there these they thing things think this those through together too try two under until upon use
    used using very want wants was way well went were what whatever when where whether which while who whole why will
    with within without would years yes yet you your
    """
)


async def answer(task: Task, session: Session, models: Models, limits: Limits) -> Answer:
    """The keywords of the question, separated by commas."""
    del session, models, limits
    return Answer(report=", ".join(keywords(task.text)))


def keywords(text: str) -> tuple[str, ...]:
    """The distinct words of a text that are neither short nor common, in lower case and its order."""
    words = (match[0].casefold().replace("’", "'") for match in _WORD.finditer(text))
    return tuple(dict.fromkeys(word for word in words if len(word) >= _SHORTEST and word not in _TELL_NOTHING))


KEYWORDS = Agent(answer, roles=(), heeds=frozenset(), is_yardstick=True)
