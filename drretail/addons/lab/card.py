"""A judge's card: how well its verdicts agree with people's labels of claims, compared with a rule by words alone."""

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from pathlib import Path

from pydantic import ValidationError

from drretail.addons.lab.finding import Measured, unanswered_in_words
from drretail.addons.lab.labelled_claims import THREE, Label, LabelledClaim, LabelledSet, cards_folder, verdicts_on
from drretail.addons.lab.people_findings import JudgeCard, SetCard
from drretail.errors import UserError
from drretail.eval.claims.claims import SUPPORT, VERSION
from drretail.eval.claims.rulings import support_prompt
from drretail.eval.judging.session import Judge
from drretail.files import read_json, write_json
from drretail.grounding.text.words import content_stems
from drretail.records.base import sha256_of
from drretail.records.score import Verdict
from drretail.records.tables.figures import number
from drretail.stats.agreement import (
    accuracy_interval,
    agreement_interval,
    as_two,
    difference_interval,
    kappa,
    tables_of,
)

BY_VALUE: Mapping[float, Label] = {1.0: "full", 0.5: "partial", 0.0: "none"}


def card_of(
    folder: Path, sets: Sequence[tuple[LabelledSet, LabelledSet]], judge: Judge, seed: str, dollars: float | None
) -> JudgeCard:
    """The card of a judge, from the existing verdicts in ``folder``.

    ``sets`` are pairs of the claims drawn for judging and the whole set, from which the rule by words takes its
    thresholds.
    """
    return JudgeCard(
        judge=judge.ref,
        prompt_hash=support_prompt("default").hash,
        version=VERSION,
        seed=seed,
        sets=tuple(set_card(chosen, whole, verdicts_on(folder, chosen, judge), seed) for chosen, whole in sets),
        dollars=dollars,
    )


def set_card(chosen: LabelledSet, whole: LabelledSet, verdicts: Mapping[str, Verdict], seed: str) -> SetCard:
    """One set of a card. Intervals are bootstraps over questions, or over claims if the set has no questions."""
    import numpy as np

    ruled = [each for each in verdicts.values() if (each.stage, each.state) == (SUPPORT, "scored")]
    values = {verdict.item: float(verdict.value) for verdict in ruled}
    judged = [claim for claim in chosen.claims if claim.item in values]
    people: list[Label] = [claim.label for claim in judged]
    judges: list[Label] = [BY_VALUE[values[claim.item]] for claim in judged]
    by_words = words_alone(whole, seed)
    words: list[Label] = [by_words[claim.item] for claim in judged]
    clusters: list[Hashable] = [claim.question or claim.item for claim in judged]
    tables = tables_of(clusters, people, judges, THREE)
    two, rule = as_two(tables), as_two(tables_of(clusters, people, words, THREE))
    has_three = len(chosen.labels) == len(THREE)
    shown = tables if has_three else two
    n, states = len(judged), Counter(verdict.state for verdict in verdicts.values())
    counted = Counter(zip(people, judges, strict=True))
    right = sum(a == b if has_three else (a == "full") == (b == "full") for a, b in counted.elements())
    return SetCard(
        name=chosen.name,
        file=chosen.file,
        n=n,
        failed=states["failed"] + states["unverifiable"],
        undecided=states["na"],
        unasked=len(chosen.claims) - len(verdicts),
        labels=chosen.labels,
        confusion={person: {judge: counted[person, judge] for judge in THREE} for person in chosen.labels},
        people_full=people.count("full") / n if n else None,
        judge_full=judges.count("full") / n if n else None,
        balanced_accuracy=Measured.of(accuracy_interval(two, seed)),
        kappa=Measured.of(agreement_interval(shown, kappa, seed)),
        kappa_linear=Measured.of(agreement_interval(shown, lambda table: kappa(table, power=1), seed)),
        words_alone=Measured.of(accuracy_interval(rule, seed)),
        over_words=Measured.of(difference_interval(np.stack([two, rule], 1), seed)),
        majority=max(Counter(people).values()) / n if n else None,
        accuracy=right / n if n else None,
    )


def words_alone(labelled: LabelledSet, seed: str) -> dict[str, Label]:
    """A label for each claim by the share of its words that occur in its sources, compared with a threshold.

    The claims are split in two by question, and the threshold of each half is the best one of the other. No claim is
    labelled by a threshold that was chosen on it or on another claim of its question.
    """
    halves: tuple[list[LabelledClaim], list[LabelledClaim]] = ([], [])
    for claim in labelled.claims:
        halves[int(sha256_of([seed, claim.question or claim.item])[:8], 16) % 2].append(claim)
    shares = {claim.item: share_of_words(claim) for claim in labelled.claims}
    least = [_best_threshold([(shares[claim.item], claim.label == "full") for claim in half]) for half in halves]
    return {
        claim.item: "full" if shares[claim.item] >= threshold else "none"
        for half, threshold in zip(halves, reversed(least), strict=True)
        for claim in half
    }


