"""Citation coverage: which of the documents that a query needs are cited. No model is asked."""

import unicodedata
from collections.abc import Sequence

from drretail.eval.families.dr3.title_matches import matched_titles
from drretail.eval.judging.session import JudgeSession
from drretail.eval.judging.subject import Subject
from drretail.grounding.report.citations import Cited, citing_marks
from drretail.grounding.report.evidence_ids import normalise_url
from drretail.grounding.report.render import render_report
from drretail.records.base import Record
from drretail.records.criteria import GOLD_PARTS, Gold, GoldPart, RequiredDocument

STAGE = "documents"
NO_ANSWER = "No final answer"
"""What a report of the released agent says that has nothing to say."""


class Covered(Record):
    """How many documents are required of each part, and how many of them are cited."""

    required: dict[GoldPart, int]
    cited: dict[GoldPart, int]


def documents_item(gold: Gold) -> str:
    return f"required@{gold.documents_hash}"


def judge_documents(gold: Gold, subject: Subject, judge_session: JudgeSession) -> None:
    """Records which required documents the report cites; what it does not is the reason."""
    if judge_session.existing(STAGE, documents_item(gold)) is not None:
        return
    found = _as_released(gold, subject) if judge_session.rules == "dr3" else _strictly(gold, subject)
    missing = [
        (it.title or it.url)
        for part in GOLD_PARTS
        for it, is_cited in zip(gold.part(part).documents, found[part], strict=True)
        if not is_cited
    ]
    covered = Covered(
        required={part: len(found[part]) for part in GOLD_PARTS}, cited={part: sum(found[part]) for part in GOLD_PARTS}
    )
    judge_session.record(
        STAGE,
        documents_item(gold),
        "scored",
        covered.model_dump(mode="json"),
        reason=f"not cited: {'; '.join(missing)}" if missing else "all are cited",
    )


Found = dict[GoldPart, list[bool]]


def _strictly(gold: Gold, subject: Subject) -> Found:
    """By citations that come to something: of the page's address, of an entry that is the page or file, or of one that
    bears its title where no address is known."""
    cited = [it for mark in citing_marks(subject.report or "", subject.evidence) for it in mark.cited]
    resolved = [each for each in cited if each.type != "unresolved"]
    return {
        "sandbox": [_page_is_cited(document, resolved) for document in gold.sandbox.documents],
        "files": [_file_is_cited(document, resolved) for document in gold.files.documents],
    }


def _page_is_cited(page: RequiredDocument, cited: Sequence[Cited]) -> bool:
    if page.url.strip():
        return _address(page.url) in {_address(url) for each in cited for url in _urls(each)}
    return _folded(page.title) in {
        _folded(title)
        for each in cited
        for title in [title for title in (each.title, "" if each.entry is None else each.entry.title) if title.strip()]
    }


def _file_is_cited(file: RequiredDocument, cited: Sequence[Cited]) -> bool:
    entries = [each.entry for each in cited if each.entry is not None and each.entry.kind == "file"]
    return _folded(file.title) in {_folded(name) for entry in entries for name in (entry.key, entry.title)}


def _urls(cited: Cited) -> list[str]:
    entry = cited.entry
    held = [] if entry is None else [entry.url or "", entry.key if entry.kind == "web" else ""]
    return [url for url in (cited.url or "", *held) if url]


def _address(url: str) -> str:
    return normalise_url(url).partition("://")[2].removeprefix("www.").rstrip("/")


def _folded(title: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", title).casefold().split())


def _as_released(gold: Gold, subject: Subject) -> Found:
    """By titles that stand anywhere in the report as a reader gets it, its list of sources included."""
    text = render_report(subject.report or "", subject.evidence.values(), style="plain").text
    titles: dict[GoldPart, list[str]] = {
        part: [document.title or document.url for document in gold.part(part).documents] for part in GOLD_PARTS
    }
    held = (
        set[str]()
        if NO_ANSWER in text
        else matched_titles(text, [title for part in GOLD_PARTS for title in titles[part]])
    )
    return {part: [title in held for title in titles[part]] for part in GOLD_PARTS}
