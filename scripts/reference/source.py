"""Modules as text: what they define and import, and types as a reader spells them.

Nothing is imported, so a page is the same bytes under every Python and whichever optional packages are there.
"""

import ast
from copy import deepcopy
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import chain
from pathlib import Path
from typing import cast

ROOT = Path(__file__).parents[2]
Function = ast.FunctionDef | ast.AsyncFunctionDef
LONGEST_LINE = 72  # of a signature: more is scrolled on a small screen


@dataclass(frozen=True)
class Source:
    """A module of drretail."""

    module: str

    @cached_property
    def nodes(self) -> list[ast.stmt]:
        path = ROOT / self.module.replace(".", "/")
        file = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
        return ast.parse(file.read_text(encoding="utf-8")).body

    @cached_property
    def imports(self) -> dict[str, tuple[str, str]]:
        """By its name here, the module and the name of what is imported, for type checkers as well."""
        nodes = chain(self.nodes, *(node.body for node in self.nodes if isinstance(node, ast.If)))
        found = [node for node in nodes if isinstance(node, ast.ImportFrom)]
        return {alias.asname or alias.name: (node.module or "", alias.name) for node in found for alias in node.names}

    @cached_property
    def values(self) -> dict[str, ast.expr]:
        """What is assigned to each name."""
        nodes = [node for node in self.nodes if isinstance(node, ast.Assign)]
        return {node.targets[0].id: node.value for node in nodes if isinstance(node.targets[0], ast.Name)}

    def definition(self, name: str) -> ast.ClassDef | Function:
        """The class or function of that name; of overloads the one that runs."""
        nodes = [node for node in self.nodes if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)]
        return [node for node in nodes if node.name == name][-1]

    def imported(self, name: str) -> "tuple[Source, str] | None":
        """Where a name comes from, if that is drretail."""
        module, original = self.imports.get(name, ("", name))
        return (source_of(module), original) if module.startswith("drretail") else None


source_of = cache(Source)


class Spelling(ast.NodeTransformer):
    """Puts what they stand for in the place of aliases, and the names of classes in the place of other names."""

    def __init__(self, source: Source) -> None:
        self.source = source

    def visit_Constant(self, node: ast.Constant) -> ast.expr:
        return self.visit(ast.parse(node.value, mode="eval").body) if isinstance(node.value, str) else node

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        """``research.World``: a name of an imported module."""
        module, name = self.source.imports.get(ast.unparse(node.value), ("", ""))
        return Spelling(source_of(f"{module}.{name}")).visit_Name(ast.Name(node.attr)) if module else node

    def visit_Name(self, node: ast.Name) -> ast.expr:
        imported = self.source.imported(node.id)
        if imported is not None:
            source, name = imported
            return Spelling(source).visit_Name(ast.Name(name))
        value = self.source.values.get(node.id)
        return self.visit(deepcopy(value)) if isinstance(value, ast.BinOp | ast.Subscript) else ast.Name(node.id)

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        name = ast.unparse(node.value)
        if name == "Annotated":
            return self.visit(cast(ast.Tuple, node.slice).elts[0])
        return node if name == "Literal" else ast.Subscript(node.value, self.visit(node.slice))

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        """A union without brackets, each type once and None last."""
        parts = chain(_members(self.visit(node.left)), _members(self.visit(node.right)))
        members = {ast.unparse(each): each for each in parts}
        first, *others = sorted(members.values(), key=lambda each: ast.unparse(each) == "None")
        for other in others:
            first = ast.BinOp(first, ast.BitOr(), other)
        return first


def _members(kind: ast.expr) -> list[ast.expr]:
    """Of a union, else the type itself."""
    return [*_members(kind.left), *_members(kind.right)] if isinstance(kind, ast.BinOp) else [kind]


def spelled(annotation: ast.expr | None, source: Source) -> str:
    """A type as text; blank without one."""
    return "" if annotation is None else ast.unparse(Spelling(source).visit(deepcopy(annotation)))


def signature(node: Function, source: Source, name: str, *, is_method: bool = False) -> str:
    """The function or method as it is called, with types and defaults."""
    given = node.args
    arguments = [*given.posonlyargs, *given.args]
    defaults: list[ast.expr | None] = [*[None] * (len(arguments) - len(given.defaults)), *given.defaults]
    parts = [_argument(*each, source) for each in zip(arguments, defaults, strict=True)][is_method:]
    parts += [f"*{given.vararg.arg}"] if given.vararg is not None else ["*"] if given.kwonlyargs else []
    parts += [_argument(*each, source) for each in zip(given.kwonlyargs, given.kw_defaults, strict=True)]
    parts += [] if given.kwarg is None else [f"**{given.kwarg.arg}"]
    start = f"{'async ' if isinstance(node, ast.AsyncFunctionDef) else ''}{name}"
    return call(start, parts, "" if name[:1].isupper() else spelled(node.returns, source))


def call(name: str, parts: list[str], returns: str) -> str:
    """``name(part, part) -> type``; where it is long, each part in a line of its own."""
    end = f") -> {returns}" if returns else ")"
    line = f"{name}({', '.join(parts)}{end}"
    return line if len(line) <= LONGEST_LINE else "\n".join([f"{name}(", *(f"    {part}," for part in parts), end])


def _argument(argument: ast.arg, default: ast.expr | None, source: Source) -> str:
    """``argument: type = default``; a default that the module names is shown as its value."""
    kind = spelled(argument.annotation, source)
    text = f"{argument.arg}: {kind}" if kind else argument.arg
    if default is None:
        return text
    constant = source.values.get(ast.unparse(default))
    return f"{text} = {ast.unparse(constant if isinstance(constant, ast.Constant) else default)}"


def description(node: ast.ClassDef, field: ast.AnnAssign, source: Source) -> str:
    """What is said of a field: below it, in pydantic's ``Field``, or below the alias that is its type; else blank."""
    described = [each.value for each in getattr(field.value, "keywords", ()) if each.arg == "description"]
    if described:
        return ast.literal_eval(described[0])
    return docstring_below(node.body, field) or _of_alias(field.annotation, source)


def _of_alias(annotation: ast.expr, source: Source) -> str:
    imported = source.imported(ast.unparse(annotation))
    if imported is not None:
        place, name = imported
        return _of_alias(ast.Name(name), place)
    assigned = [node for node in source.nodes if isinstance(node, ast.Assign)]
    alias = next((node for node in assigned if ast.unparse(node.targets[0]) == ast.unparse(annotation)), None)
    return "" if alias is None else docstring_below(source.nodes, alias)


def docstring_below(body: list[ast.stmt], node: ast.stmt) -> str:
    """The text below a field or an assignment; blank without one."""
    below = next(iter(body[body.index(node) + 1 :]), None)
    if not isinstance(below, ast.Expr) or not isinstance(below.value, ast.Constant):
        return ""
    return str(below.value.value)
