"""What the web says: answers to the shopper's questions, and advice on choosing, care and place."""

from dataclasses import replace

from drretail.llm.offline.shopper.needs import Need
from drretail.llm.offline.shopper.report.disagreement import disagreements
from drretail.llm.offline.shopper.report.naming import cite
from drretail.llm.offline.shopper.report.sayings import FRESH_YEARS, Saying, read_sayings
from drretail.llm.offline.shopper.situation import WEB
from drretail.llm.offline.shopper.study import Study
from drretail.llm.offline.shopper.words import content_stems, joined

MOST_PER_QUESTION = 3
MOST_ADVICE = 5
LEAST_SHARE = 0.6
"""Of a question's words that a page must hold to answer it."""
LEAST_MERIT = 0.3
"""Of a sentence to count as advice."""


def advice_sections(study: Study) -> list[str]:
    """Blocks of markdown: one section a question, one of advice. Nothing is said twice."""
    blocks: list[str] = []
    said: list[Saying] = []
    for search in study.web:
        if search.question is not None:
            sayings = _best(_answers(study, search.query), said, MOST_PER_QUESTION)
            said += sayings
            blocks += [f"## {search.question.text}", _listed(sayings) if sayings else _no_answer(study)]
    lost = [question for question in study.questions if question.needs_place and study.customer.state is None]
    blocks += [f"## {question.text}\n\nThat depends on where you live, which I do not know." for question in lost]
    advice = _advice(study, said)
    if advice:
        blocks += [
            "## What to know before you buy" if any(study.basket.picks) else "## What guides say",
            _listed(advice),
        ]
    said += advice
    conflicts = disagreements(said, _about_shelves(study))
    remarks = [sentence for sentence, _ in conflicts]
    remarks += _age_remarks(study, [*said, *(other for _, other in conflicts)])
    return [*blocks, " ".join(remarks)] if remarks else blocks


def _answers(study: Study, query: str) -> list[Saying]:
    """Sentences, on pages that hold most of a question's words and the place, that share words with it."""
    wanted = set(content_stems(query))
    place = set(content_stems(study.customer.state or "")) & wanted
    found: list[Saying] = []
    for saying in read_sayings(study.situation, with_lists=True):
        text = set(content_stems(saying.text))
        around = text | set(content_stems(saying.page))
        share = len(wanted & around) / max(1, len(wanted))
        if share >= LEAST_SHARE and place <= around:
            found.append(replace(saying, merit=saying.merit + share + 0.5 * len(wanted & text) + 0.5 * saying.is_list))
    return found


def _advice(study: Study, said: list[Saying]) -> list[Saying]:
    """Advice on what is on the shelves, a fair share for each need."""
    needs = _needs_on_shelves(study)
    chosen: list[Saying] = []
    for need in needs:
        fitting = [weighed for saying in read_sayings(study.situation) if (weighed := _on(need, saying)) is not None]
        chosen += _best(fitting, [*said, *chosen], max(2, MOST_ADVICE // len(needs)))
    return chosen


def _about_shelves(study: Study) -> list[Saying]:
    """All advice on what is on the shelves, repeats too: two pages that say nearly the same may differ in a number."""
    needs = _needs_on_shelves(study)
    sayings = read_sayings(study.situation)
    # A page's title often is its verdict: "Clean every feeder weekly".
    titles = {saying.page: replace(saying, text=saying.page, merit=LEAST_MERIT) for saying in sayings}
    everything = [*sayings, *titles.values()]
    return [saying for saying in everything if any(_on(need, saying) is not None for need in needs)]


def _needs_on_shelves(study: Study) -> list[Need]:
    return [shelf.need for shelf in study.shelves if shelf.rivals or shelf.ruled_out]


def _on(need: Need, saying: Saying) -> Saying | None:
    """The sentence with its merit for a need; None when it is about something else or gives no advice."""
    text, page = set(content_stems(saying.text)), set(content_stems(saying.page))
    named = any(set(name) <= text for name in need.names)
    on_page = any(set(name) <= page for name in need.names)
    merit = saying.merit + 0.4 * named + 0.6 * on_page
    return replace(saying, merit=merit) if (named or on_page) and saying.merit >= LEAST_MERIT else None


def _best(sayings: list[Saying], said: list[Saying], most: int) -> list[Saying]:
    """The sentences of most merit, two at most from a page, none that repeats another."""
    chosen: list[Saying] = []
    for saying in sorted(sayings, key=lambda s: (-s.merit, s.evidence, s.text)):
        from_page = sum(other.evidence == saying.evidence for other in chosen)
        if len(chosen) < most and from_page < 2 and not any(_alike(saying, other) for other in [*chosen, *said]):
            chosen.append(saying)
    return chosen


def _alike(a: Saying, b: Saying) -> bool:
    one, two = set(content_stems(a.text)), set(content_stems(b.text))
    return len(one & two) >= 0.6 * max(1, min(len(one), len(two)))


def _listed(sayings: list[Saying]) -> str:
    pages: dict[str, list[Saying]] = {}
    for saying in sayings:
        pages.setdefault(saying.evidence, []).append(saying)
    lines: list[str] = []
    for group in pages.values():
        text = " ".join(f"{saying.text.rstrip('.!')} {cite(saying.evidence)}." for saying in group)
        year = f", {group[0].day.year}" if group[0].day else ""
        source = group[0].page.replace("[", "(").replace("]", ")").strip()
        lines.append(f"- {text} — *{source}*{year}" if source else f"- {text}")
    return "\n".join(lines)


def _no_answer(study: Study) -> str:
    if not study.situation.made(WEB):
        return "I could not search the web for this, and the shop's own records do not hold the answer."
    return "The web search brought nothing that answers this."


def _age_remarks(study: Study, sayings: list[Saying]) -> list[str]:
    today = study.situation.today
    old = {saying.evidence: saying for saying in sayings if saying.age(today) > FRESH_YEARS}
    if not old:
        return []
    pages = joined([f"“{saying.page}” ({saying.day:%Y}) {cite(saying.evidence)}" for saying in old.values()])
    return [f"{pages} {'is' if len(old) == 1 else 'are'} more than three years old: check what may have changed since."]
