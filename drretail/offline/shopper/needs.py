"""What is to be bought: phrases of the query that searches bear out, each with the products that go by its name.

A phrase is borne out when the shop has a product of that name: its last word ends the product's title, a part of it,
or its category. Phrases are tried in the order in which they are likely to be wanted: what a verb of wanting governs,
what the shopper owns and wants anew, what a "which" or "best" governs, what else is named. Where none of them is a
product, the query's own words are searched, and the answer says that it is unsure.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cached_property

from drretail.grounding.text.serialisation import whole_items
from drretail.grounding.text.words import content_stems, stem
from drretail.offline.shopper.candidates import KNOWN_BY_NAME, Candidate, name_stems, read_candidates
from drretail.offline.shopper.conversation import DETAILS, ORDERS, SEARCH, Situation
from drretail.offline.shopper.reading.asked import NO_THING, Asked, Phrase, content_words
from drretail.offline.shopper.reading.question import Question
from drretail.records.shop import VOID_STATUSES

MOST_OF_A_TIER = 6
MOST_MENTIONED = 4
LONGEST_SEARCH = 300

PROBED = 3
ENOUGH_OF_THE_NAME = 0.6
_TRIMMED_AT_MOST = 2
# Words before a name that say how good or large the thing shall be: wishes, and no part of the name.
_WISHED = frozenset(
    """
    affordable basic beautiful big bigger cheap cheaper comfortable comfy compact cool decent different durable easy
    effective
    fast fancy gentle good great heavy large larger light lighter lightweight little long longer lovely natural new nice
    old perfect pretty proper quality quick quiet quieter real reliable safe simple small smaller smart
    soft softer solid
    special strong stronger sturdy sturdier suitable thick thin tiny useful warm warmer actual exact matching
    """.split()  # noqa: SIM905 - a list of words is read more easily so
)


@dataclass(frozen=True, slots=True)
class PastOrder:
    """An order of the shopper's that was neither cancelled nor returned."""

    evidence: str
    product_id: str
    title: str
    date: str
    price: Decimal | None
    status: str = ""


@dataclass(frozen=True)
class Need:
    """One thing to buy. ``name`` is what the query calls it, without wishes; ``options`` go by it, best hit first."""

    name: str
    phrase: Phrase | None
    options: tuple[Candidate, ...]
    quantity: int = 1
    unsure: bool = False
    """True when the products were found by the words of the question, and not by the name of a thing."""

    @cached_property
    def stems(self) -> tuple[str, ...]:
        return name_stems(self.name)

    @cached_property
    def wishes(self) -> frozenset[str]:
        """The stems of what is said of the thing beside its name."""
        if self.phrase is None:
            return frozenset(content_stems(self.name))
        said = f"{self.phrase.words} {self.phrase.wishes}" if self.phrase.role == "asked" else self.phrase.words
        return frozenset(map(stem, content_words(said))) - {*self.stems}

    @property
    def plain(self) -> str:
        """Its name for a sentence: small letters but for what is written otherwise."""
        words = self.name.split()
        return " ".join(it.lower() if it.istitle() and it.isalpha() and len(it) > 1 else it for it in words)


