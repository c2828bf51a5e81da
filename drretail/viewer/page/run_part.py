"""A run as the templates of a page need it: report, cart, claims, sources and conversation; its agents in the order of
their launch, each with its steps and what it found.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from drretail.eval.numbers.facts import NOT_RATED
from drretail.llm.usage import estimated_note, served_notes, usage_by_model
from drretail.records.evidence import Evidence, EvidenceText
from drretail.records.figures import counted
from drretail.records.run import BASELINES, ERRANDS, Step
from drretail.records.trajectory import path_key
from drretail.reports.text.quotes import find_words, has_words
from drretail.viewer.cart import cart_as_read, turn_carts
from drretail.viewer.drawing.table import Table, table_of
from drretail.viewer.experiment import QueryRuns, RunView, evidence_anchors
from drretail.viewer.judged import ClaimView, Judged, readable
from drretail.viewer.page.report_html import report_html
from drretail.viewer.run_lines import run_line, setback_sentences
from drretail.viewer.wishes import wish_lines

LONGEST_BRIEF = 160


@dataclass(frozen=True, slots=True)
class _Agent:
    """One agent with the indices of its steps among all steps of the run, and the agents that it launched."""

    path: str
    name: str
    """For example "supervisor" or "researcher 2"."""
    task: str
    """The task that its launcher gave it; empty for the first agent."""
    did: str
    """For example "4 turns, 9 tool calls (5 × product_catalog_search, 4 × get_product_details)"."""
    places: tuple[int, ...]
    launch: int | None
    """The index of the step that launched it; None for the first agent, or if no such step is recorded."""
    launched: "tuple[_Agent, ...]"


@dataclass(frozen=True, slots=True)
class _Found:
    """The step that first brought a source."""

    step: str
    """Path and number, such as "0.2·5"."""
    tool: str
    agent: str
    place: int | None
    """The step's index in the run; None if no step is recorded for it."""

    @property
    def words(self) -> str:
        """For example "product_catalog_search, by researcher 2"."""
        return f"{self.tool}, by {self.agent}" if self.tool else f"by {self.agent}"


class AgentSteps:
    """The steps of a run by agent."""

    def __init__(self, steps: Sequence[Step]) -> None:
        self._steps = steps
        self._at = {(step.path, step.seq): place for place, step in enumerate(steps)}
        self._own: dict[str, list[int]] = defaultdict(list)
        for place, step in enumerate(steps):
            self._own[self._agent_of(step.path)].append(place)
        paths = sorted(self._own, key=path_key)
        self._names: dict[str, str] = {}
        for path in paths:
            # Named after the role of most of its own steps
            roles = [steps[place].role for place in self._own[path] if steps[place].path == path]
            role = Counter(roles).most_common(1)[0][0] if roles else "agent"
            self._names[path] = role if self._parent(path) is None else f"{role} {path.rpartition('.')[2]}"

    def agents(self) -> list[_Agent]:
        """The agents that no other launched, usually one; empty for a run without steps."""
        return [self._agent(path) for path in self._names if self._parent(path) is None]

    def found(self, path: str, seq: int) -> _Found:
        """The step of this path and number, with its agent."""
        place = self._at.get((path, seq))
        tool = "" if place is None else self._steps[place].name or ""
        agent = self._agent_of(path)
        return _Found(f"{path}·{seq}", tool, self._names.get(agent, f"agent {agent}"), place)

    def _agent_of(self, path: str) -> str:
        """The path of the step's agent. The reading of a page has a path below the step that found the page."""
        launcher, _, _ = path.rpartition(".")
        search, _, seq = launcher.rpartition(".")
        return search if search and (search, int(seq)) in self._at else path

    def _parent(self, path: str) -> str | None:
        """The path of the agent that launched this one, or None: the longest other path that this path begins with."""
        while path := path.rpartition(".")[0]:
            if path in self._own:
                return path
        return None

    def _agent(self, path: str) -> _Agent:
        launched = [other for other in self._names if self._parent(other) == path]
        steps = [self._steps[place] for place in self._own[path]]
        turns = sum(step.kind == "model" and step.path == path for step in steps)
        tools = Counter(step.name or "a tool" for step in steps if step.kind == "tool")
        read = sum(step.path != path for step in steps)
        calls = ", ".join(f"{count} × {name}" for name, count in tools.most_common())
        parts = [f"{turns} turn{'s' * (turns != 1)}"]
        parts += [f"{tools.total()} tool call{'s' * (tools.total() != 1)} ({calls})"] if tools else []
        parts += [f"{read} page{'s' * (read != 1)} read"] if read else []
        parent, launch = self._parent(path), None
        if parent is not None:
            # The launch with this agent's number; refused launches do not count.
            refused = ("limit", "invalid_argument")
            own = ((place, self._steps[place]) for place in self._own[parent])
            launches = [place for place, step in own if _task(step) and not (step.error or "").startswith(refused)]
            at = int(path.rpartition(".")[2]) - 1
            launch = launches[at] if 0 <= at < len(launches) else None
        return _Agent(
            path=path,
            name=self._names[path],
            task="" if launch is None else _task(self._steps[launch])[:LONGEST_BRIEF],
            did=", ".join(parts),
            places=tuple(self._own[path]),
            launch=launch,
            launched=tuple(self._agent(other) for other in launched),
        )


