"""``prompts``: what agents, judges and makers of queries are told, as files to change and use instead.

Every prompt and criterion that a user's folder may replace stands here by who is told it.
"""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, cast

from drretail.agents.registry import BUILT_IN, prompt_files, with_pages
from drretail.api.option import accepts
from drretail.api.options.doctor import PromptsOptions
from drretail.api.options.shared import names_in
from drretail.errors import UserError
from drretail.eval.method import judge_prompt_files
from drretail.llm.prompt import changed_prompts, files_by_name, packaged_text, write_prompts
from drretail.plugins import Plugins
from drretail.querygen.by_model.prompt import OPTIONAL
from drretail.querygen.by_model.prompt import prompts as query_prompts
from drretail.querygen.by_model.reader import decide_prompt, opinion_prompt
from drretail.records.tables.figures import counted
from drretail.records.tables.result import Result
from drretail.records.tables.table import table_of

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


JUDGES = "judges"


@accepts(PromptsOptions)
def show_prompts(options: PromptsOptions) -> Result[Any]:
    """The prompts by the names of their files; with ``details`` as they are sent, with ``to`` written to files.

    Raises UserError for agents and judges at once, and UnknownName for an unknown agent.
    """
    agents = names_in(options.whose)
    judges = JUDGES in agents
    if judges and len(agents) > 1:
        raise UserError("Agents and judges are told different prompts: name one of the two.")
    if options.details:
        from drretail.api.doctor.sent_prompts import agents_prompts, as_markdown, judges_prompts

        if options.to is not None:
            raise UserError("--details prints one page, and --to writes the files: give one of the two.")
        sent = judges_prompts() if judges else agents_prompts(agents)
        return Result(sent, {"prompts": [asdict(prompt) for prompt in sent]}, [as_markdown(sent)])
    prompts, to = prompts_told([] if judges else agents, only_judges=judges), options.to
    listed = [
        {"file": name, "told_to": each.told_to, "text": packaged_text(each.path)} for name, each in prompts.items()
    ]
    document = {"folder": None if to is None else str(to), "prompts": listed}
    if to is None:
        rows = [(n, len(packaged_text(each.path).split()), ", ".join(each.told_to)) for n, each in prompts.items()]
        return Result(prompts, document, [table_of("Prompts", ["file", "words", "told to"], rows)])
    write_prompts(Path(to), {name: each.path for name, each in prompts.items()})
    note = f"{counted(len(prompts), 'file')}. Change some, then: drretail run …, score EXP or queries … --prompts {to}"
    return Result(prompts, document, [str(to)], notes=[note], path=Path(to))
