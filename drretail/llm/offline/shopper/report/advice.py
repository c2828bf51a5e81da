"""What the web says: answers to the shopper's questions first, then advice on choosing, care and place."""

from dataclasses import dataclass, replace

from drretail.llm.offline.shopper.need import Need, kind_of, names_thing
from drretail.llm.offline.shopper.report.disagreement import disagreements
from drretail.llm.offline.shopper.report.naming import cite
from drretail.llm.offline.shopper.report.replies import answers_to, best_of
from drretail.llm.offline.shopper.report.sayings import (
    FRESH_YEARS,
    Saying,
    pages_that_give_orders,
    read_sayings,
)
from drretail.llm.offline.shopper.situation import SEARCH
from drretail.llm.offline.shopper.study import Study
from drretail.llm.offline.shopper.words import contains_phrase, content_stems, first_upper, joined

MOST_ADVICE = 5
LEAST_PER_NEED = 2
LEAST_MERIT = 0.3
"""Of a sentence to count as advice."""
LEAST_FILLING = 0.0
"""Of a sentence that may make up for advice that is lacking."""


@dataclass(frozen=True, slots=True)
class Bullet:
    """One page's part of the advice under a label; ``label`` may be empty."""

    label: str
    sayings: tuple[Saying, ...]


def advice_sections(study: Study) -> list[str]:
    """One section: answers to the shopper's questions first, then advice on each need. Nothing is said twice."""
    answers, advice = _found(study)
    said = _all(answers)
    bullets = [*_bullets(answers), *_bullets(advice if len(study.needs) > 1 else {"": _all(advice)})]
    said += _all(advice)
    conflicts = disagreements(said, _about_shelves(study))
    remarks = [sentence for sentence, _ in conflicts]
    remarks += _age_remarks(study, [*said, *(other for _, other in conflicts)])
    remarks += _distrust_remarks(study)
    if not bullets:
        return []
    heading = "## What to know before you buy" if any(study.basket.picks) else "## What guides say"
    return [heading, "\n".join(_line(bullet) for bullet in bullets), *([" ".join(remarks)] if remarks else [])]


def shown_sayings(study: Study) -> list[Saying]:
    """Every sentence of a page that the report repeats."""
    answers, advice = _found(study)
    return [*_all(answers), *_all(advice)]


def needs_without_advice(study: Study) -> list[Need]:
    """Needs with a pick, or that nobody could look for in the shop, on which nothing of the web is in the report."""
    shown = shown_sayings(study)
    chosen = zip(study.needs, study.basket.picks, strict=True)
    blind = study.situation.could_not(SEARCH)
    return [need for need, pick in chosen if (pick or blind) and not any(_is_about(need, saying) for saying in shown)]


def _is_about(need: Need, saying: Saying) -> bool:
    around = set(content_stems(f"{saying.page} {saying.text}"))
    return any(set(name) <= around for name in need.names)


def _found(study: Study) -> tuple[dict[str, list[Saying]], dict[str, list[Saying]]]:
    """Answers by question, then advice by need."""
    answers = answers_to(study)
    return answers, _advice(study, _all(answers))