def _task(step: Step) -> str:
    """The task that a step gives to the agent that it launches; empty for any other step."""
    args = step.args or {}
    return str(args.get("sub_problem") or (args.get("question") if step.name in ERRANDS else None) or "")


_USAGE = {
    "calls": "Calls",
    "input_uncached": "Input",
    "cache_read": "Read from cache",
    "cache_creation": "Written to cache",
    "output": "Output",
}
_MOMENT = re.compile(r"\b(?P<day>\d{4}-\d{2}-\d{2})T\d{2}:\d{2}:\d{2}\.\d{6}\b")
LONGEST_SOURCE = 12_000
"""The most characters of a source that only a verdict or a finding rests on; cited sources are whole."""
LONGEST_LINE = 300
SHORT_RESULT = 120
"""The longest result of a step that is shown in one line."""
LONGEST_RESULT = 600
"""The most characters of a result without sources; the whole one is in the run's file."""


@dataclass(frozen=True, slots=True)
class QuotedSource:
    """A source that a verdict rests on."""

    evidence: Evidence
    quote: str
    """The judge's quote as it stands there; empty without one."""
    is_shown: bool
    """False if another source contains the quote."""


@dataclass(frozen=True, slots=True)
class ShownStep:
    step: Step
    line: str
    """The arguments of a tool, or the role of a model."""
    result: str
    left_out: int

    @property
    def is_line(self) -> bool:
        """True if there is nothing to open."""
        plain = self.step.error is None and not (self.result and self.left_out)
        return plain and len(self.result) <= SHORT_RESULT


