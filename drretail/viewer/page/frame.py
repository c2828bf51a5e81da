"""What every page is made with: templates, style, script, and a policy that admits nothing else."""

import base64
import hashlib
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from drretail.grounding.text.wording import short_title
from drretail.records.tables.screen import TURNING
from drretail.records.tables.table import Table, upright
from drretail.records.tables.terminal import parts
from drretail.viewer.claims import MEANINGS, SIGNS, WORDS, words_of_code
from drretail.viewer.page.links import claim_anchor, finding_anchor, step_anchor
from drretail.viewer.page.markdown import is_web_address
from drretail.viewer.run_lines import DECISIONS
from drretail.viewer.tables.scores import model_words

if TYPE_CHECKING:
    from jinja2 import Environment, Template

TEMPLATES = Path(__file__).parent / "templates"
COLUMNS = 10
"""The number of columns of figures that fit the page's width."""
_TURNED_BY = dict.fromkeys(map(ord, TURNING))


@cache
def _environment() -> "Environment":
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    names: dict[str, Any] = {"words": WORDS, "signs": SIGNS, "meanings": MEANINGS, "decisions": DECISIONS}
    functions = (
        *(plural, short_title, words_of_code, is_web_address, upright, page_parts, model_words),
        *(claim_anchor, finding_anchor, step_anchor),
    )
    names |= {function.__name__: function for function in functions}
    environment.globals.update(names)
    return environment


def template(name: str) -> "Template":
    """One of the package's own templates; values are escaped."""
    return _environment().get_template(name)


def fragment(name: str, /, **fields: Any) -> Markup:
    """A part of a page from its template."""
    return Markup(template(name).render(fields))  # noqa: S704 — escaped by its template


def whole_page(title: str, heading: str, lead: str, nav: Sequence[tuple[str, str]], sections: Sequence[Markup]) -> str:
    """A page of these sections; ``nav`` are addresses with their names. Only products' pictures come from elsewhere."""
    images = "data: https: http:" if any("data-src=" in section for section in sections) else "data:"
    fields = {"title": title, "heading": heading, "lead": lead, "nav": nav, "sections": sections}
    return writable(template("page.html.jinja").render(**fields, **frame(images)))


STYLES = ("page.css", "first_screen.css", "plots.css", "run_search.css")
SCRIPTS = ("page.js", "run_search.js")


def frame(images: str) -> dict[str, Any]:
    """A page's style, script and policy, by their names in the template."""
    style, code = (
        "".join((TEMPLATES / name).read_text(encoding="utf-8") for name in names) for names in (STYLES, SCRIPTS)
    )
    return {
        "policy": page_policy(style, code, images),
        "style": Markup(style),  # noqa: S704 — the package's own files
        "script": Markup(code),  # noqa: S704
    }


def page_policy(style: str, script: str, images: str = "data:") -> str:
    """A policy that admits only the style and the script on the page itself, and pictures from ``images``."""
    rules: dict[str, Any] = {
        "default-src": "'none'",
        "style-src": _hash(style),
        "script-src": _hash(script),
        "img-src": images,
        "base-uri": "'none'",
        "form-action": "'none'",
    }
    return "; ".join(f"{name} {value}" for name, value in rules.items())


def writable(text: str) -> str:
    """The text without characters that can't be encoded (lone surrogates) or that reverse the text around them."""
    return text.translate(_TURNED_BY).encode("utf-8", "replace").decode("utf-8")


def data_address(data: bytes) -> str:
    """A data URL of a file to download."""
    return f"data:application/octet-stream;base64,{_base64(data)}"


def plural(count: int, one: str, many: str) -> str:
    """A number with its noun: "1 query", "2,000 queries"."""
    return f"{count:,} {one if count == 1 else many}"


def page_parts(table: Table) -> list[list[int]]:
    """The indices of a table's columns in each part that fits the page."""
    return parts(table.columns, [1] * len(table.columns), COLUMNS)


def _hash(text: str) -> str:
    return f"'sha256-{_base64(hashlib.sha256(text.encode('utf-8')).digest())}'"


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")