def _advice(study: Study, said: list[Saying]) -> dict[str, list[Saying]]:
    """Advice on what is on the shelves by the need's name, a fair share for each, no page for two needs."""
    needs = _needs_on_shelves(study)
    most = max(LEAST_PER_NEED, MOST_ADVICE // max(1, len(needs)))
    sayings = [saying for saying in read_sayings(study.situation) if saying.alone]
    advice: dict[str, list[Saying]] = {}
    for need in needs:
        used = {saying.evidence for saying in _all(advice)}
        free = [saying for saying in sayings if saying.evidence not in used]
        known = [*said, *_all(advice)]
        chosen = best_of(_all_on(need, free, LEAST_MERIT), known, most)
        if len(chosen) < LEAST_PER_NEED:
            filling = _all_on(need, free, LEAST_FILLING)
            chosen += best_of(filling, [*known, *chosen], LEAST_PER_NEED - len(chosen))
        if chosen:
            advice[f"{first_upper(need.name)}:"] = chosen
    return advice


def _all(by_label: dict[str, list[Saying]]) -> list[Saying]:
    return [saying for sayings in by_label.values() for saying in sayings]


def _all_on(need: Need, sayings: list[Saying], least: float) -> list[Saying]:
    return [weighed for saying in sayings if (weighed := _on(need, saying, least)) is not None]


def _about_shelves(study: Study) -> list[Saying]:
    """All advice on what is on the shelves, repeats too: two pages that say nearly the same may differ in a number."""
    needs = _needs_on_shelves(study)
    sayings = read_sayings(study.situation)
    # A page's title often is its verdict: "Clean every feeder weekly".
    titles = {saying.page: replace(saying, text=saying.page, merit=LEAST_MERIT) for saying in sayings}
    everything = [*sayings, *titles.values()]
    return [saying for saying in everything if any(_on(need, saying, LEAST_MERIT) is not None for need in needs)]


def _needs_on_shelves(study: Study) -> list[Need]:
    if study.situation.could_not(SEARCH):  # the web is all there was to look at
        return [need for need in study.needs if not need.guessed]
    return [shelf.need for shelf in study.shelves if shelf.rivals or shelf.ruled_out]


def _on(need: Need, saying: Saying, least: float) -> Saying | None:
    """The sentence with its merit for a need; None when it is about something else or gives no advice."""
    text, page = content_stems(saying.text), set(content_stems(saying.page))
    on_page = any(set(name) <= page for name in need.names)
    # On a page about something else, a sentence that names the thing in passing is seldom about it.
    other = kind_of(saying.page)
    named = (other is None or other.name == need.name) and any(contains_phrase(text, name) for name in need.names)
    named = named and saying.merit >= LEAST_MERIT
    merit = saying.merit + 0.4 * named + 0.6 * on_page
    return replace(saying, merit=merit) if (named or on_page) and saying.merit >= least else None


def _bullets(by_label: dict[str, list[Saying]]) -> list[Bullet]:
    """One bullet for each page under a label; the label stands at its first."""
    bullets: list[Bullet] = []
    for label, sayings in by_label.items():
        pages: dict[str, list[Saying]] = {}
        for saying in sayings:
            pages.setdefault(saying.evidence, []).append(saying)
        bullets += [Bullet(label, tuple(group)) for group in pages.values()]
    return bullets


def _line(bullet: Bullet) -> str:
    first = bullet.sayings[0]
    text = " ".join(f"{saying.text.rstrip('.!')} {cite(saying.evidence)}." for saying in bullet.sayings)
    label = f"**{bullet.label}** " if bullet.label else ""
    title = first.page.replace("[", "(").replace("]", ")").strip()
    year = f", {first.day.year}" if first.day else ", undated"
    return f"- {label}{text}" + (f" — *{title}*{year}" if title else "")


def _age_remarks(study: Study, sayings: list[Saying]) -> list[str]:
    today = study.situation.today
    old = {saying.evidence: saying for saying in sayings if saying.age(today) > FRESH_YEARS}
    if not old:
        return []
    pages = joined([f"“{saying.page}” ({saying.day:%Y}) {cite(saying.evidence)}" for saying in old.values()])
    return [f"{pages} {'is' if len(old) == 1 else 'are'} more than three years old: check what may have changed since."]


def _distrust_remarks(study: Study) -> list[str]:
    """Names pages about the needed things of which nothing was used because they give orders to machines."""
    pages = [
        f"“{title}” {cite(evidence)}"
        for evidence, (title, text) in pages_that_give_orders(study.situation).items()
        if any(names_thing(need, f"{title} | {text}") for need in study.needs)
    ]
    if not pages:
        return []
    tells = "it tells" if len(pages) == 1 else "they tell"
    return [f"I took nothing from {joined(pages)}: {tells} automated readers what to recommend."]