class RunPart:
    """A run with everything that its templates print."""

    def __init__(self, view: RunView, question: QueryRuns, name: str) -> None:
        self.view = view
        self.name = name
        self.line = run_line(view, question)
        turns = () if view.run is None or len(view.run.turns) < 2 else view.run.turns
        # Of a conversation, each message of the user with its answer; else the report.
        self.answers = [(turn.question, report_html(view, turn)) for turn in turns] or [("", report_html(view))]
        self.marked = frozenset[str]().union(*(marked.shown for _, marked in self.answers))
        self.cart, self.cart_read_by = cart_as_read(view.subject)
        self.turns = turn_carts(view.subject)
        understood, wish = None if view.run is None else view.run.understood, question.query.wish
        self.understood = [] if understood is None else wish_lines(understood)
        self.wish = [] if wish is None else wish_lines(wish)
        self.setbacks = [] if view.run is None else [*setback_sentences(view.run)]
        self.sources = evidence_anchors(view)
        self.steps = _shown_steps(view)
        self.research = AgentSteps([shown.step for shown in self.steps])
        self._cited = {citation.evidence_id for citation in view.run.citations} if view.run else set[str | None]()

    @property
    def tokens(self) -> str:
        """For example "1,234 tokens"; that they are unknown for an agent that doesn't tell them."""
        used = self.view.run.usage if self.view.run else {}
        if not used and self.view.subject.system.agent not in BASELINES:
            return "not told by the agent"
        return counted(sum(usage.total for usage in used.values()), "token")

    @property
    def usage(self) -> Table:
        """Calls and tokens by role."""
        by_role = sorted(self.view.run.usage.items()) if self.view.run else ()
        rows = ((role, *(getattr(usage, name) for name in _USAGE)) for role, usage in by_role)
        others = served_notes(usage_by_model(dict(by_role), self.view.subject.system.models))
        notes = [*estimated_note(usage for _, usage in by_role), *others]
        return table_of("Usage", ["Role", *_USAGE.values()], rows, notes=notes)

    def rated(self, judged: Judged) -> Table:
        """A judge's ratings of the report, a row for each dimension. The numbers of rules would mean nothing."""
        rows: list[tuple[object, ...]] = []
        for verdict in judged.stage("rating"):
            value = NOT_RATED if judged.judge.kind == "rule_based" else verdict.value
            scored = value, verdict.reason
            dimension = verdict.item.replace("_", " ")
            failed = verdict.state, verdict.error or verdict.reason
            rows.append((dimension, *(scored if verdict.state == "scored" else failed)))
        return table_of("Ratings", ["Dimension", "Rating", "Why"], rows)

    def found(self, entry: Evidence) -> _Found | None:
        """The step that brought the source's first text; None if it has no text or no step brought it."""
        if not entry.texts or entry.texts[0].seq < 0 or self.is_looked_up(entry):  # or an earlier turn brought it
            return None
        return self.research.found(entry.texts[0].path, entry.texts[0].seq)

    def is_looked_up(self, entry: Evidence) -> bool:
        """True for a record or page that no step brought: it was looked up for judging."""
        return entry.looked_up and not any(text.shown for text in entry.texts)

    def rests_on(self, claim: ClaimView) -> tuple[list[QuotedSource], str]:
        """The sources of a claim's verdict, and the quote if none of them contains it."""
        verdict, evidence = claim.verdict, self.view.subject.sources
        if verdict is None:
            return [], ""
        hashes = {source.sha256 for source in verdict.sources}
        cited = [evidence[source] for source in dict.fromkeys(s.id for s in verdict.sources) if source in evidence]
        if not cited:
            cited = [evidence[source] for source in claim.sources if source in evidence]
        quotes = [quote for quote in (verdict.quote, *verdict.more_quotes) if quote]
        pairs: list[tuple[Evidence, str]] = []
        for entry in cited:
            # The text that was judged, found by its hash; of several, the one with a quote.
            judged = [text for text in entry.texts if text.sha256 in hashes] or _texts(entry)
            texts = [readable(text.text) for text in judged]
            if not any(_MOMENT.search(quote) for quote in quotes):
                texts = [_by_day(text) for text in texts]
            with_quote = [text for text in texts if any(has_words(text, quote) for quote in quotes)]
            pairs += [(entry, text) for text in (with_quote or texts)[:1]]
        spans = [
            next((span for quote in quotes if (span := find_words(text, quote)) is not None), None) for _, text in pairs
        ]
        sources = [
            QuotedSource(entry, text[slice(*(span or (0, 0)))], bool(span) or not any(spans))
            for (entry, text), span in zip(pairs, spans, strict=True)
        ]
        return sources, "" if any(spans) else " … ".join(quotes)

    def notes(self, claim: ClaimView) -> list[str]:
        """The notes on a claim's verdict in words, with the share that the judge read of sources that were cut."""
        if claim.verdict is None:
            return []
        cut = [f"{source.share:.0%} of {source.id}" for source in claim.verdict.sources if source.share is not None]
        notes = [note.replace("_", " ") for note in claim.verdict.notes]
        return [*notes, f"the judge read {', '.join(cut)}"] if cut else notes

    def texts(self, entry: Evidence) -> list[tuple[str, str, int]]:
        """Form and text of each text of a source, and the number of characters left out."""
        longest = None if entry.id in self._cited else LONGEST_SOURCE
        return [(text.form, *_cut(_by_day(readable(text.text)), longest)) for text in _texts(entry)]


def _shown_steps(view: RunView) -> list[ShownStep]:
    """The steps in order, with the beginning of each result; sources are named, and have their texts elsewhere."""
    steps = view.run.steps if view.run else ()
    shown: list[ShownStep] = []
    for step, after in zip_longest(steps, steps[1:]):
        args = ", ".join(f"{name}: {value}" for name, value in (step.args or {}).items() if value is not None)
        args = args if len(args) <= LONGEST_LINE else f"{args[:LONGEST_LINE]}…"
        text = view.texts.get(step.result_sha or "", "")
        # Empty if the model only repeats what it passes to the tool.
        passed = after.args or {} if after is not None and step.kind == "model" else {}
        text = "" if text in passed.values() else _by_day(readable(text))
        line = step.role if step.kind == "model" else args
        shown.append(ShownStep(step, line, *_cut(text, 0 if step.evidence else LONGEST_RESULT)))
    return shown


def _texts(entry: Evidence) -> Iterable[EvidenceText]:
    """The texts that claims are judged against, or what the agent read if there are none."""
    return entry.sources or entry.texts


def _by_day(text: str) -> str:
    return _MOMENT.sub(r"\g<day>", text)


def _cut(text: str, longest: int | None) -> tuple[str, int]:
    return text[:longest], 0 if longest is None else max(0, len(text) - longest)
