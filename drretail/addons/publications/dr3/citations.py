"""Citation coverage: which of the query's required documents are cited (no model is asked). Factual accuracy: whether
each source that a claim cites supports it, pair by pair.

Claims are extracted as in faithfulness, and existing claims of faithfulness are used; sources are read as there.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from drretail.eval.claims.claims import (
    CITED,
    EXTRACT,
    FAITHFULNESS,
    REPORT,
    SUPPORT,
    Claim,
    SourceText,
    fitted,
    source_tags,
    source_type,
    with_text,
)
from drretail.eval.claims.claims import VERSION as FAITHFULNESS_VERSION
from drretail.eval.claims.extraction import extract, extraction_prompt, extraction_prompts
from drretail.eval.claims.rulings import SupportJudge
from drretail.eval.claims.rulings import support_prompt as support_prompt_of
from drretail.eval.judging.criteria import NumberedItem, QuestionBatch, ask_numbered
from drretail.eval.judging.question import Ruling
from drretail.eval.judging.session import JudgeSession
from drretail.eval.judging.sources import best_pieces
from drretail.eval.judging.subject import Subject
from drretail.grounding.report.citations import scan
from drretail.grounding.report.evidence_ids import bare_address, parse_evidence_id
from drretail.grounding.report.render import render_report
from drretail.llm.prompt import Prompt, load_prompt
from drretail.records.base import Record
from drretail.records.criteria import GOLD_PARTS, GoldPart, KnownAnswer

STAGE = "documents"
NO_ANSWER = "No final answer"
"""The text of a released agent's report without an answer."""


class Covered(Record):
    """The number of required documents in each part, and of those that are cited."""

    required: dict[GoldPart, int]
    cited: dict[GoldPart, int]


def documents_item(gold: KnownAnswer) -> str:
    return f"required@{gold.documents_hash}"


def judge_documents(gold: KnownAnswer, subject: Subject, judge_session: JudgeSession) -> None:
    """Records which required documents the report cites; the reason lists the others."""
    if judge_session.existing(STAGE, documents_item(gold)) is not None:
        return
    cited = _as_released(gold, subject) if judge_session.rules == "dr3" else _strictly(gold, subject)
    missing = [
        (document.title or document.url)
        for part in GOLD_PARTS
        for document, is_cited in zip(gold.part(part).documents, cited[part], strict=True)
        if not is_cited
    ]
    covered = Covered(
        required={part: len(cited[part]) for part in GOLD_PARTS}, cited={part: sum(cited[part]) for part in GOLD_PARTS}
    )
    judge_session.record(
        STAGE,
        documents_item(gold),
        "scored",
        covered.model_dump(mode="json"),
        reason=f"not cited: {'; '.join(missing)}" if missing else "all are cited",
    )


Found = dict[GoldPart, list[bool]]


def _strictly(gold: KnownAnswer, subject: Subject) -> Found:
    """By citations that lead to a source: its address, its entry or, if no address is known, its title."""
    marks = scan(subject.report or "", subject.evidence).marks
    cited = [citation for mark in marks for citation in mark.cited if citation.type != "unresolved"]
    entries = [citation.entry for citation in cited if citation.entry is not None]
    urls = [citation.url or "" for citation in cited] + [entry.url or "" for entry in entries]
    urls += [entry.key for entry in entries if entry.kind == "web"]
    addresses = {bare_address(url) for url in urls if url}
    titles = {_folded(source.title) for source in (*cited, *entries) if source.title.strip()}
    files = {_folded(name) for entry in entries if entry.kind == "file" for name in (entry.key, entry.title)}
    return {
        "sandbox": [
            bare_address(page.url) in addresses if page.url.strip() else _folded(page.title) in titles
            for page in gold.sandbox.documents
        ],
        "files": [_folded(file.title) in files for file in gold.files.documents],
    }


