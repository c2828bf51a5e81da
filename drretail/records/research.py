"""What the parts of a multi-agent system hand to each other (paper section 4): the schemas in which models answer."""

from pydantic import Field

from drretail.records.base import Record


class Insight(Record):
    """One finding that helps to answer the sub-problem."""

    statement: str = Field(min_length=1)
    citations: tuple[str, ...] = Field(
        default=(), description="The evidence ids that it rests on, such as P:B0… or W:…, without brackets."
    )


class SourceNote(Record):
    """One source with the facts that a report needs of it."""

    evidence: str = Field(min_length=1, description="Its evidence id.")
    title: str = ""
    url: str | None = None
    facts: str = Field(
        default="",
        description="Figures and words as the source has them: price, rating, number of ratings, sizes, advice.",
    )


class IntermediateReport(Record):
    """What one researcher found, consolidated, with its sources."""

    insights: tuple[Insight, ...] = ()
    sources: tuple[SourceNote, ...] = ()
    open_questions: tuple[str, ...] = ()


class PageSummary(Record):
    """A web page in few words, as far as it bears on a search."""

    relevant: bool = Field(default=True, description="Whether the page holds anything on the search.")
    summary: str = Field(default="", description="Blank where the page is not relevant.")
    quotes: tuple[str, ...] = Field(default=(), description="Sentences of the page, word for word.")


class FileAnswer(Record):
    """What a part of a file says on a question."""

    found: bool = Field(description="Whether it holds anything on the question.")
    answer: str = Field(default="", description="Blank where nothing was found.")
    quotes: tuple[str, ...] = Field(default=(), description="Lines or sentences of the file, word for word.")
