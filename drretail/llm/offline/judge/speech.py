"""What kind of speech a sentence is: some are no claims, whatever they cite."""

import re

from drretail.grounding.values import find_values
from drretail.llm.offline.judge.stems import content_stems

_QUESTION = re.compile(r"[?？][\"'”’)*_\]]*\s*$")
_IMPERATIVE = re.compile(
    r"^(?:and |but |so |then |first,? |finally,? |also,? |please )?(?:add|aim|ask|avoid|begin|bring|browse|buy"
    r"|check|choose|clean|combine|compare|consider|decide|don['’]t|do not|fill|find|follow|get|give|go|hang|hold"
    r"|install|keep|leave|let|look|make|measure|mind|mix|move|order|pair|pick|place|plan|plant|prefer|put|read"
    r"|remember|replace|return|save|see|select|set|skip|spend|start|stick|store|take|test|think|treat|try|use|wait"
    r"|wash|watch|weigh)\b",
    re.IGNORECASE,
)
_ADVICE = re.compile(
    r"\b(?:should|ought to|recommend(?:s|ed)?|suggest|consider|might want|may want|worth (?:it|a|the|considering)"
    r"|if you|you can|you could|let me know|feel free|your best bet|i would|i['’]d)\b",
    re.IGNORECASE,
)
_OPINION = re.compile(
    r"\b(?:great|perfect|ideal|lovely|beautiful|excellent|wonderful|amazing|fantastic|nice|ideally|best choice"
    r"|good choice|good value|solid|worthwhile|i (?:think|believe|feel|see|like|love|prefer)"
    r"|in my (?:view|opinion)|happy|enjoy)\b",
    re.IGNORECASE,
)
_ABOUT_ITSELF = re.compile(
    r"\b(?:this (?:report|answer|section|guide|list)|the (?:table|list|section) (?:below|above)|below"
    r"|as (?:shown|listed|noted) (?:above|below)"
    r"|i (?:searched|looked|compared|found|checked|could not|couldn['’]t|did not|didn['’]t)|here (?:is|are))\b",
    re.IGNORECASE,
)
_WISH = re.compile(
    r"\b(?:i(?:['’]m| am| need| want| have|['’]ve| would like|['’]d like)|my|me|we need|help me)\b", re.IGNORECASE
)
_VERB = re.compile(
    r"\b(?:is|are|was|were|be|been|has|have|had|does|do|did|can|cannot|can't|will|would|may|must|needs?|costs?"
    r"|weighs?|holds?|comes?|came|includes?|included|contains?|measures?|fits?|lasts?|runs?|works?|uses?|used"
    r"|makes?|made|gives?|keeps?|attracts?|eats?|grows?|supports?|provides?|offers?|requires?|helps?|prevents?"
    r"|reduces?|increases?|shows?|says?|said|finds?|found|reports?|states?|rated|priced|sold|bought|ordered"
    r"|purchased|delivered|shipped|lives?|hosts?|prefers?|belongs?|remains?|stays?|becomes?|suits?|features?"
    r"|resists?|withstands?|protects?|absorbs?|charges?|spends?|spent|averages?|totals?|owns?|stands?|takes?|took"
    r"|cover(?:s|ed)?|tend|tends|cause[sd]?|mean[s]?|feed[s]?|visit[s]?|love[s]?|like[s]?|avoid[s]?|bloom[s]?"
    r"|germinate[s]?|recommend(?:s|ed)?)\b|n['’]t\b|['’]s\b",
    re.IGNORECASE,
)
_LEAST_WORDS = 3


def is_claim(text: str, *, cited: bool, is_row: bool = False) -> bool:
    """True for a statement that could be found true or false; ``text`` is without marks and markup."""
    if _QUESTION.search(text) or text.startswith(("—", "–")):
        return False
    has_figures = bool(find_values(text)) or bool(re.search(r"\d", text))
    if is_row:
        return has_figures or cited
    if cited:
        return has_figures or len(text.split()) > _LEAST_WORDS or bool(_VERB.search(text))
    if _WISH.search(text) or _ABOUT_ITSELF.search(text):
        return False
    if bool(find_values(text)) and not (_ADVICE.search(text) and _IMPERATIVE.search(text)):
        return True
    if _IMPERATIVE.search(text) or _ADVICE.search(text) or _OPINION.search(text):
        return False
    return len(content_stems(text)) >= _LEAST_WORDS and bool(_VERB.search(text))
