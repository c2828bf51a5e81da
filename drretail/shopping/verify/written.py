"""What is decided whoever reads the rest: sums that a text writes out, results of cited calculations, quoted words."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from drretail.records.reading import ReadValue
from drretail.reports.layout import Layout
from drretail.reports.text.amounts import Amount
from drretail.reports.text.numerals import find_equations
from drretail.reports.text.quotes import has_words
from drretail.reports.text.words import FEWEST_WORDS, RUN, is_english, words
from drretail.shopping.verify.parts import Part
from drretail.shopping.verify.places import Passage, amounts_at, compared_figure, figure_value
from drretail.shopping.verify.records import CENTS, Ledger, all_words_of, equals, is_explained

# The " of "3.9\" thick" opens no quotation.
_QUOTED = re.compile(r"(?<!\w)[“„«「\"](?P<words>[^“”„«»「」\"\n]{1,400})[”“»」\"]")
_INSERTED = re.compile(r"\[[^\[\]]{0,40}\]")
"""What a quotation adds to the words that it quotes."""
_FEWEST_WORDS = 3
_MOST_AMOUNTS = 100
"""A stretch with more says nothing of a calculation: a model that repeats itself writes thousands."""


def equations(layout: Layout) -> Iterator[ReadValue]:
    """The results of sums that a text writes out, also in code."""
    for equation in find_equations(layout.text, layout.amounts):
        if equation.holds or all(side.relation == "is" for side in (equation.result, *equation.operands)):
            detail = f"{equation.expression} = {equation.value.normalize():f}"
            changes = {"state": "verified" if equation.holds else "contradicted", "derivation": detail}
            yield figure_value("equation", equation.result, 0).model_copy(update=changes)


def results(place: Passage, calculations: Sequence[str], ledger: Ledger, cited: Sequence[str]) -> Iterator[ReadValue]:
    """The amounts with cents at a place that are results or terms of cited calculations. If a calculation lacks its
    result there, the one amount that nothing explains is said to be that, and is not.
    """
    missing, unexplained, others = [*calculations], list[Amount](), replace(ledger, calculations={})
    amounts = amounts_at("total", place)
    for amount in amounts if len(amounts) <= _MOST_AMOUNTS else ():
        missing = [key for key in missing if not equals(amount, abs(ledger.calculations[key].result))]
        if amount.places != CENTS:
            continue
        values = (compared_figure("total", amount, key, place, ledger) for key in calculations)
        right = next((value for value in values if value.state == "verified"), None)
        if right is not None:
            yield right
        elif not is_explained(amount, others, ledger.products, cited):
            unexplained.append(amount)
    if missing and len(unexplained) == 1 and unexplained[0].kind == "money" and unexplained[0].relation == "is":
        yield compared_figure("total", unexplained[0], missing[0], place, ledger)


def quoted_in(text: str, start: int, end: int) -> Iterator[re.Match[str]]:
    """Each three words or more in quotation marks within ``text[start:end]``; the group ``words`` is without these."""
    for match in _QUOTED.finditer(text, start, end):
        if len([*words(match["words"])]) >= _FEWEST_WORDS:
            yield match


def quotations(layout: Layout, ledger: Ledger, parts: Iterable[Part]) -> Iterator[ReadValue]:
    """Words in quotation marks in what a mark owns: they stand in what it cites, or nowhere. That is certain directly
    before the mark; others may be anybody's.
    """
    for part in parts:
        texts = [*map(ledger.text_of, part.sources)]
        for match in () if part.labels or not texts else quoted_in(layout.text, part.start, part.end):
            start, end = match.span("words")
            value = ReadValue(kind="quotation", amount=match["words"], of=part.sources[0], start=start, end=end)
            quoted = _INSERTED.sub("…", match["words"])
            if any(has_words(text, quoted) for text in texts):
                yield value.model_copy(update={"state": "verified"})
                continue
            is_elsewhere = any(has_words(text, quoted) for text in ledger.all_texts)
            may_deny = part.tie == "mark"  # an assistant's words may be of something else
            record = "\n".join(texts)
            if len(RUN.findall(record)) < FEWEST_WORDS:  # too short to tell its language by: that of the shop
                record = "\n".join(map(all_words_of, ledger.products.values()))
            may_be_translated = layout.notation.is_english != is_english(record)
            is_before_mark = not any(map(str.isalnum, layout.text[match.end() : part.end]))
            if all(texts) and not is_elsewhere and not may_be_translated and may_deny and is_before_mark:
                detail = "these words stand in nothing that it cites"
                yield value.model_copy(update={"state": "contradicted", "derivation": detail})