def _folded(title: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", title).casefold().split())


def _as_released(gold: KnownAnswer, subject: Subject) -> Found:
    """By titles anywhere in the rendered report, its list of sources included."""
    text = render_report(subject.report or "", subject.evidence.values(), style="plain").text
    titles: dict[GoldPart, list[str]] = {
        part: [document.title or document.url for document in gold.part(part).documents] for part in GOLD_PARTS
    }
    sentences = (
        set[str]()
        if NO_ANSWER in text
        else matched_titles(text, [title for part in GOLD_PARTS for title in titles[part]])
    )
    return {part: [title in sentences for title in titles[part]] for part in GOLD_PARTS}


_NOTES = ("注", "图", "表", "附录", "TODO", "NOTE", "WARNING", "TIP", "IMPORTANT")
"""Beginnings of bracketed texts that are not citations."""
_BRAND_WORDS = """
bbc ted cnn nbc abc cbs fox npr pbs youtube vimeo bilibili netflix hbo disney discovery mit harvard stanford
oxford cambridge google microsoft apple amazon facebook meta openai anthropic deepmind
"""
_BRANDS = (*_BRAND_WORDS.split(), "national geographic", "history channel")
_SMALL_WORDS = """
的 了 是 在 和 与 这 那 有 为 以 及 the a an of to in for on with and or is are video audio image doc document file mp4
mp3 pdf jpg png
"""
_STOPWORDS = frozenset(_SMALL_WORDS.split())
_SHARED_WORDS = 0.6
_LIKENESS = 0.75
_QUOTES = str.maketrans("“”‘’「」『』", '""\'\'""""')
_NAMED = re.compile(r"\[(?:long_context|source):\s*(?:[\"']([^\"']+)[\"']|“([^”]+)”)|\[Image:\s*([^\[\]]+)\]")
_BRACKETED = re.compile(r"\[([^\[\]]{4,})\]")
_PAGES = re.compile(r"(.+\.(?:md|txt|pdf|docx?)),\s*第[\d\-]+页")
_PUNCTUATION = re.compile(r"[,，.。!！?？;；:：\-_\[\]【】()（）{}\"']+")
_IDENTIFIERS = re.compile(r"[A-Z][A-Z0-9\-]+[A-Z0-9]|(?<!\d)\d++[A-Z\-]+[A-Z]+|[A-Z]+-\d+[A-Z]+")
_IN_PARENTHESES = re.compile(r"[（(]([^）)]++)([）)]|\Z)")


def matched_titles(report: str, titles: Iterable[str]) -> set[str]:
    """The titles that the released code counts as cited."""
    citations = [*dict.fromkeys(_citations(report))]
    text, lower = _normal(report), report.lower()

    def is_cited(citation: str, title: str) -> bool:
        mention, whole, main = _normal(citation), _normal(title), _normal(title.split("-")[0])
        if any(part in mention or mention in part for part in (whole, main)):
            return True
        return any(identifier.lower() in mention for identifier in _identifiers(title)) or _are_alike(title, citation)

    def stands_in_report(title: str) -> bool:
        """True if the report contains the title, or a capitalised name in it, of at least four characters."""
        normal = _normal(title)
        names = (name.lower() for name in _identifiers(title) if len(name) >= 4)
        return (len(normal) >= 4 and normal in text) or any(name in lower for name in names)

    return {
        title for title in titles if any(is_cited(citation, title) for citation in citations) or stands_in_report(title)
    }


def _citations(report: str) -> Iterator[str]:
    for match in _NAMED.finditer(report):
        yield re.sub(r",\s*chunk\s*\d+$", "", next(filter(None, match.groups()))).strip()
    for bracketed in _BRACKETED.findall(report):
        mention = bracketed.strip()
        if paged := _PAGES.fullmatch(mention):
            yield paged[1].strip()
        is_mark = mention.startswith(("long_context:", "source:", "Image:", *_NOTES)) or re.fullmatch(
            r"[\d\s]+", mention
        )
        if mention and not is_mark and not set(mention) & set("()"):
            yield mention


def _are_alike(title: str, citation: str) -> bool:
    """Compares by containment without punctuation, by words, by brands, or by letters."""
    whole, mention = _normal(title), _normal(citation)
    if not whole or not mention:
        return False
    bare, other = (re.sub(r"\s+", " ", _PUNCTUATION.sub(" ", text)).strip() for text in (whole, mention))
    if bare and other and (bare in other or other in bare):
        return True
    words = [*_words(whole)]
    if len(words) >= 2 and sum(word in mention for word in words) / len(words) >= _SHARED_WORDS:
        return True
    if any(brand in whole and brand in mention for brand in _BRANDS):
        return True
    return min(len(bare), len(other)) >= 5 and _likeness(bare, other) >= _LIKENESS


def _words(text: str) -> Iterator[str]:
    """Words of Latin letters; of Chinese, each run of characters and each character."""
    yield from (word for word in re.findall(r"[a-zA-Z]+", text) if len(word) > 1 and word not in _STOPWORDS)
    for run in re.findall(r"[\u4e00-\u9fff]+", text):
        if len(run) >= 2:
            yield run
        yield from (word for word in run if word not in _STOPWORDS)


def _likeness(first: str, second: str) -> float:
    """1 minus the Levenshtein distance divided by the longer length; 0 if that is below ``_LIKENESS``."""
    longer = max(len(first), len(second))
    if (Counter(first) & Counter(second)).total() < _LIKENESS * longer:  # whatever their order
        return 0.0
    before = list(range(len(second) + 1))
    for row, sign in enumerate(first, 1):
        now = [row]
        for column, letter in enumerate(second, 1):
            now.append(min(before[column] + 1, now[-1] + 1, before[column - 1] + (sign != letter)))
        before = now
        if min(now) > (1 - _LIKENESS) * longer:
            return 0.0
    return 1 - before[-1] / longer


def _identifiers(title: str) -> list[str]:
    """Names in capitals and texts in parentheses, of three characters or more."""
    names = [*_IDENTIFIERS.findall(title), *(name for name, end in _IN_PARENTHESES.findall(title) if end)]
    return [name for name in dict.fromkeys(names) if len(name) >= 3]


def _normal(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).translate(_QUOTES).split()).lower()