@dataclass(frozen=True)
class Study:
    """All that follows from the situation; each part is worked out once."""

    situation: Situation

    @cached_property
    def question(self) -> Question:
        return Question(self.situation.query)

    @property
    def asked(self) -> Asked:
        return self.question.asked

    @property
    def budget(self) -> tuple[Decimal, str] | None:
        """The most to be spent, and "total" or "per_item"."""
        found = self.question.budget
        return None if found is None else (found[0].value, found[1])

    @cached_property
    def candidates(self) -> dict[str, Candidate]:
        return read_candidates(self.situation.lookups)

    @cached_property
    def searched(self) -> frozenset[str]:
        """The words of all searches of the shop that were answered or failed."""
        return frozenset(str(it.args.get("query", "")) for it in self.situation.lookups if it.name == SEARCH)

    @cached_property
    def orders(self) -> tuple[PastOrder, ...]:
        found: dict[str, PastOrder] = {}
        for lookup in self.situation.found(ORDERS):
            for it in whole_items(lookup.value, "orders"):
                if it.get("order_status") not in VOID_STATUSES and it.get("product_id"):
                    price = None if it.get("price") is None else Decimal(str(it["price"]))
                    title, day = str(it.get("product_title") or ""), str(it.get("order_date") or "")[:10]
                    status = str(it.get("order_status") or "")
                    order = PastOrder(str(it.get("evidence", "")), str(it["product_id"]), title, day, price, status)
                    found.setdefault(order.evidence, order)
        return tuple(found.values())

    @cached_property
    def tiers(self) -> tuple[tuple[Phrase, ...], ...]:
        """The phrases that may be things to buy, the likeliest tier first; each name once."""
        asked = self.asked.of("asked")
        owned = self.asked.of("owned")
        anew = [it for it in owned if it.anew]
        firm = [*(it for it in asked if it.firm), *anew]
        weak = [it for it in asked if not it.firm]
        rest = [it for it in owned if not it.anew]
        behind = [rest, weak] if self.asked.again else [weak, rest]
        seen: list[tuple[str, ...]] = [(it,) for it in NO_THING]
        tiers = [_distinct(tier, seen) for tier in (firm, *behind, list(self.asked.of("mentioned")))]
        mosts = (MOST_OF_A_TIER, MOST_MENTIONED, MOST_MENTIONED, MOST_MENTIONED)
        return tuple(tuple(tier[:most]) for tier, most in zip(tiers, mosts, strict=True))

    @property
    def _tried(self) -> tuple[tuple[Phrase, ...], ...]:
        """Where things are plainly asked for, little else is taken for wanted: what the shop lacks, it lacks.

        What the question speaks of again and again may be meant where nothing goes by the name that was asked for.
        """
        if not self.tiers[0]:
            return self.tiers
        return (self.tiers[0], tuple(it for tier in self.tiers[1:] for it in tier if self.is_said_again(it)))

    def is_said_again(self, phrase: Phrase) -> bool:
        name = sorted(name_stems(phrase.words))
        return sum(sorted(name_stems(it.words)) == name for it in self.asked.phrases if it.role != "ruled_out") > 1

    @cached_property
    def needs(self) -> tuple[Need, ...]:
        """What is borne out in the first tier that has something; the question's words where none has."""
        for tier in self._tried:
            needs = [need for phrase in tier if (need := self._borne_out(phrase)) is not None]
            if needs:
                return self._counted(needs)
        unsure = self._by_words()
        return () if unsure is None else (unsure,)

    @cached_property
    def not_found(self) -> tuple[Phrase, ...]:
        """What was plainly asked for and searched, and goes by no product's name."""
        found = {need.phrase for need in self.needs}
        return tuple(
            phrase
            for phrase in self.tiers[0]
            if phrase not in found
            and not _says_only_how(phrase)
            and self._was_searched(search_words(phrase))
            and self._goes_with_none(phrase)
        )

    def nearly(self, phrase: Phrase) -> Candidate | None:
        """The best hit whose title has all words of a name of several, where none goes plainly by it."""
        name = {*name_stems(" ".join(core_words(phrase.words)))}
        held = [it for it in self.candidates.values() if len(name) > 1 and name <= it.title.all]
        return min(held, key=lambda it: (it.place, it.product_id), default=None)

    @property
    def whole(self) -> str:
        """The question's own words, as a search: those of sentences that wonder about something come last."""
        first = " ".join(it for it in self.asked.sentences if it not in self.asked.questions)
        return _cut(" ".join(content_words(f"{first} {' '.join(self.asked.questions)}")))

    def next_look(self) -> tuple[list[str], list[str]]:
        """(searches to make, products to open) before more can be said of what is wanted; none when it is known.

        A title may leave out the name of a thing, which its categories have: for a phrase that no title bears out, the
        first products that were found are opened.
        """
        for tier in self._tried:
            words = [words for phrase in tier if (words := search_words(phrase)) not in self.searched]
            if words:
                return words, []
            unknown = [it for phrase in tier if not self._borne_out(phrase) for it in self._first_hits(phrase)]
            if unknown:
                return [], list(dict.fromkeys(unknown))
            if any(self._borne_out(phrase) for phrase in tier):
                return [], []
        if self.whole and self.whole not in self.searched:
            return [self.whole], []
        return [], [] if self.needs else self._unopened(self.whole)

    def _first_hits(self, phrase: Phrase) -> list[str]:
        """The products that a phrase's search showed first, as far as nobody tried to open them."""
        return [] if phrase.role == "mentioned" else self._unopened(search_words(phrase))

    def _unopened(self, words: str) -> list[str]:
        if DETAILS not in self.situation.tools:
            return []
        tried = {it.args.get("product_id") for it in self.situation.lookups if it.name == DETAILS}
        return [it for it in self._hits.get(words, [])[:PROBED] if it not in tried]

    @cached_property
    def _hits(self) -> dict[str, list[str]]:
        """The ids of the hits of each search, by its words."""
        return {
            str(it.args.get("query", "")): [str(hit.get("product_id")) for hit in it.value.get("hits", [])]
            for it in reversed(self.situation.found(SEARCH))
        }

    def _was_searched(self, words: str) -> bool:
        return self.situation.relayed or words in self.searched

    def _goes_with_none(self, phrase: Phrase) -> bool:
        """False for a word that is part of another thing's name, "cat" beside "cat litter mat"."""
        stems = set(name_stems(phrase.words))
        return not any(stems <= {*need.stems} for need in self.needs)

    def _borne_out(self, phrase: Phrase) -> Need | None:
        known = self._known_needs
        if phrase not in known:
            known[phrase] = self._need(phrase)
        return known[phrase]

    @cached_property
    def _known_needs(self) -> dict[Phrase, Need | None]:
        return {}

    def _need(self, phrase: Phrase) -> Need | None:
        """The need of the phrase, or of its front where its last words stand in no title: "area rug easy"."""
        if not self._was_searched(search_words(phrase)):
            return None
        words = core_words(phrase.words)
        titles = self._title_stems
        for trimmed in range(min(len(words), _TRIMMED_AT_MOST + 1)):
            name = " ".join(words[: len(words) - trimmed])
            plainly = phrase.firm or phrase.role == "owned" or len(name.split()) > 1
            options = self._options(name_stems(name), KNOWN_BY_NAME if plainly else 1.0)
            if options:
                return Need(name, phrase, options, phrase.quantity)
            if stem(words[-1 - trimmed].casefold()) in titles:
                return None
        return None

    @cached_property
    def _title_stems(self) -> frozenset[str]:
        return frozenset(it for candidate in self.candidates.values() for it in candidate.title.all)

    def _options(self, name: tuple[str, ...], least: float) -> tuple[Candidate, ...]:
        """The products that go by a name, those first that have all of its words."""
        found = [it for it in self.candidates.values() if it.named(name) >= least]
        whole = [it for it in found if it.share(name) > ENOUGH_OF_THE_NAME]
        if not any(it.share(name) == 1 for it in whole) and len(name) < 3:
            return ()
        return tuple(sorted(whole, key=lambda it: (-it.share(name), -it.named(name), it.place, it.product_id)))

    def _counted(self, needs: list[Need]) -> tuple[Need, ...]:
        """Each thing once, with the quantity that stands apart where there is only one."""
        kept: list[Need] = []
        for need in needs:
            twin = next((at for at, it in enumerate(kept) if {*it.stems} <= {*need.stems}), None)
            if any({*need.stems} <= {*it.stems} for it in kept) or self._is_part(need, needs):
                continue
            if twin is not None:
                kept[twin] = need
            else:
                kept.append(need)
        if len(kept) == 1 and kept[0].quantity == 1 and self.asked.count:
            kept = [replace(kept[0], quantity=self.asked.count)]
        return tuple(kept)

    def _is_part(self, need: Need, needs: Sequence[Need]) -> bool:
        return any(it is not need and {*need.stems} < {*it.stems} for it in needs)

    def _by_words(self) -> Need | None:
        """What has most of the question's words, where nothing goes by a name in it."""
        wanted = self._telling
        if not wanted or not self._was_searched(self.whole):
            return None
        ranked = sorted(
            (it for it in self.candidates.values()),
            key=lambda it: (-len(wanted & it.title.all), -len(wanted & it.stems), it.place, it.product_id),
        )
        least = 0.6 * len(wanted) if self.tiers[0] else 0.5 * min(len(wanted), 3)
        options = [it for it in ranked if len(wanted & it.stems) > least]
        name = " ".join(content_words(self.situation.query)[:6])
        return Need(name, None, tuple(options[:10]), unsure=True) if options else None

    @cached_property
    def _telling(self) -> frozenset[str]:
        """The stems by which to know what is asked for when no name is known."""
        told = self.tiers[0] or (*self.asked.of("asked"), *self.asked.of("mentioned"))
        asked = [f"{it.words} {it.wishes}" for it in told]
        return frozenset(map(stem, content_words(" ".join(asked) or self.situation.query)))


