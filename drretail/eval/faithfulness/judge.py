"""The three stages of faithfulness for one report, in order; each leaves verdicts that can be read on their own."""

from drretail.errors import UserError
from drretail.eval.faithfulness.claims import ALL, CITED, units
from drretail.eval.faithfulness.extraction import extract, extraction_prompts
from drretail.eval.faithfulness.live import judge_live
from drretail.eval.faithfulness.support import judge_support, support_prompt
from drretail.eval.judge import Hearing
from drretail.eval.subject import Subject

RULES = ("default", "paper", "drg")


async def judge(subject: Subject, hearing: Hearing) -> None:
    """Extracts the cited claims and all claims, then judges every unit; a failed one ends only its own branch."""
    if hearing.rules not in RULES:
        raise UserError(f"faithfulness knows no rules {hearing.rules!r}: use {', '.join(RULES)}.")
    await hearing.each(extract(subject, hearing, stage) for stage in (CITED, ALL))
    cited = await extract(subject, hearing, CITED)  # stands now
    found = [unit for claim in cited or () for unit in units(claim, hearing.rules)]
    await hearing.each(judge_support(subject, hearing, unit) for unit in found)
    if subject.page_at is not None:
        await hearing.each(judge_live(subject, hearing, unit, subject.page_at) for unit in found if unit.type == "web")


def prompt_hashes() -> frozenset[str]:
    """Of the prompts as they are worded today, and "" for what is settled or unverifiable without a question."""
    return frozenset({"", support_prompt().hash, *(prompt.hash for prompt in extraction_prompts().values())})
