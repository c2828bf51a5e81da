"""False statements of an assistant's or of imported answers, worded for who runs the shop."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise

from drretail.errors import shortened
from drretail.eval.claims.claims import source_type
from drretail.eval.claims.rulings import CONTRADICTED
from drretail.eval.numbers.file import LONGEST_ERROR
from drretail.records.account import Account
from drretail.records.evidence import Finding
from drretail.records.figures import counted
from drretail.records.reading import Cause
from drretail.reports.layout import find_sentences
from drretail.shopping.verify.findings import CODES
from drretail.viewer.experiment import RunView
from drretail.viewer.judged import Support

_MARKS = re.compile(r"\s?\[(?:[A-Z]:[^\[\]]*|\d+)\]|\]\([^()\s]*\)|[*_`|\[\]]+")
_SPACE = re.compile(r"\s+")
_TAG = re.compile(r"</?[a-zA-Z][^<>]*>")
_MONEY = re.compile(r"[$€£¥₹]|\bprice\b")
_SAYS = re.compile(r"^(?:the record says|the brand is|order status:) ")
CHECKED: tuple[Support, ...] = ("full", "partial", "none", "contradicted")
"""The verdicts of checked statements on a shop's products."""
LEFT_OPEN: tuple[Support, ...] = ("unverifiable", "failed", "unjudged")
"""Those of statements that a judge left open."""
_RANKS = {"stock_wrong": 1, "order_status_wrong": 1, "order_date_wrong": 1}
CAUSES: Mapping[Cause, str] = {
    "stale": "Its own tool told it {tool}, too: the tool's data are out of date.",
    "ignored": "Its own tool told it {tool}: it didn't follow its tool.",
    "not_looked": "It never looked this up.",
}


@dataclass(frozen=True, slots=True)
class FalseStatement:
    """A false statement of an answer."""

    system: str
    question: str
    """What was asked in its turn."""
    before: str
    """The answer's words before what is false, without its markup; the whole sentence if all of it is."""
    wrong: str
    """What is false in the sentence, as it is written there; empty if it is the whole sentence."""
    after: str
    speaker: str
    """Who says otherwise: "Your shop" for its records, "The page", "Arithmetic"."""
    record: str
    """What it says."""
    products: str
    rank: int
    """0 for prices, which a customer may insist on; 1 for stock and orders; 2 for everything else."""
    tool: str = ""
    """What the assistant's own tool says."""
    cause: Cause | None = None
    page: str | None = None
    """The address of the shop's own page of the product."""

    @property
    def sentence(self) -> str:
        return f"{self.before}{self.wrong}{self.after}"

    @property
    def why(self) -> str:
        """The cause in words, with what the assistant's own tool says; empty if nothing is known of its tools."""
        return CAUSES[self.cause].format(tool=self.tool) if self.cause else ""


def false_statements(view: RunView) -> Iterator[tuple[Finding, FalseStatement]]:
    """The false statements of an answer, each as recorded and in words; none for research with citations."""
    subject = view.subject
    report, run = subject.report or "", subject.run
    is_answer = subject.system.is_imported or view.is_answer
    sentences = find_sentences(report) if view.false and is_answer else ()
    for statement in view.false if is_answer else ():
        claim, start = view.claim_of(statement), statement.start
        within = (sentence for sentence in sentences if start is not None and sentence.start <= start < sentence.end)
        sentence = next(within, None)
        span = (sentence.start, sentence.end) if sentence is not None else claim.span if claim is not None else None
        place = None if start is None or statement.end is None else (start, statement.end)
        # The words before, at and after what is false; all are the first part if no place is known, or if it is all.
        # What is nothing but a mark is shown as it is written.
        words = statement.text if span is None else report[slice(*span)]
        before, wrong, after = _spaced(words).strip() or words, "", ""
        if span is not None and place is not None and span[0] <= place[0] < place[1] <= span[1]:
            parts = [_spaced(report[a:b]) for a, b in pairwise((span[0], *place, span[1]))]
            if parts[0].strip() or parts[2].strip():
                before, wrong, after = parts[0].lstrip(), parts[1] or report[slice(*place)], parts[2].rstrip()
        names = (statement.evidence_id or "",) if claim is None else claim.sources
        sources = [subject.evidence[name] for name in names if name in subject.evidence]
        products = [entry for entry in sources if entry.kind == "product"] or sources
        reading = next((read for read in view.read if (read.start, read.of) == (start, statement.evidence_id)), None)
        turns = (turn for turn in (() if run is None else run.turns) if turn.start <= (start or 0) < turn.end)
        record = _SAYS.sub("", statement.found or "")
        if view.is_answer:  # "Your shop says" stands before it
            record = re.sub("^the shop ", "it ", record)
            record = f"nothing of it: {record}" if statement.code == "unresolved_citation" else record
        name = statement.evidence_id or next((entry.id for entry in products), "")
        yield (
            statement,
            FalseStatement(
                system=subject.label,
                question=next((turn.question for turn in turns), subject.query.text),
                before=before,
                wrong=wrong,
                after=after,
                speaker=_speaker(statement, "Your shop" if view.is_answer else "The record"),
                record=record,
                products=reading.title if reading is not None else ", ".join(entry.title for entry in products),
                rank=_RANKS.get(statement.code, 0 if _MONEY.search(record) else 2),
                tool="" if reading is None else reading.tool,
                cause=None if reading is None else reading.cause,
                page=view.shown.get(name, (None,))[0],
            ),
        )


def _speaker(statement: Finding, shop: str) -> str:
    source = statement.evidence_id
    if statement.code == CONTRADICTED:
        return "The page" if source is None or source_type(source) == "web" else shop
    return "Arithmetic" if statement.code == CODES["equation"] else shop


