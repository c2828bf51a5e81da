"""What a text writes out, so that it is decided whoever reads the rest: sums, and words in quotation marks."""

import re
from collections.abc import Iterable, Iterator

from drretail.grounding.text.layout import Layout
from drretail.grounding.text.quotes import has_words
from drretail.grounding.text.words import is_english, words
from drretail.grounding.verify.parts import Part
from drretail.grounding.verify.places import figure_value
from drretail.grounding.verify.records import Ledger
from drretail.records.reading import ReadValue

# The " of "3.9\" thick" opens no quotation.
_QUOTED = re.compile(r"(?<!\w)[“„«「\"](?P<words>[^“”„«»「」\"\n]{12,400})[”“»」\"](?=[^\w\n]*$)")
_INSERTED = re.compile(r"\[[^\[\]]{0,40}\]")
"""What a quotation adds to the words that it quotes."""
_FEWEST_WORDS = 4


def equations(layout: Layout) -> Iterator[ReadValue]:
    """The results of sums that a text writes out."""
    for equation in layout.equations:
        if equation.holds or all(side.relation == "is" for side in (equation.result, *equation.operands)):
            detail = f"{equation.expression} = {equation.value.normalize():f}"
            changes = {"state": "verified" if equation.holds else "contradicted", "derivation": detail}
            yield figure_value("equation", equation.result, 0).model_copy(update=changes)


def quotations(layout: Layout, ledger: Ledger, parts: Iterable[Part]) -> Iterator[ReadValue]:
    """Words in quotation marks directly before a mark: they stand in what it cites, or nowhere."""
    for part in parts:
        match = _QUOTED.search(layout.text[part.start : part.end].rstrip())
        if part.labels or not part.sources or match is None or len([*words(match["words"])]) < _FEWEST_WORDS:
            continue
        start, end = (part.start + at for at in match.span("words"))
        value = ReadValue(kind="quotation", amount=match["words"], of=part.sources[0], start=start, end=end)
        texts, quoted = [*map(ledger.text_of, part.sources)], _INSERTED.sub("…", match["words"])
        if any(has_words(text, quoted) for text in texts):
            yield value.model_copy(update={"state": "verified"})
            continue
        is_elsewhere = any(has_words(text, quoted) for text in ledger.all_texts)
        may_deny = part.is_named and ledger.policy is None  # an assistant's words may be of something else
        may_be_translated = layout.notation.is_english != is_english("\n".join(texts))
        if all(texts) and not is_elsewhere and not may_be_translated and may_deny:
            detail = "these words stand in nothing that it cites"
            yield value.model_copy(update={"state": "contradicted", "derivation": detail})
