"""Every prompt of agents and judges as a model receives it, from one question of the probes' shop, answered and judged.

Prompts that a run seldom sends (at a limit, after an announcement, for missing picks) are filled in from their files.
Data inside tags is left out.
"""

import json
import re
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from drretail.agents.base import Agent
from drretail.agents.information import ask_shopper_prompt, context_prompt, shopper_prompt
from drretail.agents.page_reading import reading_pages
from drretail.agents.picks import asking_prompt
from drretail.agents.react import STOPS
from drretail.agents.registry import BUILT_IN, load_agent
from drretail.agents.running.run import run
from drretail.agents.running.runner import Runner
from drretail.agents.running.system import SystemUnderTest, suts
from drretail.api.doctor.prompt_kit import QUESTION, USER, tiny_shop
from drretail.env.world import World
from drretail.eval.judging.session import Judge
from drretail.eval.method import judge_prompt_files
from drretail.eval.registry import METRICS, PAIRWISE, load_metric
from drretail.eval.scoring import score
from drretail.journal import read_effects
from drretail.llm.event_loop import run_loop
from drretail.llm.prompt import Prompt, packaged_text, tagged
from drretail.llm.registry import open_model
from drretail.llm.scripted import scripted_model
from drretail.llm.stand_in import StandIn, in_place_of
from drretail.progress import Progress
from drretail.records.query import Query
from drretail.records.run import INFORMATION, Limits

WHOLE = ("turns",)
"""Tags whose content is shown, since it is drretail's own text."""
WHEN: dict[str, str] = tomllib.loads(Path(__file__).with_name("when.toml").read_text(encoding="utf-8"))
"""When a model receives a prompt, by the name of its file."""
SHARED = ("nothing_looked_up", "report_or_call", "moves")
"""Prompts that several agents share, shown once, at the end."""
_TAG = re.compile(r"^<(?P<name>\w+)(?P<more>[^<>\n]*)>\n(?P<data>.*?)\n</(?P=name)>$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class SentPrompt:
    """One prompt: its agent or metric, when a model receives it, and its text."""

    of: str
    when: str
    text: str


def as_markdown(prompts: Iterable[SentPrompt]) -> str:
    """The prompts as one page, with a heading for each agent or metric."""
    lines: list[str] = []
    shown = ""
    for prompt in prompts:
        if prompt.of != shown:
            lines += [f"## {prompt.of}", ""]
            shown = prompt.of
        lines += [f"### {prompt.when}", "", "~~~~text", prompt.text.rstrip(), "~~~~", ""]
    return "\n".join(lines).rstrip()


def agents_prompts(names: Sequence[str] = ()) -> list[SentPrompt]:
    """Every prompt of these agents (without names, of all built-in ones), with the default limits.

    The system message is shown whole, then the tags of the message that follows it.
    """
    query = Query(query_id="q", user_id=USER, text=QUESTION, source="probe")
    agents = {name: load_agent(name) for name in names or BUILT_IN}
    with TemporaryDirectory() as folder, tiny_shop(Path(folder)) as world:
        prompts = [
            prompt
            for number, (name, agent) in enumerate(agents.items())
            for prompt in _of_agent(name, agent, world, query, Path(folder) / f"{number}.jsonl")
        ]
    by_name = {prompt.name: prompt for agent in agents.values() for prompt in agent.prompts()}
    react = load_agent("react")
    summaries = reading_pages(react).prompts()[len(react.prompts()) :]
    shared = [by_name[name] for name in SHARED if name in by_name]
    shared += [asking_prompt(), *summaries, *filter(None, map(context_prompt, INFORMATION))]
    shared += filter(None, [context_prompt("tools", remembers=True), ask_shopper_prompt(), shopper_prompt()])
    return [*prompts, *(SentPrompt("What several agents send", WHEN[each.name], _filled(each)) for each in shared)]


def _of_agent(name: str, agent: Agent, world: World, query: Query, journal: Path) -> Iterator[SentPrompt]:
    """The first request of each role in a run, then the prompts that this run did not send."""
    sut = SystemUnderTest.of(name, agent, {"": open_model("offline:shopper")}, world)
    run_loop(Runner(world, "w").run(sut, query, journal=journal))
    names = {_filled(prompt): prompt.name for prompt in agent.prompts()}
    sent: dict[str, SentPrompt] = {}
    for effect in read_effects(journal):
        messages = effect.request.get("messages", [])
        if [message["role"] for message in messages] == ["system", "human"]:
            system, first = (message["content"] for message in messages)
            when = WHEN.get(names.get(system, ""), f"Role `{effect.role}`")
            sent.setdefault(system, SentPrompt(f"`{name}`", when, f"{system.rstrip()}\n\n{_without_data(first)}"))
    yield from sent.values()
    for prompt in agent.prompts():
        if prompt.name not in SHARED and _filled(prompt) not in sent:
            yield SentPrompt(f"`{name}`", WHEN.get(prompt.name, f"`{prompt.name}`"), _filled(prompt))


def judges_prompts() -> list[SentPrompt]:
    """Every prompt of the judges of all metrics: one message, with the report and what it cites in tags.

    A stand-in judges two agents' reports on one question. A prompt that these reports don't cause is shown as in its
    file.
    """
    metrics = [name for name in METRICS if load_metric(name).needs_judge]
    judge = Judge.of(in_place_of(scripted_model(""), StandIn()))
    query = Query(query_id="q", user_id=USER, text=QUESTION, source="probe")
    with TemporaryDirectory() as folder, tiny_shop(Path(folder)) as world:
        experiment = Path(folder) / "experiment"
        agents = {name: load_agent(name) for name in ("react", "grounded_hybrid")}
        systems = suts(agents, {"": open_model("offline:shopper")}, world)
        run(experiment, Runner(world, "w"), systems, [query], seed="42", title="prompts")
        run_loop(score(experiment, (*metrics, PAIRWISE), [judge], store=world.store, progress=Progress()))
        journals = sorted((experiment / "verdicts").rglob("*.journal.jsonl"))
        messages = [effect.request["messages"][0]["content"] for path in journals for effect in read_effects(path)]
    files: dict[str, list[str]] = {}  # a block of several prompts is shown in the message that holds it
    for file, path in judge_prompt_files().items():
        text = packaged_text(path)
        own = max((line for line in text.splitlines() if "{{" not in line), key=len)
        sent = next((_without_data(message) for message in messages if own in message and path.suffix != ".toml"), text)
        files.setdefault(sent, []).append(file)
    return [
        SentPrompt(f"`{names[0].partition('/')[0]}`", ", ".join(f"`{name}`" for name in names), text)
        for text, names in files.items()
    ]


def _without_data(message: str) -> str:
    """The message without the content of its tags, except those of ``WHOLE``."""
    return _TAG.sub(
        lambda tag: tag[0] if tag["name"] in WHOLE else f"<{tag['name']}{tag['more']}>…</{tag['name']}>", message
    )


def _filled(prompt: Prompt) -> str:
    """The prompt with the default limits; for the moves, the name and description of each tool."""
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