def share_of_words(claim: LabelledClaim) -> float:
    """The share of the claim's content stems that occur in its sources; 0 if it has no stems."""
    wanted = set(content_stems(claim.claim))
    return len(wanted & set(content_stems("\n".join(claim.sources)))) / len(wanted) if wanted else 0.0


def _best_threshold(shares: Sequence[tuple[float, bool]]) -> float:
    """The least share that counts as full, with the best balanced accuracy; 1 if only one kind of label occurs."""
    full, other = sum(is_full for _, is_full in shares), sum(not is_full for _, is_full in shares)
    if not full or not other:
        return 1.0

    def accuracy(least: float) -> float:
        return sum((share >= least) / full if is_full else (share < least) / other for share, is_full in shares)

    return max(sorted({share for share, _ in shares}), key=accuracy)


def card_path(experiment: Path, slug: str) -> Path:
    return cards_folder(experiment) / f"{slug}.json"


def check_sets_stay(experiment: Path, judge: Judge, sets: Sequence[LabelledSet], seed: str) -> None:
    """Raises UserError if a card of these sets would replace results of another file or seed."""
    before = _card_before(card_path(experiment, judge.slug))
    if before is None or (before.prompt_hash, before.version) != (support_prompt("default").hash, VERSION):
        return
    files = {labelled.name: labelled.file for labelled in sets}
    where = f"{judge.ref.spec}'s card in {experiment}"
    for earlier in before.sets:
        if before.seed != seed and earlier.name not in files:
            seeded = f"--seed {before.seed}"
            raise UserError(f"{where} holds {earlier.name} by {seeded}: give that, or replace it with --force.")
        if earlier.file and files.get(earlier.name, earlier.file) != earlier.file:
            both = "give both files, that one first"
            raise UserError(f"{where} holds {earlier.name} of {earlier.file}: {both}, or replace it with --force.")


def keep_card(experiment: Path, judge: Judge, card: JudgeCard) -> Path:
    """Writes the card beside its verdicts and returns its path.

    Other sets of an earlier card are kept if its prompt, version and seed are the same.
    """
    path = card_path(experiment, judge.slug)
    before, names = _card_before(path), {part.name for part in card.sets}
    same = before and all(getattr(before, name) == getattr(card, name) for name in ("prompt_hash", "version", "seed"))
    other_sets = [part for part in before.sets if part.name not in names] if before and same else []
    whole = card.model_copy(update={"sets": (*other_sets, *card.sets)})
    write_json(path, whole.model_dump(mode="json", exclude_none=True))
    return path


def _card_before(path: Path) -> JudgeCard | None:
    """The existing card; None if it can't be read, since it is then made again."""
    try:
        return JudgeCard.model_validate(read_json(path)) if path.is_file() else None
    except (UserError, ValidationError):
        return None


def read_cards(experiment: Path) -> list[JudgeCard]:
    """All cards of an experiment. Raises UserError for a file that is no card."""
    cards: list[JudgeCard] = []
    for path in sorted(cards_folder(experiment).glob("*.json")):
        try:
            cards.append(JudgeCard.model_validate(read_json(path)))
        except ValidationError as problem:
            raise UserError(f"{path} is no judge's card: delete it, and drretail lab card makes it again.") from problem
    return cards


def card_lines(experiment: Path) -> dict[str, str]:
    """By judge key, the line that must stand beside a judge's faithfulness scores, for each judge with a card.

    Empty if a card is damaged: ``finding_lines`` reports that, and scores are shown without lines.
    """
    try:
        return {card.judge.key: card_line(card) for card in read_cards(experiment)}
    except UserError:
        return {}


def card_line(card: JudgeCard) -> str:
    """How often the judge is right in each set; or that the card was made with another prompt."""
    judge = card.judge
    if (card.prompt_hash, card.version) != (support_prompt("default").hash, VERSION):
        return f"{judge.spec} was held against people's labels with another prompt: drretail lab card asks again."
    parts = "; ".join(_part_line(part) for part in card.sets)
    return f"{judge.spec} beside people's labels (balanced accuracy of “supported”, 0.50 is chance): {parts}."


def _part_line(card: SetCard) -> str:
    answers = unanswered_in_words(card.failed, card.unasked)
    left = f", {answers}" if answers else ""
    left += f", {card.undecided:,} not decided" if card.undecided else ""
    if card.balanced_accuracy.value is None:
        return f"{card.name} nothing to say of {card.n} claims{left}"
    few = "" if card.balanced_accuracy.low is not None else ", too few for an interval"
    words = f", words alone {number(card.words_alone.value)}" if card.words_alone.value is not None else ""
    return f"{card.name} {card.balanced_accuracy.in_words} of {card.n:,} claims{few}{left}{words}"
