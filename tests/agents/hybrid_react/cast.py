"""A cast of scripted models, one a role, for the agents that divide the work; each notes what it was shown."""

import json
import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from langchain_core.messages import AIMessage

from drretail.env.world import World
from drretail.experiments.run_file import Recorded
from drretail.llm.prompt import tag_content
from drretail.llm.registry import Model
from drretail.llm.scripted import Request, scripted_model
from tests.agents.conftest import Scripted, calls, record, reporting, sut
from tests.shop import USER

FEEDER = ("product_catalog_search", {"query": "bird feeder", "price_max": 30})
BATH = ("product_catalog_search", {"query": "bird bath"})
PROFILE = ("get_user_profile", {"user_id": USER})
PAGES = ("web_search", {"query": "bird feeder cleaning"})
DONE = ("Finalize", {})
REPORT = reporting("Take the tube feeder for $24.99 [P:B0TEST0001].", "P:B0TEST0001 x 1")
Script = Sequence[Scripted]
UNDERSTANDING = "understanding"
"""The part of a supervisor who says how the question is understood."""


def launch(*sub_problems: str, more: Sequence[tuple[str, dict[str, Any]]] = ()) -> AIMessage:
    """A supervisor's turn that launches researchers."""
    return calls(*(("LaunchResearcher", {"sub_problem": problem}) for problem in sub_problems), *more)


def reported(*citations: str, statement: str = "The tube feeder costs $24.99.", **fields: Any) -> AIMessage:
    """A synthesis with one insight, which cites these, and a source for each."""
    insight = {"statement": statement, "citations": list(citations)}
    sources = [{"evidence": citation, "title": citation, "facts": "$24.99"} for citation in citations]
    return AIMessage(json.dumps({"insights": [insight], "sources": sources, "open_questions": []} | fields))


def asked(turn: Request) -> str:
    """What tells one conversation of a role from another: its sub-problem or question, wherever it stands."""
    text = turn.messages[1].text
    findings = tag_content("findings", text)
    if findings is not None:
        return json.loads(findings.split("\n")[0])["sub_problem"]
    return next((held for tag in ("sub_problem", "search", "question") if (held := tag_content(tag, text))), "")


@dataclass(slots=True)
class Cast:
    """Plays each role's scripts by sub-problem ("" for any other), a pure function of the conversation.

    ``pause`` gives the seconds that a turn of (role, sub-problem) takes.
    """

    scripts: Mapping[str, Mapping[str, Script]]
    pause: Callable[[str, str], float] = lambda role, about: 0.0
    shown: dict[str, list[Request]] = field(default_factory=lambda: defaultdict(list))

    def models(self) -> dict[str, Model]:
        return {role: self._model(role) for role in self.scripts if role != UNDERSTANDING}

    def _model(self, role: str) -> Model:
        def play(request: Request) -> Scripted:
            about = asked(request)
            part = UNDERSTANDING if request.schema == "Understood" else role
            self.shown[part].append(request)
            time.sleep(self.pause(part, about))
            script = self.scripts[part].get(about, self.scripts[part].get("", ()))
            return script[request.turn - 1]

        return scripted_model(play=play, name=role)


def cast(
    supervisor: Script,
    researcher: Mapping[str, Script] | None = None,
    synthesis: Mapping[str, Script] | None = None,
    report: Script = (REPORT,),
    understanding: Script = (),
    **given: Any,
) -> Cast:
    """A cast whose researchers search feeders and finish, and whose syntheses report that, unless told otherwise."""
    usual = {"": (calls(FEEDER), calls(DONE))}
    return Cast(
        {
            "supervisor": {"": supervisor},
            "researcher": usual | dict(researcher or {}),
            "synthesis": {"": (reported("P:B0TEST0001"),)} | dict(synthesis or {}),
            "report": {"": report},
            UNDERSTANDING: {"": understanding},
        },
        **given,
    )


def perform(world: World, cast: Cast, **given: Any) -> Recorded:
    """One run of hybrid_react by this cast."""
    return record(world, sut(world, cast.models(), "hybrid_react", **given))