LONGEST_REPORT = 50_000
"""Characters of a report that the released code reads."""
LONGEST_SOURCE = 20_000
"""Characters of a source that are shown whole. Of a longer one, the pieces that share most words with the claims."""
PIECE, PIECES = 500, 5
MOST = 20
"""Claims in one question under the released rules."""


class BackedClaim(Record):
    claim_id: int
    explanation: str
    supported: bool


class BackedClaims(Record):
    """Whether a source backs each of the claims."""

    claims: list[BackedClaim]


def _support_prompt() -> Prompt:
    return load_prompt(__file__, "support_released")


def claim_source_item(claim: Claim, source: str) -> str:
    return f"{claim.claim_id} {source}"


def gold_part(source: str) -> GoldPart | None:
    """The part of the gold that a source belongs to: "files", "sandbox" for web pages, None for the shop's data."""
    if parse_evidence_id(source) == "file":
        return "files"
    return "sandbox" if source_type(source) == "web" else None


async def judge_accuracy(subject: Subject, judge_session: JudgeSession) -> None:
    """Records a report's claims, and a verdict on each claim by each source that it cites."""
    claims = await _claims(subject, judge_session)
    support_judge = SupportJudge(subject, judge_session, subject.evidence, fit=pieces_of_long)
    pairs = [
        claim.model_copy(update={"claim_id": claim_source_item(claim, source), "sources": (source,)})
        for claim in claims
        for source in claim.sources
    ]
    if judge_session.rules != "dr3":
        await support_judge.rule(pairs)
        return
    # All claims of a source in one question, by the released rules; unreadable sources are not asked about.
    by_source: dict[str, list[Claim]] = {}
    for pair in pairs:
        by_source.setdefault(pair.sources[0], []).append(pair)
    for group in by_source.values():
        content = support_judge.content(group[0])
        if not content.texts:
            state, reason = support_judge.unread(content)
            for pair in group:
                if support_judge.existing(pair) is None:
                    judge_session.record(SUPPORT, pair.claim_id, state, reason=reason)
            continue
        texts = pieces_of_long(content.texts, [pair.claim for pair in group], judge_session.room)
        refs = tuple(text.ref for text in texts)
        batch = QuestionBatch(SUPPORT, _support_prompt(), MOST, tag="claim", sources=refs)
        things = [NumberedItem(pair.claim_id, pair.claim) for pair in group]
        material = {"sources": source_tags(texts)}
        # A claim missing in the answer is failed, which the released rules count as unsupported.
        await ask_numbered(judge_session, batch, things, material, BackedClaims, _backed, repairs_numbers=False)


def _backed(answer: BackedClaims) -> list[tuple[int, Ruling]]:
    return [(claim.claim_id, Ruling(float(claim.supported), claim.explanation.strip())) for claim in answer.claims]


async def _claims(subject: Subject, judge_session: JudgeSession) -> Sequence[Claim]:
    if judge_session.rules == "dr3":
        run = subject.run
        cut = None if run is None else run.model_copy(update={"report": (run.report or "")[:LONGEST_REPORT]})
        return await extract(replace(subject, run=cut), judge_session, CITED) or ()
    prompt = extraction_prompt(EXTRACT).hash
    if judge_session.existing(EXTRACT, REPORT, prompt) is None:
        wordings = frozenset(prompt.hash for prompt in extraction_prompts())
        verdicts = judge_session.verdicts_in(FAITHFULNESS, FAITHFULNESS_VERSION, wordings)
        extracted = (
            verdict
            for verdict in verdicts
            if (verdict.stage, verdict.item, verdict.state) == (EXTRACT, REPORT, "scored")
        )
        if (existing := next(extracted, None)) is not None:
            judge_session.record(EXTRACT, REPORT, "scored", existing.value, prompt_hash=prompt, reason=existing.reason)
    return await extract(subject, judge_session, EXTRACT) or ()


def pieces_of_long(texts: Sequence[SourceText], claims: Sequence[str], room: int | None) -> Sequence[SourceText]:
    """The texts, long ones cut as published; texts that are still longer than ``room`` bytes are cut further."""
    cut = [
        text
        if len(text.text.text) <= LONGEST_SOURCE
        else with_text(text, best_pieces(text.text.text, claims, PIECE, PIECES))
        for text in texts
    ]
    return fitted(cut, claims, room) if room is not None else cut


def citation_prompts() -> list[Prompt]:
    """The prompts for claims and their support, and the released one."""
    return [*(extraction_prompt(stage) for stage in (EXTRACT, CITED)), support_prompt_of("default"), _support_prompt()]
