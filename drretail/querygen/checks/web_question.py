"""Whether what the query asks of the web is answered in the bodies of pages, where no result of a search shows it."""

from collections.abc import Iterator

from drretail.env.session import RESULTS
from drretail.grounding.report.evidence_ids import normalise_url
from drretail.querygen.checks.case import Code, QueryCase, finding
from drretail.records.evidence import Finding

LEAST = 2
"""The pages that a search has to find: with one, nobody can tell whether pages agree."""
_WRITE = "correct the web question in the file of decisions, or write the page"
CODES = {
    "web_answer_not_on_page": Code("a page named as an answer is not in the web, or lacks the quote or a key", _WRITE),
    "web_answer_in_snippet": Code("the search already shows a key of the answer: nobody has to read the page", _WRITE),
    "web_answer_not_found": Code(f"a search with the question's words finds fewer than {LEAST} answers", _WRITE),
}


def check(case: QueryCase) -> Iterator[Finding]:
    """Reads as two readers do: one who sees the results of a search for the question, and one who opens the pages."""
    question = case.query.web_question
    # A web that is yet to be made has no answers, and what the open web holds changes.
    if question is None or not question.answers or case.stock.web.corpus is None:
        return
    results = case.stock.web.search(question.text, RESULTS)
    for answer in question.answers:
        if not answer.is_in(case.stock.web.fetch(answer.url).text):
            yield finding("web_answer_not_on_page", answer.url, answer.quote)
    for result in results:  # a third page's snippet spares the reading as well
        shown = f"{result.title}\n{result.snippet}"
        for key in sorted({key for answer in question.answers for key in answer.keys_in(shown)}):
            yield finding("web_answer_in_snippet", key, f"{result.url}: {result.snippet}")
    urls = {normalise_url(result.url) for result in results}
    if len(urls & {normalise_url(answer.url) for answer in question.answers}) < LEAST:
        yield finding("web_answer_not_found", question.text, f"it finds {', '.join(sorted(urls)) or 'no page'}")