def _spaced(words: str) -> str:
    """An answer's words without its markup, with the space around them."""
    return _SPACE.sub(" ", _TAG.sub(" ", _MARKS.sub("", words)))


def checked_in(view: RunView) -> int:
    """An answer's statements that were judged, and those that code decides outside of judged claims."""
    claims = Counter(claim.span for view_of in view.claims[:1] for claim in view_of.claims if claim.support in CHECKED)

    def place(start: int | None) -> tuple[int, int] | None:
        point = None if start is None else (start, start)
        return next((span for span in claims if start is not None and span and span[0] <= start < span[1]), point)

    decided = {(read.start, read.end) for read in view.read}
    decided |= {
        (false.start, false.end)
        for false in view.false
        if not any(start < (false.end or 0) and (false.start or 0) < end for start, end in decided)
    }
    return (claims | Counter(place(start) for start, _ in decided)).total()


def unchecked_in(view: RunView) -> Iterator[str]:
    """An answer's statements that nobody checked, as they are written: claims that the judge left open, and sentences
    with figures of which no record decides any.
    """
    if not view.is_answer:
        return
    report = view.subject.report or ""
    claims = [claim for view_of in view.claims[:1] for claim in view_of.claims]
    spans = (*view.read, *view.contested, *view.false)
    judged = [(span.start, span.end) for span in spans if span.start is not None and span.end]
    judged += [claim.span for claim in claims if claim.span and claim.support in CHECKED]

    def is_judged(start: int, end: int) -> bool:
        return any(first < end and start < last for first, last in judged)

    for claim in claims:
        if claim.support in LEFT_OPEN and not is_judged(*(claim.span or (0, 0))):
            yield claim.text
            judged += [claim.span] if claim.span else []
    for sentence in find_sentences(report) if view.unread else ():
        if not is_judged(sentence.start, sentence.end) and any(
            sentence.start <= start < sentence.end for start, _ in view.unread
        ):
            yield _spaced(report[sentence.start : sentence.end]).strip()


def contested_in(view: RunView) -> Iterator[str]:
    """An answer's contested statements, as they are written, each with the record."""
    report = view.subject.report or ""
    sentences = find_sentences(report) if view.contested else ()
    for statement in view.contested:
        within = (each for each in sentences if each.start <= statement.start < each.end)
        sentence = next(within, statement)
        words = _spaced(report[sentence.start : sentence.end]).strip()
        of = f" ({statement.title})" if statement.title else ""
        yield f"“{words}” Your shop says {re.sub('^the shop ', 'it ', statement.record)}{of}."


def checked_in_words(answers: Account, checked: int, false: int, contested: int, unchecked: int) -> str:
    """For example "12 answers, 21 of 29 statements about your products checked: 8 contradict your shop's records; 8 not
    checked.", with what became of answers of which none was. ``answers`` says which were looked at. What is contested
    comes first.
    """
    differ = counted(contested, "statement differs", "statements differ")
    first = f"{differ} from your shop's records, undecided. " if contested else ""
    everything = checked + contested + unchecked
    statements = counted(everything, "statement about your products", "statements about your products")
    of = f"{checked:,} of {statements}" if contested + unchecked else statements
    if not false:
        left = f" {counted(unchecked, 'statement was', 'statements were')} not checked." if unchecked else ""
        return first + answers.praise(f"of {of} checked, none contradicts your shop's records") + left
    left = f"; {unchecked:,} not checked" if unchecked else ""
    verb = "contradict" if false > 1 else "contradicts"
    left_out = counted(answers.came - answers.used, "answer")
    unread = "" if answers.is_whole else f" Of {left_out} nothing more is known: {answers.reasons}."
    came = counted(answers.came, "answer")
    return f"{first}{came}, {of} checked: {false:,} {verb} your shop's records{left}.{unread}"


def no_answers() -> Account:
    """The account of answers that were looked at, to which ``count_answer`` adds each."""
    return Account("judging", "answer")


def count_answer(account: Account, run_id: str, state: str, failed: str, *, is_judged: bool) -> None:
    """An answer is looked at if it is there, its judge did not fail on it, and something in it was judged."""
    account.take()
    if state != "done":
        account.leave_out(f"it is {state}", run_id)
    elif failed:
        account.leave_out("the judge failed", f"{run_id}, {shortened(failed, LONGEST_ERROR)}", failed=True)
    elif is_judged:
        account.use()
    else:
        account.leave_out("nothing in it was judged", run_id)


def false_lines(views: Iterable[RunView], most: int | None = None) -> Iterator[str]:
    """A shop assistant's false statements as lines, each with the record: a count, then up to ``most``, worst first."""
    answers = no_answers()
    checked = false = unchecked = 0
    systems = set[str]()
    statements: list[FalseStatement] = []
    contested: list[str] = []
    for run in views:
        checks = checked_in(run)
        count_answer(answers, run.subject.run_id, run.state, run.failed, is_judged=bool(checks))
        checked, false = checked + checks, false + len(run.false)
        contested += contested_in(run)
        unchecked += len([*unchecked_in(run)])
        statements += (statement for _, statement in false_statements(run))
        systems.add(run.subject.label)
    yield checked_in_words(answers, checked, false, len(contested), unchecked)
    yield from (f"? {words}" for words in contested[:most])
    for statement in sorted(statements, key=lambda statement: statement.rank)[:most]:
        yield f"≠ {f'{statement.system}: ' if len(systems) > 1 else ''}{statement.sentence}"
        of = f" ({statement.products})" if statement.products else ""
        yield f"→ {statement.speaker} says {statement.record}{of}.{f' {statement.why}' if statement.why else ''}"
    if most is not None and (more := sum(max(0, len(each) - most) for each in (statements, contested))):
        yield f"{more:,} more are in the report."
