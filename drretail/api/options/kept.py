"""``options/<hash>.toml`` in an experiment's folder: the options that made its systems, as they were given."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, replace
from os.path import relpath
from pathlib import Path
from typing import Any, cast, get_origin

from drretail.agents.running.varied import Values, read_values
from drretail.api.option import RESUMING, DeclaredOption
from drretail.api.options.experiment_file import HEADER, chosen, entry, toml
from drretail.api.options.run import AskOptions, RunOptions, SystemOptions
from drretail.api.settings import OFFLINE_MODEL, Settings
from drretail.errors import UserError
from drretail.experiment import LABELS, NEEDS, OPTIONS
from drretail.records.run import Limits

ASIDE = frozenset({"world", "queries", "to", "title", "base_url", "parallel", "max_dollars", "max_tokens"})
"""Left out: on what the systems ran, where, and for how much. Options for ``RESUMING`` are left out, too, so that all
shards of an experiment keep the same file.
"""
FROM_OUTSIDE = ("agents", "web")
"""Options whose values name a module, a command, an address or a file if they contain a colon."""


def kept_options(options: RunOptions | AskOptions, settings: Settings, labels: Iterable[str], folder: Path) -> str:
    """A file for ``read_experiment``, with the labels of the systems that these options made in ``folder``.

    ``settings`` stand in for a model and a web that are not named. A value that only Python can give is a comment.
    """
    options = _as_run(options, settings)
    needs = ["--base-url"] if options.base_url else []
    entries: list[str] = []
    for option, value in chosen(options):
        if option.name in ASIDE or option.option.group == RESUMING:
            continue
        if option.kind is Path and not Path(value).expanduser().is_absolute():
            value = relpath(value, folder / OPTIONS)
        if get_origin(option.kind) is list and isinstance(value, str):  # as flags give it
            value = [value]
        try:
            entries.append(entry(option, value))
            needs += _needs(option, value, settings)
        except UserError:
            entries.append(f"# {option.name} was given in Python.\n")
            needs.append(f"{option.name} from Python")
    beside = [f"{LABELS} = {toml(LABELS, sorted(labels))}", f"{NEEDS} = {toml(NEEDS, needs)}"]
    return "\n".join([HEADER, "# The systems that these options make, and what they need.", *beside, "", *entries])


def _as_run(options: RunOptions | AskOptions, settings: Settings) -> RunOptions:
    """The options of ``run`` that make the same systems, with the settings in the place of what is not given."""
    if isinstance(options, AskOptions):
        shared = {field.name: getattr(options, field.name) for field in fields(SystemOptions)}
        shared |= {"agents": [options.agent], "model": options.model, "web": options.web}
        options = RunOptions(**shared, baselines=False)
    if options.model is None and options.model_profile is None:
        model = settings.model or (None if settings.model_profile else OFFLINE_MODEL)
        options = replace(options, model=model and [model], model_profile=settings.model_profile)
    if options.web is None and settings.web != Settings.model_fields["web"].default:
        options = replace(options, web=settings.web)
    if isinstance(options.limits, Limits):
        options = replace(options, limits=options.limits.model_dump(exclude_defaults=True))
    if isinstance(options.agents, Mapping):  # names that only Python can give
        options = replace(options, agents=[options.agents])
    return options


def _needs(option: DeclaredOption, value: Any, settings: Settings) -> Sequence[str]:
    """What of the option's value is not in the experiment's folder."""
    values = value.values() if isinstance(value, Mapping) else [value] if isinstance(value, str) else value
    match option.name:
        case "prompts" | "files":
            return [f"{option.name}: {value}"]
        case "model_profile":
            return [f"the profile {value}"] if value in settings.profiles else []
        case "model":
            return [text for text in values if "scripted:" in text]
        case "vary":
            varied = cast(Values, value)
            memories = read_values(varied["memory"]) if "memory" in varied else ()
            return [each for each in (*varied, *memories) if ":" in each]
        case name if name in FROM_OUTSIDE:
            return [text for text in values if ":" in text]
        case _:
            return []
