"""Writes docs/prompts.md: every prompt of every agent as its model gets it.

    python -m scripts.write_prompts_page

Each agent answers one question in a tiny shop, by offline:shopper, and what it was sent is taken from the run's
journal. What a run seldom says (at a limit, after an announcement, for missing picks) is filled in from its prompt
file. Data inside tags is left out. A test holds the page in step with the code.
"""

import asyncio
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from drretail.agents.base import Agent
from drretail.agents.information import context_prompt
from drretail.agents.page_reading import reading_pages
from drretail.agents.picks import asking_prompt
from drretail.agents.react import STOPS
from drretail.agents.registry import BUILT_IN, load_agent
from drretail.agents.running.runner import Runner
from drretail.agents.running.system import SystemUnderTest
from drretail.env.web.sandbox import SandboxWeb
from drretail.env.world import World, open_world
from drretail.journal import read_effects
from drretail.llm.registry import open_model
from drretail.prompts import Prompt, tagged
from drretail.records.query import Query
from drretail.records.run import INFORMATION, Limits
from tests.shop import PAGES, USER, build

PAGE = Path(__file__).parents[1] / "docs" / "prompts.md"
QUERY = Query(query_id="q", user_id=USER, text="Which bird feeder for under $60, and how do I clean it?", source="test")
WHOLE = ("turns",)
"""Tags whose content is shown: it is ours."""
TITLES = {
    "react": "`react`",
    "plan_to_function": "`plan_to_function`",
    "hybrid_react": "`hybrid_react`",
    "grounded_hybrid": "`grounded_hybrid`",
    "dr3": "`dr3`",
}
WHEN = {
    "conclude": "At a limit, in place of a further turn",
    "report_on_plan": "After the results of the planned calls",
    "nothing_looked_up": "Once, when the work would end and nothing was looked up",
    "report_or_call": "Once, when a turn without calls neither cites nor declares picks",
    "file_reader": "Role `reader`, for each part of a file that is asked about",
    "retriever_limit": "At its limit, to the role `retriever`",
    "understanding": "Role `supervisor`, before anything else",
    "repair": "Role `report`, when the verifier found faults in the draft",
    "ask_picks": "The writer of the report, once, when its picks are missing or can't be read",
    "summarise_page": "Role `summariser`, for each page that a search found",
    "told_task": "Behind the question, with `--information task`",
    "told_context": "Behind the question, with `--information context`; the context in its tag follows",
    "told_persona": "Behind the question, with `--information persona`; the persona in its tag follows",
    "moves": "The moves, as tools: `Reason` and `Finalize` for researchers, all three for the supervisor",
}
INTRODUCTION = """# The prompts, as they are sent

Every prompt of every agent as its model gets it, with the default limits: the system message whole, then the tags of
the first message to follow it (their data is left out: `…`). Tool results follow as tool messages. Made by
`python -m scripts.write_prompts_page`; a test holds it in step with the code. `drretail prompts --to DIR` writes the
files behind it, to be changed: [agents.md](agents.md), "Working on prompts".

What writers of reports are told of form, facts, marks, cart and data is the same text in all agents, from one file for
each in `drretail/agents/prompts/` (`report_form`, `facts`, `citing`, `picks`, `data`), so that agents differ in their
graph and not in what a report should look like. With `+ws` prompts are the same; the summariser below reads for them.
"""


@dataclass(frozen=True, slots=True)
class Sent:
    """One kind of conversation: the role, and its messages before the model's first answer."""

    role: str
    system: str
    first: str


def page() -> str:
    """The text of docs/prompts.md."""
    with TemporaryDirectory() as folder:
        shop = build(Path(folder) / "world")
        with open_world(shop, web=SandboxWeb(PAGES)) as world:
            parts = [INTRODUCTION, *(_agent(name, world, Path(folder)) for name in BUILT_IN)]
    return "\n".join([*parts, _shared()])


def _agent(name: str, world: World, folder: Path) -> str:
    agent = load_agent(name)
    sent = list(_sent(name, agent, world, folder / f"{name}.jsonl"))
    names = {_filled(prompt): prompt.name for prompt in agent.prompts()}
    shown = {names.get(each.system) for each in sent}
    lines = [f"## {TITLES[name]}", ""]
    for it in sent:
        heading = WHEN.get(names.get(it.system, ""), f"Role `{it.role}`")
        lines += [f"### {heading}", "", _fenced(f"{it.system.rstrip()}\n\n{it.first}"), ""]
    for prompt in agent.prompts():
        if prompt.name not in shown and prompt.name not in ALWAYS:
            lines += [f"### {WHEN[prompt.name]}", "", _fenced(_filled(prompt)), ""]
    return "\n".join(lines)


ALWAYS = ("nothing_looked_up", "report_or_call", "moves")
"""Alike in several agents: shown once, at the end."""


def _shared() -> str:
    prompts = {prompt.name: prompt for name in BUILT_IN for prompt in load_agent(name).prompts()}
    (summary,) = reading_pages(load_agent("react")).prompts()[len(load_agent("react").prompts()) :]
    lines = ["## What several agents send", ""]
    shopper = filter(None, map(context_prompt, INFORMATION))
    for prompt in [*(prompts[name] for name in ALWAYS), asking_prompt(), summary, *shopper]:
        lines += [f"### {WHEN[prompt.name]}", "", _fenced(_filled(prompt)), ""]
    return "\n".join(lines).rstrip() + "\n"


def _sent(name: str, agent: Agent, world: World, journal: Path) -> Iterator[Sent]:
    """The first request of each role in a run."""
    sut = SystemUnderTest.of(name, agent, {"": open_model("offline:shopper")}, world)
    asyncio.run(Runner(world, "w").run(sut, QUERY, journal=journal))
    seen: set[str] = set()
    for effect in read_effects(journal):
        messages: list[dict[str, Any]] = effect.request.get("messages", [])
        if [message["role"] for message in messages] == ["system", "human"] and messages[0]["content"] not in seen:
            seen.add(messages[0]["content"])
            yield Sent(effect.role or "", messages[0]["content"], _without_data(messages[1]["content"]))


def _without_data(message: str) -> str:
    """The tags of a message, without what they hold."""
    tag = re.compile(r"^<(?P<name>\w+)>\n(?P<data>.*?)\n</(?P=name)>$", re.MULTILINE | re.DOTALL)
    return tag.sub(lambda it: it[0] if it["name"] in WHOLE else f"<{it['name']}>…</{it['name']}>", message)


def _filled(prompt: Prompt) -> str:
    """The prompt with the default limits; of the moves what a model is told of each."""
    if prompt.name == "moves":
        tools = json.loads(prompt.text)
        return "\n\n".join(f"{tool['name']}: {tool['description']}" for tool in tools)
    limits = Limits()
    turns = {"supervisor": limits.supervisor_turns, "retriever": limits.rag_turns}
    values = {
        "turns": str(turns.get(prompt.name, limits.tool_turns)),
        "researchers": str(limits.researchers),
        "stop": tagged("stop", STOPS["turn_limit"]),
    }
    return prompt.render(**{name: value for name, value in values.items() if f"{{{{{name}}}}}" in prompt.text})


def _fenced(text: str) -> str:
    return f"~~~~text\n{text.rstrip()}\n~~~~"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
