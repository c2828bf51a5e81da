"""Pages that stand in front of the page: bot checks, captchas, consent and login walls."""

import re

from lxml.html import HtmlElement

REFUSING = frozenset({401, 402, 403, 407, 429, 451})
"""HTTP answers by which a site does not let us look."""
LONGEST_WALL = 2_500
"""Characters of text: a page that says more is a page, even if it speaks of captchas."""
LONGEST_SHELL = 600
"""The same for pages with nothing but the machinery of a check in them."""
_SAYS = re.compile(
    r"verify(?:ing)? (?:that )?you(?:'re| are) (?:a |not a )?(?:human|robot|bot)|are you (?:a )?(?:human|robot)|"
    r"not a robot|robot or human|confirm (?:that )?you(?:'re| are) (?:a )?human|press (?:&|and) hold|"
    r"complete the (?:captcha|security check)|(?:enter|type) the characters|solve (?:the|this) (?:captcha|puzzle)|"
    r"checking your browser|checking if the site connection is secure|just a moment\W*$|pardon our interruption|"
    r"unusual (?:traffic|activity) from your|automated (?:access|requests|queries|traffic)|"
    r"access (?:to this page )?(?:has been |is )?(?:denied|blocked)|you have been blocked|"
    r"request (?:was |has been )?blocked|blocked by (?:our )?security|too many requests|rate limit(?:ed)? exceeded|"
    r"enable javascript and cookies to continue|please (?:turn on|enable) (?:javascript|js) and disable|"
    r"reference #\d+\.[0-9a-f]|\bray id\b|\bincident id\b|"
    r"before you continue to|we (?:value|care about|respect) your privacy|"
    r"(?:accept|agree to|consent to) (?:all |our |the use of )?cookies? (?:to|and) (?:continue|proceed)|"
    r"(?:not available|unavailable) (?:for legal reasons|in your (?:country|region))|"
    r"(?:log|sign) in to (?:continue|read|view|see)|subscribe to (?:continue|keep) reading|subscribers? only|"
    r"bestätigen sie, dass sie (?:ein )?mensch|kein roboter|zugriff verweigert|"
    r"n'êtes pas un robot|accès refusé|no eres un robot|acceso denegado",
    re.IGNORECASE | re.MULTILINE,
)
_MACHINERY = re.compile(
    r"cf-(?:challenge|turnstile|browser-verification)|challenge-(?:form|platform|running)|__cf_chl|px-captcha|"
    r"perimeterx|captcha-delivery|datadome|_incapsula_|distil_|g-recaptcha|h-?captcha|arkoselabs|awswafcaptcha|"
    r"validatecaptcha",
    re.IGNORECASE,
)
_ATTRIBUTES = ("id", "class", "src", "action")


def is_wall(page: HtmlElement, title: str, text: str) -> bool:
    """True for a page whose text is short and says, or whose elements show, that something stands before the page."""
    if len(text) > LONGEST_WALL:
        return False
    if _SAYS.search(f"{title}\n{text}"):
        return True
    return len(text) <= LONGEST_SHELL and has_machinery(page)


def has_machinery(page: HtmlElement) -> bool:
    """True when an element belongs to one of the well-known checks."""
    return any(
        _MACHINERY.search(value[:500])
        for element in page.iter("form", "div", "script", "iframe", "section", "main")
        for name in _ATTRIBUTES
        if (value := element.get(name)) is not None
    )
