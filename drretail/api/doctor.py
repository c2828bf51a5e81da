"""``doctor``: what works on this machine, and how to mend the rest, in a line for each thing."""

import os
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, version
from typing import Literal, cast

from drretail.api.models import Opener
from drretail.api.option import accepts
from drretail.api.options.shared import text_list
from drretail.api.options.shops import DoctorOptions
from drretail.api.settings import read_settings
from drretail.errors import ModelError, UserError, install_line, without_keys
from drretail.event_loop import run_loop
from drretail.llm.faults import AGAIN, Halt, status_of
from drretail.llm.providers import PROVIDERS
from drretail.llm.registry import check_spec
from drretail.plugins import Plugins
from drretail.records.base import Record
from drretail.records.models import ModelChoice
from drretail.viewer.drawing.progress import busy
from drretail.viewer.drawing.result import Result
from drretail.viewer.drawing.table import table_of

CHECKS = Plugins("check of a machine", {}, "drretail.machine_checks")
MARKS = {"ok": "✓", "absent": "–", "broken": "✗"}
PACKAGES = {
    "langchain-openai": "openai",
    "langchain-ollama": "ollama",
    "langchain-google-genai": "google",
    "starlette": "ui",
    "mcp": "mcp",
    "pyspark": "spark",
    "markitdown": "documents",
    "inspect-ai": "inspect",
    "verifiers": "verifiers",
    "openenv-core": "openenv",
}
"""The extra that brings each package."""


class Sign(Record):
    """The state of one thing that was examined."""

    what: str
    state: Literal["ok", "absent", "broken"]
    """``absent``: something optional is missing. ``broken``: something requested does not work."""
    found: str
    mend: str | None = None


@accepts(DoctorOptions)
def check_machine(options: DoctorOptions) -> Result[list[Sign]]:
    """What was found on this machine. Raises UserError for an unknown model."""
    models, opener = dict.fromkeys(text_list(options.model)), Opener(read_settings(), options.base_url)
    for spec in models:
        check_spec(spec)
    with busy("checking this machine"):
        signs = [*examine(os.environ), *(examine_model(spec, opener) for spec in models)]
    wrong = sum(sign.state == "broken" for sign in signs)
    document = {"ok": not wrong, "signs": [sign.model_dump(mode="json", exclude_none=True) for sign in signs]}
    rows = [(MARKS[sign.state], sign.what, ": ".join(filter(None, (sign.found, sign.mend)))) for sign in signs]
    table = table_of("", ["", "what", "found"], rows)
    return Result(
        signs, document, [table, f"{wrong} to mend (✗)." if wrong else "Everything that is needed works."], left=wrong
    )


def examine(environ: Mapping[str, str]) -> Iterator[Sign]:
    """All that can be checked without a model."""
    yield Sign(what="Python", state="ok", found=f"{'.'.join(map(str, sys.version_info[:3]))} ({sys.executable})")
    for name, extra in PACKAGES.items():
        try:
            yield Sign(what=name, state="ok", found=version(name))
        except PackageNotFoundError:
            yield Sign(what=name, state="absent", found="not installed", mend=install_line(extra))
    for name, keys in ((name, provider.key_variables) for name, provider in PROVIDERS.items()):
        present = next((variable for variable in keys if environ.get(variable)), None)
        if present:
            yield Sign(what=f"key of {name}", state="ok", found=f"{present} is set")
        elif keys:
            yield Sign(what=f"key of {name}", state="absent", found=f"{' or '.join(keys)} is not set")
    for name in CHECKS.own:  # what add-ons need besides packages, such as Java
        yield cast(Callable[[Mapping[str, str]], Sign], CHECKS.load(name)[1])(environ)


def examine_model(spec: str, opener: Opener) -> Sign:
    """Asks a model for one word. It costs a few tokens, so only named models are asked."""
    from langchain_core.messages import HumanMessage

    from drretail.llm.calling import answer_of

    try:
        (model,) = opener.open_all([ModelChoice(model=spec)])
        model = replace(model, halt=Halt())
        answer = run_loop(answer_of(model, [HumanMessage("Answer with the one word: ready")]))
    except UserError as problem:
        reason = str(problem).removesuffix(AGAIN).rstrip(", ")  # nothing here continues
        return Sign(what=f"model {spec}", state="broken", found=reason)
    except ModelError as problem:
        # A limit and a status speak for themselves; an answer of another form is often not a model server's.
        is_unlike = problem.kind == "model" and status_of(problem) is None
        mend = "check its address (--base-url, drretail.toml)" if is_unlike else None
        reason = f"{problem.kind}: {problem.message}"
        return Sign(what=f"model {spec}", state="broken", found=reason, mend=mend)
    return Sign(what=f"model {spec}", state="ok", found=f"answers: {' '.join(without_keys(answer.text).split())[:40]}")