def core_words(words: str) -> list[str]:
    """The words of a phrase without wishes before its name: "small quiet fan" is "fan"."""
    core = words.split()
    while len(core) > 1 and core[0].casefold() in _WISHED:
        core.pop(0)
    return core


def _says_only_how(phrase: Phrase) -> bool:
    """ "Anything clearly better" names no thing: an adverb has the stem of its adjective, "family" has not."""
    words = [it.casefold() for it in core_words(phrase.words)]
    return all(it.endswith("ly") and stem(it) == stem(it[:-2]) for it in words)


def search_words(phrase: Phrase) -> str:
    """The search for a phrase: its words, its last one in the other number too, and what is said of it."""
    words = " ".join(phrase.words.split())
    said = phrase.wishes if phrase.role == "asked" else ""
    wished = [it for it in content_words(said) if it not in words.casefold()][:4]
    return _cut(" ".join(dict.fromkeys([*words.split(), other_number(words.split()[-1]), *wished])))


def other_number(word: str) -> str:
    """The plural of a singular, the singular of a plural: catalogs differ in which of them they index."""
    if len(word) > 3 and word.casefold().endswith("s") and not word.casefold().endswith(("ss", "us", "is")):
        return word[:-3] + "y" if word.casefold().endswith("ies") else word[:-1]
    if word.casefold().endswith(("s", "x", "ch", "sh")):
        return f"{word}es"
    return word[:-1] + "ies" if word[-1:] == "y" and word[-2:-1] not in tuple("aeiou") else f"{word}s"


def _distinct(phrases: Iterable[Phrase], seen: list[tuple[str, ...]]) -> list[Phrase]:
    """The phrases of names that no earlier one has."""
    kept: list[Phrase] = []
    for phrase in phrases:
        name = tuple(sorted(name_stems(" ".join(core_words(phrase.words)))))
        if name and name not in seen:
            seen.append(name)
            kept.append(phrase)
    return kept


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST_SEARCH else text[:LONGEST_SEARCH].rsplit(" ", 1)[0]
