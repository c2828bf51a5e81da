"""What a query asks for, owns and rules out, as noun phrases found by shallow grammar.

No list of things to buy stands here: a phrase is what lies between determiners, verbs of wanting and having,
prepositions and punctuation. Whether the shop has a thing of that name is for a search to say (``needs.py``).
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Literal

from drretail.grounding.text.amounts import find_money
from drretail.grounding.text.words import NUMBERS

Role = Literal["asked", "owned", "ruled_out", "mentioned"]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_NUMBERS = NUMBERS | {"couple": 2, "pair": 2, "both": 2}
MOST = 24
"""A larger number before a name is a size or a count of pieces more often than a quantity."""
_LONGEST_CLAUSE = 1000
_ARTICLES = _words("a an some any another new one more extra additional")
_LOOSE = re.compile(
    r".*(?:'(?:ll|ve|re|d|m)|n't)$|(?:that|what|there|here|let|where|when|how)'s$|.{3,}(?:ally|[aei]ntly|erly"
    r"|ully|ously|ively|ctly|tely|kly|edly|stly)$"
)
"""Contractions and adverbs: no part of a name."""
_DETERMINERS = _ARTICLES | _words(
    "the this that these those such each every few several various certain other all same whole"
)
_POSSESSIVES = _words("my our his her their your its")
_PREPOSITIONS = _words(
    """about above across after against along among around as at before behind below beneath beside besides between
    beyond by despite down during for from in inside into like near of off on onto out outside over per regarding
    since
    than through throughout till to toward towards under underneath until up upon via with within without"""
)
_RELATIVES = _words(
    "that which who whom whose where when while because since so if unless though although as whether how why what to"
)
_JOINING = _words("and or & plus nor , :")
_STOP = _words(
    """back i i'm i'd i've i'll me myself we we're we'd we've we'll us you you're you'd you've your yours
    mine ours hers theirs he he's
    she she's
    it it's its they they're them themselves him her who's there here am is isn't are aren't was wasn't were be been
    being do don't does doesn't did didn't done have haven't has hasn't had having can can't cannot could couldn't
    will
    won't would wouldn't shall should shouldn't may might must need needs needed want wants wanted let let's please
    thanks thank hello hi hey not no never nothing none nobody anything something everything someone anyone somebody
    anybody either neither too very really quite rather just only also still already even again soon now then ever yet
    maybe perhaps preferably ideally instead else enough much many lot lots bit kind sort type go going goes gone went
    get gets getting got give gives gave given make makes made making take takes took taken keep keeps kept come comes
    came put puts use uses used using work works worked look looks looked looking find finds found tell tells told say
    says said know knows knew think thinks thought seem seems feel feels felt try tries tried help helps helped ask
    asked show shows showed buy buys buying bought order orders ordered own owns owned purchase purchased recommend
    recommends recommended suggest suggests suggested choose chose chosen pick picked compare compared explain
    explained
    prefer prefers preferred love loves like likes liked hate hates spend spending spent cost costs pay paid last
    lasts
    fit fits hold holds stay stays start starts stop stops read reads heard believe guess hope mean means matter
    matters
    good better best great nice cheap cheaper cheapest easy easier easiest decent suitable right wrong sure able ready
    happy long quickly well often usually always sometimes almost nearly roughly yes ok okay actually currently
    recently
    however therefore together altogether anyway both nor than under over up most least less whatever whichever way
    ways"""
)
_SILENT = _STOP | _DETERMINERS | _POSSESSIVES | _PREPOSITIONS | _RELATIVES | _JOINING
# Nouns of the conversation itself, of time and of measure: whoever asks for them asks for no thing.
NO_THING = _words(
    """advice alternative alternatives amount answer bargain brand brands budget candidate candidates care category
    choice choices
    comparison condition conditions cost costs day days deal deals detail details difference differences doubt end
    evening evenings evidence example examples experience fact facts favor favour few fun gift gifts goal guidance
    guide
    half help history home hour hours house hundred idea ideas information issue issues item items job kid kids less
    life limit link links list look luck max maximum mind minute minutes money month months morning mornings need
    needs night nights
    number one ones opinion option options order orders others part parts past people person pick picks place plan
    plans
    point points present presents price prices problem problems product products purchase purchases question questions
    range reason reasons recommendation recommendations record records report replacement replacements requirement
    research rest result results runner-up runner-ups runners-up
    review reviews room season sense shop shopper side size sizes source sources stars start step steps store stuff
    suggestion suggestions summary summer task thing things third time times tip tips today tomorrow january
    february march april june july august september october november december monday
    tuesday wednesday thursday friday saturday sunday tops total trouble try
    two use users version visit ways week weekend weeks winner winners winter word words work year years yesterday"""
)
_VERDICTS = _words("winner winners runner-up runner-ups runners-up")
"""What a comparison ends in: an adjective before one of them says nothing of a thing."""
_MEASURES = _words("set kit pack pair piece box bundle bottle jar bag case tube roll lot collection combo")
"""Of what stands behind "of"; at the end of a name they say little without the word before ("measuring cup set")."""

_ASK = re.compile(
    r"""\b(?:
    (?P<strong>(?:i|we|he|she|they|you|who|still|also|and|really|badly|just|'ll|'d|would)?\s*(?:need|want|require)s?
      (?!\s+(?:to|you|him|her|them|it|my|help)\b)
    | (?:look|shop|search|hunt)(?:ing|ed)?\s+(?:around\s+)?for | in\s+(?:the\s+market|search|need)\s+(?:for|of)
    | (?:'m|are)\s+after
    | (?:buy|get|order|purchase|reorder|restock|replenish|grab|find|replace|seek
      |replacing|buying|ordering|finding|getting|seeking)
      (?!\s+(?:out|back|over|used|into|rid|along|around|the\s+most)\b)(?:\s+(?:me|us|myself|him|her|them))?
    | (?:(?:choos(?:e|ing)|decid(?:e|ing)|torn)\s+between|recommend|suggest|pick(?:\s+out)?|choose|show)
      (?:\s+(?:me|us))?
    | (?:would|'d)\s+(?:like|love|prefer)(?!\s+to\b) | could\s+(?:do\s+with|use) | thinking\s+(?:of|about)
    | considering
    | missing | lacking | running\s+(?:low\s+on|out\s+of) | (?:ran|all|am|are|'m|'re)\s+out\s+of
    | upgrade(?:\s+(?:from|to))? | upgrading\s+(?:from|to)
    | (?:mov(?:e|ing)|step(?:ping)?|trad(?:e|ing))\s+up\s+(?:to|from)
    | (?:replacement|substitute|successor|alternative)s?\s+(?:for|to)
    | (?:do|does)\s+(?:you|the\s+shop|the\s+store)\s+(?:have|sell|stock|carry|offer) | (?:is|are)\s+there )
    | (?P<weak>which | what | best | compare | any | would | should | what\s+about | how\s+about | interested\s+in
    | add | try | take | bring | give(?:\s+(?:me|us))? | help\s+(?:me|us)(?:\s+with)? )
    )\b""",
    re.IGNORECASE | re.VERBOSE,
)
_SHOWING = _words("compare show which what best would should")
"""Cues behind which a number counts possibilities to choose from, and not what is to be bought."""
_HAVE = re.compile(
    r"""\b(?:(?:i|we)(?:'ve|'d|\s+have|\s+had)?(?:\s+(?:already|just|recently|only|still|now|once|also|both
    |currently|originally|last))*
    \s*\b(?:have(?:\s+(?:got|had))?|had|own|owned|got|bought|ordered|purchased|received|use)
    |(?:i|we)'ve(?:\s+already)?\s+(?:got|had|owned|bought)|already\s+(?:have|own|got|bought|ordered|has|had))\b
    (?!\s+(?:to|been|no|read|heard|never|not|a\s+budget|just|it|them|rid|about|around|up|only|an?\s+(?:question
    |idea)))""",
    re.IGNORECASE | re.VERBOSE,
)
_OUT = re.compile(
    r"""\b(?:(?:don't|do\s+not|doesn't|never|won't|can't|cannot|not)\s+(?:(?:really|ever)\s+)?(?:want|need|like
    |buy|recommend|suggest|use|show|get|stand|send|include)
    (?:\s+(?:me|us))?(?:\s+(?:anything|something|things|products|ones?|any|whatever|another|more
    |one))?(?:\s+(?:with|from|by|of|that\s+(?:has|contains|comes\s+with)|made\s+(?:of|from|with)|containing))*
    | (?:nothing|none|not|no|anything\s+but|everything\s+but)(?:\s+(?:anything|made))?\s+(?:with|from|by|of
    |containing|made\s+(?:of|from|with))
    | without | avoid(?:ing)? | except(?:\s+for)? | other\s+than | instead\s+of | rather\s+than
    | anything\s+but | free\s+(?:of|from)
    | (?:allergic|sensitive|reacts?(?:\s+badly)?|intolerant)\s+to | sick\s+of | tired\s+of | done\s+with
    | skip | leave\s+out | hates? | no\s+more | no | not | nor
    )\b(?!\s+(?:more|less|fewer|over|above|only|just|sure|the\s+(?:cheapest|only)|too|so|very|to|long|later
    |idea|matter|need|know|be|at|exceed|\d|if|that\s+(?:much|many)|yet|even|really|because|for))""",
    re.IGNORECASE | re.VERBOSE,
)
_HAD_BEHIND = re.compile(
    r"\s*(?:that|which)?\s*\b(?:i|we)(?:'ve|'d|\s+have|\s+had)?(?:\s+(?:already|just|recently|once|currently"
    r"|originally|last))*\s+"
    r"(?:bought|ordered|got|had|have|own|owned|purchased|received|use|used)\b",
    re.IGNORECASE,
)
_GONE = re.compile(
    r"\s*(?:\w+\s+){0,3}?(?:broke|broken|died|dead|cracked|leaks?|leaking|failed|fell\s+apart|tore|torn|worn"
    r"|wore|gave\s+(?:up|out)|stopped"
    r"|ran\s+out|used\s+up|empty|finished|outgrown|lost|too\s+(?:small|big|large|old|short|tight))\b",
    re.IGNORECASE,
)
_AGAIN = re.compile(
    r"\b(?:again|re-?order|replace(?:ment)?|(?:a|the)\s+(?:new|smaller|bigger|larger|better|second|next"
    r"|lighter|quieter)\s+one"
    r"|another\s+one|upgrade|next\s+(?:size|step)|the\s+same|which\s+ones?|instead|alternatives?|refill)\b",
    re.IGNORECASE,
)
_EITHER = re.compile(
    r"\bwhich\b[^.?!]*\bor\b|\b(?:which\s+of|either|one\s+or\s+the\s+other|whether|or\s+rather)\b"
    r"|\bor\b[^.?!]*\bwhich\b",
    re.I,
)
_FOR_IT = re.compile(r"^(?:for|to\s+go\s+with|that\s+goes\s+with)\s+(?:it|them|that|this|these|those)\b", re.IGNORECASE)
_WONDERS = re.compile(
    r"\b(?:how|why|whether|explain|understand|find\s+out|research|wonder(?:ing)?|learn|advice|tips?|difference)\b"
    r"|\b(?:what|when|where|does|do|should|can|is|are|will)\b[^?]*\?|\?$",
    re.IGNORECASE,
)
_COUNT_ALONE = re.compile(
    r"(?:\b(?:get|need|want|order|buy|take|say|so|of|it's|make\s+(?:it|that))\s+)?(?<!for )"
    rf"\b(?P<number>{'|'.join(_NUMBERS)}|\d{{1,2}})"
    r"\s*(?:of\s+(?:them|these|those|it)\b|it\s+is\b|pieces\b|units\b|copies\b|in\s+(?:all|total)\b|altogether\b"
    r"|[,.!?](?!\d)|$)",
    re.IGNORECASE,
)
_LEAST_STARS = re.compile(
    r"(?:at\s+least|minimum(?:\s+of)?|above|over|no\s+less\s+than|from)\s+(?P<least>\d(?:\.\d)?)[\s-]*stars?"
    r"|(?P<plus>\d(?:\.\d)?)\s*(?:\+\s*stars?|stars?\s+(?:or\s+(?:more|better|higher|above|up)|and\s+(?:up"
    r"|above)|minimum|plus))"
    r"|rated\s+(?:at\s+least|above|over)?\s*(?P<rated>[345](?:\.\d)?)\b|(?:below|under"
    r"|less\s+than)\s+(?P<below>\d(?:\.\d)?)\s+stars?",
    re.IGNORECASE,
)
_LEAST_RATINGS = re.compile(
    r"(?:at\s+least|fewer\s+than|less\s+than|under|below|more\s+than|over|minimum(?:\s+of)?)\s+(?P<n>\d[\d,]*"
    r"|a\s+hundred)\s+(?:\w+\s+)?(?:reviews|ratings|buyers|customers|people)"
    r"|(?P<plus>\d[\d,]*)\s*(?:\+|or\s+more)\s*(?:reviews|ratings)",
    re.IGNORECASE,
)
_TOKEN = re.compile(r"[^\W_](?:[\w'./&+%-]*[\w%+])?|[,:&]")
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=\S)|\n+|;")
# From the first of several spaces only: tried from each of them, a long row takes its length squared.
_CLAUSE = re.compile(
    r"(?<!\s)\s+[–—-]\s+|[\"“”?!]|,?(?<!\s)\s+\b(?:but|because|although|though|however|yet|so)\b\s*", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Phrase:
    """A noun phrase of the text: ``words`` without determiner and number, as written; text[start:end] holds it."""

    words: str
    role: Role
    start: int
    end: int
    sentence: int
    quantity: int = 1
    firm: bool = True
    """Of an asked one: a verb of wanting governs it; else a "which" or "best" does, or it stands alone."""
    wishes: str = ""
    """What is said behind it in the same clause: "for a small balcony, easy to clean"."""
    anew: bool = False
    """Of an owned one: it is to be replaced or bought again."""

    @property
    def head(self) -> str:
        """The last word, with the one before where the last is a measure: "cup set"."""
        words = self.words.split()
        return " ".join(words[-2:] if words[-1].casefold().rstrip("s") in _MEASURES else words[-1:])


@dataclass(frozen=True, slots=True)
class Asked:
    """All phrases in text order, and what else the text says of the purchase."""

    phrases: tuple[Phrase, ...]
    questions: tuple[str, ...] = ()
    """Sentences that want to know something and name nothing to buy with a verb of wanting."""
    least_stars: float | None = None
    least_ratings: int | None = None
    either: bool = False
    """True where things are weighed against each other to buy one."""
    again: bool = False
    """True where something owned is to be bought anew, in whatever words it was named."""
    count: int | None = None
    """A quantity that stands apart from its thing: "let's say three"."""
    sentences: tuple[str, ...] = field(default=(), repr=False)

    def of(self, role: Role) -> tuple[Phrase, ...]:
        return tuple(phrase for phrase in self.phrases if phrase.role == role)


@lru_cache(maxsize=256)
def read_asked(text: str) -> Asked:
    """The phrases of an English query by what it wants with them; linear in its length."""
    plain = _blanked(text.replace("’", "'"))
    phrases: list[Phrase] = []
    sentences: list[tuple[int, str]] = []
    for number, (start, sentence) in enumerate(_split(plain, _SENTENCE)):
        sentences.append((start, sentence))
        for begin, clause in _split(sentence, _CLAUSE):
            for at, piece in _pieces(clause):
                phrases += _Clause(piece, start + begin + at, number).phrases()
    firm = {it.sentence for it in phrases if _is_firm(it)}
    questions = [
        text[start : start + len(sentence)].strip()
        for number, (start, sentence) in enumerate(sentences)
        if number not in firm and _WONDERS.search(sentence)
    ]
    phrases = _resolved(phrases)
    stars, ratings = _floors(plain)
    numbers = [_number(match["number"]) for match in _COUNT_ALONE.finditer(plain)]
    return Asked(
        tuple(phrases),
        questions=tuple(questions),
        least_stars=stars,
        least_ratings=ratings,
        either=bool(_EITHER.search(plain)),
        again=bool(_AGAIN.search(plain)),
        count=next((number for number in numbers if number and 1 < number <= MOST), None),
        sentences=tuple(text[start : start + len(sentence)].strip() for start, sentence in sentences),
    )


def _resolved(phrases: Sequence[Phrase]) -> list[Phrase]:
    """The phrases with "a cover for it" told as "for" what was named before."""
    whole: list[Phrase] = []
    before: Phrase | None = None
    for phrase in phrases:
        if before is not None and _FOR_IT.match(phrase.wishes):
            phrase = replace(phrase, wishes=_FOR_IT.sub(f"for {before.words}", phrase.wishes))
        before = phrase if phrase.role in ("owned", "asked") else before
        whole.append(phrase)
    return whole


def content_words(text: str) -> list[str]:
    """The words of a text that tell something, in its order and lower case, each once."""
    words = (match[0].casefold() for match in _TOKEN.finditer(text.replace("’", "'")))
    told = (word for word in words if word not in _SILENT and word not in _NUMBERS and len(word) > 1)
    return list(dict.fromkeys(word.removesuffix("'s") for word in told))


def _is_firm(phrase: Phrase) -> bool:
    return phrase.role == "asked" and phrase.firm


def _blanked(text: str) -> str:
    """The text with its amounts of money as commas, so that no number of them counts anything."""
    parts: list[str] = []
    end = 0
    for amount in find_money(text):
        parts += [text[end : amount.start], ",".ljust(amount.end - amount.start)]
        end = amount.end
    return "".join([*parts, text[end:]])


def _split(text: str, border: re.Pattern[str]) -> Iterator[tuple[int, str]]:
    start = 0
    for match in border.finditer(text):
        if text[start : match.start()].strip():
            yield start, text[start : match.start()]
        start = match.end()
    if text[start:].strip():
        yield start, text[start:]


def _pieces(clause: str) -> Iterator[tuple[int, str]]:
    """The clause, a very long one cut between words, so that reading takes no longer a word."""
    start = 0
    while len(clause) - start > _LONGEST_CLAUSE:
        end = clause.rfind(" ", start + 1, start + _LONGEST_CLAUSE)
        end = end if end > start else start + _LONGEST_CLAUSE
        yield start, clause[start:end]
        start = end
    yield start, clause[start:]


def _number(word: str) -> int | None:
    word = word.casefold()
    return _NUMBERS.get(word) or (int(word) if word.isdecimal() else None)


def _floors(text: str) -> tuple[float | None, int | None]:
    stars = next((float(next(filter(None, match.groups()))) for match in _LEAST_STARS.finditer(text)), None)
    match = _LEAST_RATINGS.search(text)
    number = (match["n"] or match["plus"]).replace(",", "") if match else ""
    return stars, (int(number) if number.isdecimal() else 100) if match else None


@dataclass(slots=True)
class _Clause:
    """Walks over one clause and gives its noun phrases their roles."""

    text: str
    offset: int
    sentence: int
    tokens: list[re.Match[str]] = field(init=False)

    def __post_init__(self) -> None:
        self.tokens = list(_TOKEN.finditer(self.text))

    def phrases(self) -> list[Phrase]:
        cues = self._cues()
        found: list[Phrase] = []
        role: Role = "mentioned"
        firm, governed, inner, preposition, joined = False, False, False, "", ""
        counts, fragment = True, self._is_fragment()
        if fragment:
            role, governed = "asked", True
        at = 0
        while at < len(self.tokens):
            token = self.tokens[at]
            word = token[0].casefold()
            if token.start() in cues:
                (role, firm), end = cues[token.start()]
                governed, inner, preposition, joined = True, False, "", ""
                counts = word not in _SHOWING
                while at < len(self.tokens) and self.tokens[at].start() < end:
                    at += 1
                continue
            size, phrase = self._phrase(at)
            if phrase is not None:
                begins_anew = bool(joined) and word in _ARTICLES | set(_NUMBERS)
                if joined and not begins_anew and found and not governed:
                    given = found[-1].role
                elif (preposition and not begins_anew) or (inner and not begins_anew):
                    given = "mentioned"
                else:
                    given = role if governed else self._joined_role(role, found, joined) if begins_anew else "mentioned"
                inner = inner and not begins_anew
                before = {self.tokens[it][0].casefold() for it in range(at, at + size)}
                phrase = phrase if counts else replace(phrase, quantity=1)
                sure = firm or (begins_anew and any(it.role == "asked" and it.firm for it in found))
                found.append(self._with_role(phrase, given, sure and not fragment, before))
                governed, preposition, joined = False, "", ""
                at += size
                continue
            if word == ":" and any(it.role == "asked" for it in found):
                inner, governed = True, False  # what follows tells more of the thing
            elif word == ":" and role != "asked":
                role, firm, governed, inner, joined = "asked", False, True, False, ""  # a list of what is needed
            elif word in _JOINING:
                joined, governed = word, governed and not found
            elif word in _PREPOSITIONS and not (governed and word == "of"):
                preposition, joined = word, ""
                inner = inner or word == "to"
            elif word in _RELATIVES:
                inner = True
            elif word in _STOP:
                governed = governed and word not in _words("i we you they it is are was were")
                preposition, joined = "", ""
            at += 1
        return self._with_wishes(found)

    def _token_at(self, place: int) -> int:
        """Where the token begins that holds this place: "'d like" begins within "I'd"."""
        return next((it.start() for it in self.tokens if it.start() <= place < it.end()), place)

    @staticmethod
    def _joined_role(role: Role, found: Sequence[Phrase], joined: str) -> Role:
        """That of "… and a blanket": wanted with the others, unless it only goes on with what they are like."""
        asked = any(it.role == "asked" for it in found)
        if role == "owned" or (role == "ruled_out" and (joined in ("or", "nor") or not asked)):
            return role
        told = any(it.head.casefold() in NO_THING for it in found)
        return "asked" if asked or (role == "asked" and not told) else "mentioned"

    def _cues(self) -> dict[int, tuple[tuple[Role, bool], int]]:
        cues: dict[int, tuple[tuple[Role, bool], int]] = {}
        for match in _ASK.finditer(self.text):
            cues[self._token_at(match.start())] = (
                ("asked", match["strong"] is not None),
                match.end(),
            )
        others: tuple[tuple[re.Pattern[str], Role], ...] = ((_HAVE, "owned"), (_OUT, "ruled_out"))
        for pattern, role in others:
            for match in pattern.finditer(self.text):
                for place in [place for place in cues if match.start() <= place < match.end()]:
                    del cues[place]
                if not any(place < match.start() < end for place, (_, end) in cues.items()):
                    cues[match.start()] = ((role, False), match.end())
        return cues

    def _is_fragment(self) -> bool:
        """True for a clause without a subject or a verb that this module knows: "Waterproof blanket, dark blue"."""
        words = [token[0].casefold() for token in self.tokens]
        verbs = _words(
            """i i'm i'd i've we we're we'd we've you he she it it's they is isn't are was were be been has have
            had do does
            did don't can could will would should shouldn't may might must needs made told helped"""
        )
        return bool(words) and not set(words) & verbs and words[0] not in _STOP | _PREPOSITIONS | _RELATIVES

    def _phrase(self, at: int) -> tuple[int, Phrase | None]:
        """How many tokens the noun phrase at this place takes, and it; none where none begins."""
        first, quantity = at, 1
        while at < len(self.tokens):
            word = self.tokens[at][0].casefold()
            number = _number(word)
            if number and not self._is_measure(at):
                quantity = number if number <= MOST else 1
            elif word not in _DETERMINERS | _POSSESSIVES and not (
                word in ("of", "good", "best", "nice") and at > first
            ):
                break
            at += 1
        begin = at
        while at < len(self.tokens) and self._goes_on(at, begin):
            at += 1
        if at == begin:
            return 0, None
        behind = at < len(self.tokens) - 1 and self.tokens[at][0].casefold() == "of"
        words = [token[0] for token in self.tokens[begin:at]]
        if behind and words[-1].casefold().rstrip("s").removesuffix("e") in _MEASURES | {
            "kind",
            "sort",
            "type",
            "bottl",
        }:
            taken, inside = self._phrase(at + 1)
            if inside is not None:
                return at + 1 - first + taken, replace(inside, quantity=quantity)
        while len(words) > 1 and words[-1].casefold() in NO_THING - _MEASURES - _VERDICTS:
            words.pop()
        if not any(re.search(r"[a-z]{2}", word, re.IGNORECASE) for word in words):
            return 0, None
        start, end = self.tokens[begin].start(), self.tokens[at - 1].end()
        phrase = Phrase(
            " ".join(words), "mentioned", self.offset + start, self.offset + end, self.sentence, quantity=quantity
        )
        return at - first, phrase

    def _is_measure(self, at: int) -> bool:
        """True for the number of "12 inch skillet" and "2-in-1", which counts nothing that is bought."""
        behind = self.text[self.tokens[at].end() :]
        return bool(
            re.match(
                r"\s*-?\s*(?:in|inch(?:es)?|\"|cm|mm|ft|feet|foot|oz|ounces?|lbs?|pounds?|ml|l|liters?"
                r"|gallons?|quarts?|mg|g|kg|iu|watts?|w|v|"
                r"stars?|days?|weeks?|months?|years?|hours?|minutes?|people|persons?|%|count|ct)\b",
                behind,
                re.IGNORECASE,
            )
        )

    def _goes_on(self, at: int, begin: int) -> bool:
        word = self.tokens[at][0].casefold()
        if word in ("can", "cans") and at > begin and self._ends_behind(at):
            return True  # "a watering can", not "a bag can hold"
        if (word in _SILENT and word != "new") or _LOOSE.match(word) or at - begin >= 7:
            return False
        between = self.text[self.tokens[at - 1].end() : self.tokens[at].start()] if at > begin else ""
        return not between.strip()

    def _ends_behind(self, at: int) -> bool:
        following = self.tokens[at + 1][0].casefold() if at + 1 < len(self.tokens) else ","
        return following in _JOINING | _PREPOSITIONS or self.text[self.tokens[at].end() :][:1] == "."

    def _with_role(self, phrase: Phrase, role: Role, firm: bool, around: set[str]) -> Phrase:
        """``around`` are the words of the phrase and those that begin it."""
        behind = self.text[phrase.end - self.offset :]
        anew = False
        words = phrase.words.split()
        if len(words) > 1 and _GONE.fullmatch(words[-1]):
            phrase, behind = replace(phrase, words=" ".join(words[:-1])), f"{words[-1]} {behind}"
        if _HAD_BEHIND.match(behind) or around & {"my", "our"}:
            anew = (role == "asked" and firm) or bool(_GONE.match(behind))
            role = "owned" if role != "ruled_out" else role
        if around & {"the", "this", "that", "these", "those"} and "best" not in around:
            firm = False
        if "another" in around and role == "mentioned":
            role, firm = "asked", True
        if role == "asked" and phrase.head.casefold() in NO_THING:
            role = "mentioned"
        return replace(phrase, role=role, firm=firm, anew=anew)

    def _with_wishes(self, found: Sequence[Phrase]) -> list[Phrase]:
        """The asked phrases with what is said between each and the next thing that is asked, owned or ruled out."""
        whole: list[Phrase] = []
        for index, phrase in enumerate(found):
            following = next((it.start for it in found[index + 1 :] if it.role != "mentioned"), None)
            end = len(self.text) if following is None else following - self.offset
            wishes = self.text[phrase.end - self.offset : end] if phrase.role != "mentioned" else ""
            whole.append(replace(phrase, wishes=" ".join(wishes.split())))
        return whole
