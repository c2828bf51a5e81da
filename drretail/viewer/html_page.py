"""One self-contained HTML page of an experiment: nothing is loaded, nothing runs but its own script."""

import base64
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from drretail.viewer.cards import (
    ClaimCard,
    EvidenceCard,
    FindingCard,
    StepCard,
    claim_cards,
    evidence_cards,
    finding_cards,
    step_cards,
)
from drretail.viewer.cart import Cart, cart_as_read
from drretail.viewer.claims import SIGNS, WORDS, Support, counts_of
from drretail.viewer.commands import command_for, commands, queries_file, score_commands
from drretail.viewer.experiment import ClaimsView, ExperimentView, RunView, read_view
from drretail.viewer.report_html import report_html
from drretail.viewer.tables.html import agreement_sheet, pair_parts, score_parts
from drretail.viewer.tables.scoreboard import printed_board

if TYPE_CHECKING:
    from jinja2 import Template


SHORT = 300
"""Characters that are sooner repeated than looked up."""


@dataclass(frozen=True, slots=True)
class Shown:
    """Whether a text stands here, and the anchor of where it does; no anchor where nothing leads to it."""

    first: bool
    anchor: str


@dataclass(slots=True)
class Once:
    """Asked of every text of a page in its order."""

    _places: dict[str, str] = field(default_factory=dict[str, str])

    def __call__(self, text: str) -> Shown:
        if len(text) < SHORT:
            return Shown(first=True, anchor="")
        first = text not in self._places
        return Shown(first, self._places.setdefault(text, f"t{len(self._places) + 1}"))


TEMPLATES = Path(__file__).parent / "templates"
_OPEN_RUNS = 3
"""So many runs are open at first; of more only the first is, so that a large page stays an overview."""
_MEANINGS: Mapping[Support, str] = {
    "full": "everything in it stands in its sources",
    "partial": "some of it does",
    "none": "nothing of it does",
    "contradicted": "its sources say otherwise",
    "uncited": "it names no source",
    "unverifiable": "its sources could not be read",
    "failed": "the judge gave no usable answer",
    "unjudged": "no verdict is recorded",
}


@dataclass(frozen=True, slots=True)
class ClaimsPart:
    view: ClaimsView
    cards: list[ClaimCard]


@dataclass(frozen=True, slots=True)
class RunPart:
    """A run with everything its template prints."""

    view: RunView
    open: bool
    report: Markup
    cart: Cart | None
    cart_read_by: str
    """Who read the picks of a report that declares none: "picks by form"; empty where it declares them."""
    counts: dict[Support, int]
    claims: list[ClaimsPart]
    findings: list[FindingCard]
    evidence: list[EvidenceCard]
    steps: list[StepCard]

    @property
    def tokens(self) -> int:
        return sum(usage.total for usage in self.view.run.usage.values()) if self.view.run else 0


def render_page(experiment: Path) -> str:
    """The page of an experiment folder; the same folder always gives the same page.

    Raises UserError where there is no experiment.
    """
    return page_of(read_view(experiment))


def page_of(view: ExperimentView) -> str:
    """The page of a view that was read already."""
    style, script = (TEMPLATES.joinpath(name).read_text(encoding="utf-8") for name in ("page.css", "page.js"))
    runs = [_part(run, is_open=run.number == 1 or len(view.runs) <= _OPEN_RUNS) for run in view.runs]
    text = template("page.html.jinja").render(
        view=view,
        runs=runs,
        not_done=sum(run.state != "done" for run in view.runs),
        board=None if view.scoreboard is None else printed_board(view.scoreboard),
        score_parts=score_parts(view.scores or (), view.slices, view.metrics),
        pair_parts=pair_parts(view.pairs, view.ranks),
        agreement=agreement_sheet(view.agreements, view.metrics),
        stale=sum(run.stale for run in view.runs),
        claims_command=command_for(view, "faithfulness"),
        checks_command=command_for(view, "checks"),
        score_command=" && ".join(score_commands(view)),
        commands=commands(view),
        queries_link="data:application/jsonl;base64," + _base64(queries_file(view).encode("utf-8", "replace")),
        words=WORDS,
        signs=SIGNS,
        meanings=_MEANINGS,
        plural=plural,
        once=Once(),
        policy=page_policy(style, script),
        style=Markup(style),  # noqa: S704 — the package's own files
        script=Markup(script),  # noqa: S704
    )
    return text.encode("utf-8", "replace").decode("utf-8")  # lone surrogates can't be written


def _part(view: RunView, *, is_open: bool) -> RunPart:
    report = report_html(view)
    cart, read_by = cart_as_read(view.subject)
    return RunPart(
        view=view,
        open=is_open,
        report=report.html,
        cart=cart,
        cart_read_by=read_by,
        counts=counts_of(view.claims[0].claims) if view.claims else {},
        claims=[ClaimsPart(one, claim_cards(view, judge, report.shown)) for judge, one in enumerate(view.claims)],
        findings=finding_cards(view, report.shown),
        evidence=evidence_cards(view),
        steps=step_cards(view),
    )


def template(name: str) -> "Template":
    """One of the package's own templates; what is put into it is escaped."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template(name)


def page_policy(style: str, script: str = "") -> str:
    """Nothing from anywhere, but for the very style and script that the page holds."""
    rules: dict[str, Any] = {
        "default-src": "'none'",
        "style-src": _hash(style),
        "script-src": _hash(script) if script else "'none'",
        "img-src": "data:",
        "base-uri": "'none'",
        "form-action": "'none'",
    }
    return "; ".join(f"{name} {value}" for name, value in rules.items())


def _hash(text: str) -> str:
    return f"'sha256-{_base64(hashlib.sha256(text.encode('utf-8')).digest())}'"


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")


def plural(count: int, one: str, many: str) -> str:
    return f"{count:,} {one if count == 1 else many}"
