"""docs/reference/python.md: every name of Python that stays the same, from signatures, options and docstrings."""

import ast
import inspect
import re
from collections.abc import Iterator
from importlib import import_module

from drretail.api.option import DeclaredOption, declared_options, python_help
from scripts.reference.markdown import code, escaped, fence, item, link, page, paragraphs
from scripts.reference.source import Function, Source, call, description, signature, source_of, spelled

INTRO = """\
These names and their meanings [stay the same](../README.md#what-stays-the-same) within 2.x. `help(NAME)` prints the \
same. Examples: [from Python](../experiments.md#from-python), [agents of your own](../agents.md#your-own-agent), \
[metrics of your own](../scores.md#a-metric-of-your-own).

Where the help of an option names a flag such as `--by`, that is the keyword `by`. A `UserError` is raised for what \
you must mend; its message says how."""
NAMES = {
    "Worlds and models": (
        "drretail: demo open_world open_model download synth ingest check Checked Result check_machine show_tools",
        "drretail: serve_tools write_prompts",
        "drretail.api.shops.world: info check copy",
        "drretail.env.world: World",
    ),
    "Queries": (
        "drretail.api.queries: generate import_questions check decide show shipped spoil converse",
        "drretail.api.queries: personas context pair",
    ),
    "Runs": (
        "drretail: run ask open_experiment read_experiment reproduce",
        "drretail.api.run: estimate_run",
        "drretail.api.recorded: RecordedExperiment RecordedAnswer",
        "drretail.addons.reproduction.reproduce: Reproduction",
        "drretail.records.query: Query",
        "drretail.records.wish: Wish Want Demand Source",
        "drretail.records.criteria: Needs NeedProof",
        "drretail.records.run: Run Step Limits",
        "drretail.records.evidence: Citation Evidence",
        "drretail.llm.estimates: Estimate",
        "drretail.api.options.observer: Observer",
    ),
    "Scores": (
        "drretail: score verify check Checked",
        "drretail.api.score: estimate_score",
        "drretail.api.recorded_scores: RecordedScores JudgingOutcome",
        "drretail.records.score: Score",
        "drretail.records.comparison: PairScore",
        "drretail.addons.reproduction.verify: Verification Check",
    ),
    "Comparisons": (
        "drretail: compare",
        "drretail.api.compare: Compared",
        "drretail.records.comparison: Comparison JudgeTable ComparedRow",
    ),
    "Reports": (
        "drretail: report export import_reports forget vote",
        "drretail.addons.exports.commands: Exported",
        "drretail.addons.assistants.forget: Forgotten",
        "drretail.addons.people.results: VoteResults",
    ),
    "Sandboxes": (
        "drretail: build_sandbox check_sandbox",
        "drretail.addons.sandboxes.commands: BuiltSandbox CheckedSandbox",
    ),
    "How good the judge is": ("drretail.addons.lab.commands: card sample correct agree",),
    "Agents and tools": (
        "drretail: Agent Answer Tool shop_tools try_agent",
        "drretail.records.reading: Pick Outcome",
        "drretail.records.query: Task",
        "drretail.tools.tool: ToolResult",
        "drretail.tools.toolkit: Toolkit ToolReply",
    ),
    "Conditions": ("drretail: Condition",),
    "Metrics": (
        "drretail: Metric metric Value",
        "drretail.eval.judging.subject: Subject",
        "drretail.records.score: MetricDescription",
    ),
    "Reinforcement learning": ("drretail.addons.gym: ShopEnv Shop reward_of Reward split try_agent",),
    "Errors": ("drretail.errors: DrretailError UserError UnknownName CommandStopped ToolError NotFound ModelError",),
}
"""What docs/README.md promises to keep: by heading, where each name is imported from."""
HIDDEN = {"field_validator", "model_validator", "field_serializer", "overload"}


def python_page() -> str:
    index: list[str] = []
    sections: list[str] = []
    described: dict[str, str] = {}
    for heading, places in NAMES.items():
        sections.append(f"## {heading}")
        links: list[str] = []
        for place in places:
            module, _, names = place.partition(": ")
            for name in names.split():
                source, node = found(module, name)
                is_class = isinstance(node, ast.ClassDef)
                title = f"class {name}" if is_class else f"{name}()"
                blocks = class_blocks(node, source) if is_class else function_blocks(node, source, described)
                sections += [f"### {title}", code(f"from {module} import {name}"), *blocks]
                links.append(link(name, title))
        index.append(item(heading, ", ".join(links)))
    return page(["# Python", INTRO, "\n".join(index), *sections])


