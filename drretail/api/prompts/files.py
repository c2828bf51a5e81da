"""All prompts and criteria that a user's folder may replace, by who is told them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from drretail.agents.prompt_files import prompt_files, with_pages
from drretail.agents.registry import BUILT_IN
from drretail.eval.method import judge_prompt_files
from drretail.llm.prompts.prompt import changed_prompts, files_by_name
from drretail.plugins import Plugins
from drretail.querygen.by_model.decide import decide_prompt
from drretail.querygen.by_model.opinion import opinion_prompt
from drretail.querygen.by_model.prompt import OPTIONAL
from drretail.querygen.by_model.prompt import prompts as query_prompts

ADDED = Plugins("maker of queries", {}, "drretail.query_prompts")


@dataclass(frozen=True, slots=True)
class ToldPrompt:
    """A packaged file, and the names of those who are told it."""

    path: Path
    told_to: list[str]


def query_prompt_files() -> dict[str, Path]:
    """The packaged prompt files of writers and readers of queries, by the name under which each can be overridden."""
    of_addons = (cast(Callable[[], object], ADDED.load(name)[1]) for name in ADDED.own)
    return files_by_name((query_prompts, decide_prompt, opinion_prompt, *of_addons))


def all_prompt_files() -> dict[str, Path]:
    """The files of the built-in agents, of all judges and of all makers of queries, by name."""
    return prompt_files(with_pages().values()) | judge_prompt_files() | query_prompt_files()


def read_query_prompts(folder: Path) -> dict[Path, str]:
    """The prompts of query makers in ``folder`` that differ from the packaged ones; raises as ``changed_prompts``."""
    return changed_prompts(folder, query_prompt_files(), others=all_prompt_files(), optional=OPTIONAL)


def prompts_told(agents: Sequence[str] = (), *, only_judges: bool = False) -> dict[str, ToldPrompt]:
    """The files of these agents or of the judges alone, or those of all, by name."""
    prompts: dict[str, ToldPrompt] = {}
    used = {} if only_judges else {name: prompt_files([each]) for name, each in with_pages(agents or BUILT_IN).items()}
    for name, own in used.items():
        plain = name.removesuffix("+ws")
        for file, path in own.items():
            users = prompts.setdefault(file, ToldPrompt(path, [])).told_to
            if plain == name or file not in used[plain]:  # NAME+ws is not listed beside NAME for the same file
                users.append(name)
    prompts = dict(sorted(prompts.items()))
    if agents:
        return prompts
    prompts |= {
        name: ToldPrompt(path, [f"judges of {name.split('/')[0]}"]) for name, path in judge_prompt_files().items()
    }
    if not only_judges:
        prompts |= {name: ToldPrompt(path, ["makers of queries"]) for name, path in query_prompt_files().items()}
    return prompts
