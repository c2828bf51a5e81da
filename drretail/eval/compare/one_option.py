"""An experiment's systems grouped by what they are apart from one option: that of an ablation."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from drretail.experiment import Definition
from drretail.records.comparison import Option
from drretail.records.run import BASELINES, BM25, INFORMATION, INFORMED, RETRIEVER, SANDBOX, Limits, System

SIZE, COMPOSE = "size", "compose"
"""The options of a System on a sealed web: which size of it, and what of that is served where that is not all."""
COMPOSITIONS = ("all", "no_distractor", "supportive_only", "no_supportive")
NO_WEB = "none"
_SIZE = re.compile(r"(\d+)([km]?)")
_TIMES = {"": 1, "k": 1_000, "m": 1_000_000}
Settings = Mapping[str, str]
"""The labels of one agent by setting, in their order."""


@dataclass(frozen=True, slots=True)
class AblatedOption:
    """One option that systems may differ in."""

    setting: Callable[[System], str | None]
    """A system's; None of one that the option does not touch."""
    without: Callable[[System], System]
    """The same system apart from it: equal ones stand in one row."""
    order: Callable[[str], tuple[float, str]]
    """Where a setting stands among the others."""
    is_stepwise: bool
    """True where each setting is held beside the one before it, False where beside the first of all."""
    lacking: str
    """What to do where no agent ran in two settings."""
    number: Callable[[str], float | None] = lambda _: None
    """A setting as a number, where it is one."""
    kind: Callable[[str], str] = lambda setting: setting
    """What at least two have to differ in."""


def agents_by_setting(definition: Definition, by: Option) -> dict[str, Settings]:
    """By the label of the agent apart from the option: its systems by setting, where these are two or more.

    Floors and the oracle are left out.
    """
    option = ABLATED[by]
    found: dict[str, dict[str, str]] = {}
    places: dict[str, tuple[str, float]] = {}
    for label, system in definition.systems.items():
        setting = None if system.agent in BASELINES else option.setting(system)
        if setting is not None:
            apart = option.without(system)
            found.setdefault(apart.label(), {})[setting] = label
            places[apart.label()] = _place(apart)
    return {
        agent: {each: its[each] for each in sorted(its, key=option.order)}
        for agent, its in sorted(found.items(), key=lambda each: places[each[0]])
        if len({option.kind(each) for each in its}) > 1
    }


def _place(system: System) -> tuple[str, float]:
    """By name, and of one on several sizes by these."""
    return _dropping(system, SIZE).label(), tokens_of(system.options.get(SIZE, "")) or 0.0


def tokens_of(size: str) -> float | None:
    """The tokens of "64k"; None of a size whose name doesn't say them."""
    found = _SIZE.fullmatch(size)
    return None if found is None else float(found[1]) * _TIMES[found[2]]


def _listed(known: Sequence[str]) -> Callable[[str], tuple[float, str]]:
    return lambda setting: (known.index(setting) if setting in known else len(known), setting)


def _counted(number: Callable[[str], float | None]) -> Callable[[str], tuple[float, str]]:
    def key(setting: str) -> tuple[float, str]:
        found = number(setting)
        return float("inf") if found is None else found, setting

    return key


def _dropping(system: System, *names: str, tools: str = "", **more: object) -> System:
    """The system without these options, and as if it had that family of tools."""
    kept = {name: value for name, value in system.options.items() if name not in names}
    if "without" in kept and tools:
        left = [each for each in kept.pop("without") if each != tools]
        kept |= {"without": left} if left else {}
    return system.model_copy(update={"options": kept, **more})


def _without_information(system: System) -> System:
    return system if system.information == "tools" else _dropping(system, INFORMED, tools="user")


def _composition(system: System) -> str | None:
    return system.options.get(COMPOSE, "all") if SIZE in system.options else None


def _web(system: System) -> str | None:
    """What is served of a sealed web is none of its own: with less than all of it a system is left out."""
    if COMPOSE in system.options:
        return None
    if "web" in system.options.get("without", ()):
        return NO_WEB
    return " ".join(filter(None, (system.web_provider, system.options.get(SIZE))))


def _web_order(setting: str) -> tuple[float, str]:
    """The open web first, then fixed pages by size, none last."""
    provider, _, size = setting.partition(" ")
    place = {SANDBOX: 1.0, NO_WEB: 3.0}.get(provider, 0.0)
    return place + (tokens_of(size) or 0) / 1e12, setting


def _without_web(system: System) -> System:
    return _dropping(system, SIZE, tools="web", web_provider=SANDBOX, web_corpus=None)


ABLATED: Mapping[Option, AblatedOption] = {
    "information": AblatedOption(
        setting=lambda system: system.information,
        without=_without_information,
        order=_listed(INFORMATION),
        is_stepwise=True,
        lacking="two settings of information: run it with --information task --information persona into the same "
        "folder (docs/pdr.md)",
    ),
    "size": AblatedOption(
        setting=lambda system: system.options.get(SIZE),
        without=lambda system: _dropping(system, SIZE, web_corpus=None),
        order=_counted(tokens_of),
        is_stepwise=True,
        lacking="two sizes of a sandbox: run it with --size 64k and then --size 512k into the same folder "
        "(docs/sandboxes.md)",
        number=tokens_of,
    ),
    "compose": AblatedOption(
        setting=_composition,
        without=lambda system: _dropping(system, COMPOSE, web_corpus=None),
        order=_listed(COMPOSITIONS),
        is_stepwise=False,
        lacking="two compositions of a sandbox: run it with and without --compose no_distractor into the same folder "
        "(docs/sandboxes.md)",
    ),
    "retriever": AblatedOption(
        setting=lambda system: system.options.get(RETRIEVER, BM25),
        without=lambda system: _dropping(system, RETRIEVER),
        order=_listed((BM25,)),
        is_stepwise=False,
        lacking="two retrievers: run it with and without --retriever dense:PROVIDER:MODEL into the same folder "
        "(docs/sandboxes.md)",
    ),
    "rag_turns": AblatedOption(
        setting=lambda system: str(system.limits.rag_turns),
        without=lambda system: system.model_copy(
            update={"limits": system.limits.model_copy(update={"rag_turns": Limits().rag_turns})}
        ),
        order=_counted(float),
        is_stepwise=True,
        lacking="two limits of turns: run it with --limit rag_turns=2 and then --limit rag_turns=8 into the same "
        "folder (docs/sandboxes.md)",
        number=float,
    ),
    "web": AblatedOption(
        setting=_web,
        without=_without_web,
        order=_web_order,
        is_stepwise=False,
        lacking="two modes of the web: run it with --web sandbox:S, --web serper and --without web into the same "
        "folder (docs/sandboxes.md)",
        kind=lambda setting: setting.partition(" ")[0],
    ),
}