def found(module: str, name: str) -> tuple[Source, ast.ClassDef | Function]:
    """The definition of a name, wherever the module has it from."""
    source = source_of(module)
    while (imported := source.imported(name)) is not None:
        source, name = imported
    return source, source.definition(name)


def function_blocks(node: Function, source: Source, described: dict[str, str]) -> list[str]:
    """Signature, docstring, and each option; ``described`` says which function lists those of a record already."""
    about = paragraphs(ast.get_docstring(node))
    accepted = [
        each for each in node.decorator_list if isinstance(each, ast.Call) and ast.unparse(each.func) == "accepts"
    ]
    if not accepted:
        return [fence("python", signature(node, source, node.name)), *about]
    record = ast.unparse(accepted[0].args[0])
    module, _ = source.imports.get(record, (source.module, record))
    options = getattr(import_module(module), record)
    declared = declared_options(options)
    parameters = inspect.signature(options).parameters
    first = [option for option in declared if parameters[option.name].kind is not inspect.Parameter.KEYWORD_ONLY]
    shown = [each.name if each.is_required else f"{each.name}={each.default!r}" for each in first]
    shown += ["*", "..."] if len(first) < len(declared) else []
    signed = fence("python", call(node.name, shown, spelled(node.returns, source)))
    other = described.setdefault(record, node.name)
    if other != node.name:
        return [signed, *about, f"Its options are those of {link(other, other)}."]
    return [signed, *about, "\n".join(option_line(each, options) for each in declared)]


def option_line(option: DeclaredOption, options: type) -> str:
    """An option with its type, its default and its help."""
    holder = next(base for base in options.__mro__ if option.name in inspect.get_annotations(base))
    source = source_of(holder.__module__)
    fields = [field for field in source.definition(holder.__name__).body if isinstance(field, ast.AnnAssign)]
    kind = next(spelled(each.annotation, source) for each in fields if ast.unparse(each.target) == option.name)
    shown = option.option.default or ("" if option.default in (None, (), "") else code(repr(option.default)))
    notes = ["required"] if option.is_required else [f"default {shown}"] if shown else []
    return item(f"`{option.name}` ({', '.join([code(kind), *notes])})", escaped(python_help(option)))


def class_blocks(node: ast.ClassDef, source: Source) -> list[str]:
    """Docstring, then fields, properties and methods; those that drretail's own bases have follow."""
    lines: list[str] = []
    for definition, place in with_bases(node, source):
        for member in definition.body:
            if isinstance(member, ast.AnnAssign) and not ast.unparse(member.target).startswith("_"):
                lines.append(field_line(member, definition, place))
        lines += method_lines(definition, place)
    return [*paragraphs(ast.get_docstring(node)), *filter(None, ["\n".join(lines)])]


def field_line(field: ast.AnnAssign, node: ast.ClassDef, source: Source) -> str:
    """A field with its type, its default where that is a plain value, and what is said of it."""
    given = {each.arg: each.value for each in getattr(field.value, "keywords", ())}
    default = ast.unparse(given.get("default", field.value or ast.Constant(None)))
    is_plain = re.fullmatch(r"True|False|-?[\d.]+|'[^']+'", default) is not None
    notes = [f"default `{default}`"] if is_plain else []
    name = f"`{ast.unparse(field.target)}` ({', '.join([code(spelled(field.annotation, source)), *notes])})"
    return item(name, in_one_line(description(node, field, source)))


def with_bases(node: ast.ClassDef, source: Source) -> Iterator[tuple[ast.ClassDef, Source]]:
    yield node, source
    for base in map(ast.unparse, node.bases):
        imported = source.imported(base)
        if imported is not None and base not in ("Record", "Document"):  # these two are pydantic's settings
            place, name = imported
            definition = place.definition(name)
            assert isinstance(definition, ast.ClassDef)
            yield from with_bases(definition, place)


def method_lines(node: ast.ClassDef, source: Source) -> Iterator[str]:
    """Each public property and method, and how one is made where the class says so."""
    for method in node.body:
        if not isinstance(method, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        decorators = {ast.unparse(each).partition("(")[0] for each in method.decorator_list}
        is_made = method.name == "__init__"
        if (method.name.startswith("_") and not is_made) or decorators & HIDDEN:
            continue
        if decorators & {"property", "cached_property"}:
            name = f"`{method.name}` (`{spelled(method.returns, source)}`)"
        else:
            shown = node.name if is_made else f".{method.name}"
            signed = signature(method, source, shown, is_method="staticmethod" not in decorators)
            name = code(" ".join(signed.split()).replace("( ", "(").replace(", )", ")"))
        yield item(name, in_one_line(ast.get_docstring(method)))


def in_one_line(docstring: str | None) -> str:
    return " ".join(paragraphs(docstring))
