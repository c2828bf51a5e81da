"""The options of ``doctor`` and ``prompts``. Their docstrings are the commands' help."""

from dataclasses import KW_ONLY, dataclass
from pathlib import Path
from typing import Annotated

from drretail.api.option import Option
from drretail.api.options import research, shared


@dataclass(frozen=True, slots=True)
class DoctorOptions:
    """Checks this machine, and the models that you name.

    Exit code 3: something needed does not work.
    """

    model: Annotated[
        shared.Texts, Option("A model to test. It is asked for one word.", metavar="PROVIDER:MODEL", type=list[str])
    ] = ()
    _: KW_ONLY
    base_url: research.BaseUrl = ()


@dataclass(frozen=True, slots=True)
class PromptsOptions:
    """Writes the prompts and criteria of agents, judges and makers of queries to files.

    To use changed files: --prompts DIR of `run`, `score` and `queries`. docs/results.md says which stand for
    the paper's.
    """

    whose: Annotated[
        shared.Texts, Option("Agents, or judges (default: all).", argument=True, metavar="AGENT|judges", type=list[str])
    ] = ()
    _: KW_ONLY
    to: Annotated[str | Path, Option("The folder to write the prompts to.", metavar="DIR")]
