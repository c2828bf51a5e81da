"""The agents' prompts as files that a user may override: ``react.md``, ``picks.md``, ``hybrid_react/report.md``."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from drretail.agents.base import Agent
from drretail.agents.page_reading import reading_pages
from drretail.agents.picks import asking_prompt
from drretail.agents.prompt_blocks import BLOCKS
from drretail.agents.registry import BUILT_IN, load_agent, split_web_mode
from drretail.errors import UserError
from drretail.llm.prompts.prompt import Prompt, changed_prompts, files_loaded, overridden
from drretail.records.run import PromptSet

_AGENTS = Path(__file__).parent


def wordings_of(agent: Agent) -> tuple[Prompt, ...]:
    """Every prompt that the agent uses, and the one that asks its writer for missing picks."""
    asking = () if agent.writer is None else (asking_prompt(),)
    return (*agent.prompts(), *asking)


def prompt_files(agents: Iterable[Agent]) -> dict[str, Path]:
    """The packaged files of all prompts of these agents, by the name under which each is overridden."""
    paths = {path for agent in agents for path in files_loaded(lambda agent=agent: wordings_of(agent))}
    return dict(sorted((_name(path), path) for path in paths))


def with_pages(names: Iterable[str] = BUILT_IN) -> dict[str, Agent]:
    """The agents of these names, each also as it reads whole pages (``+ws``); by default the built-in agents."""
    plain = {name: load_agent(name) for name in dict.fromkeys(split_web_mode(name)[0] for name in names)}
    return {
        each: agent
        for name, plain_agent in plain.items()
        for each, agent in ((name, plain_agent), (f"{name}+ws", reading_pages(plain_agent)))
    }


@dataclass(frozen=True, slots=True)
class Overrides:
    """The texts that replace packaged prompts, by file. ``name`` is that of the folder they came from."""

    name: str = ""
    texts: Mapping[Path, str] = field(default_factory=dict[Path, str])

    def of(self, agent: Agent) -> "Overrides":
        """The overrides that the agent uses. An overridden prompt may use other shared parts than the packaged one."""
        if not self.texts:
            return self
        with overridden(self.texts):
            used = files_loaded(lambda: wordings_of(agent))
        return Overrides(self.name, {path: text for path, text in self.texts.items() if path in used})

    def as_record(self) -> PromptSet | None:
        """The hashes that a system records of them; None without any."""
        hashes = {name: Prompt(name, text).hash for name, text in self.by_name().items()}
        return PromptSet(name=self.name, hashes=hashes) if hashes else None

    def by_name(self) -> dict[str, str]:
        return dict(sorted((_name(path), text) for path, text in self.texts.items()))

    def unused(self, used: Iterable["Overrides"]) -> str:
        """The names of these that are in none of ``used``. Raises UserError if that is all, so nothing would change."""
        idle = self.texts.keys() - {path for overrides in used for path in overrides.texts}
        names = ", ".join(sorted(map(_name, idle)))
        if idle and len(idle) == len(self.texts):
            raise UserError(
                f"{self.name} changes {names}, which no agent of this run is told: drretail prompts lists what each "
                "is told."
            )
        return names


NO_OVERRIDES = Overrides()


def read_overrides(folder: Path, agents: Iterable[Agent], others: Collection[str] = ()) -> Overrides:
    """The texts in ``folder`` that differ from the packaged prompts of the same names.

    They may be prompts of ``agents`` and of the built-in ones; hidden files are skipped. Raises UserError if the folder
    is missing or changes nothing, and for a file with a wrong name, without text, or with other placeholders than the
    packaged prompt. Parts that prompts share may be left out or added. ``others`` are files for other commands.
    """
    known = prompt_files([*with_pages().values(), *agents])
    texts = changed_prompts(folder, known, BLOCKS, others=others)
    return Overrides(folder.resolve().name, texts)


def _name(path: Path) -> str:
    """``react.md``, ``hybrid_react/report.md``; for an agent from elsewhere, its folder's name precedes the file's."""
    owner = path.parent.parent
    folder = owner.relative_to(_AGENTS) if owner.is_relative_to(_AGENTS) else Path(owner.name)
    return (folder / path.name).as_posix()
