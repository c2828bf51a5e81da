"""Pages that came and refuse their content are no evidence; pages about such words are, however short."""

import pytest

from drretail.env.web.base import WebPage
from drretail.env.web.cleaning import cleaned_page
from drretail.env.web.refusals import REFUSES, refuses
from drretail.env.web.sandbox import SandboxWeb, shipped_corpora

REFUSALS = [
    ("Page not found – Hollis & Finch", "We lost that one", "The page you wanted has moved or was never here."),
    ("Lamps", "", "We value your privacy. We and our 812 partners store information on a device. Accept all."),
    ("Seite nicht gefunden | Möbelhaus Kraus", "Hoppla!", "Die von Ihnen gesuchte Seite existiert nicht mehr."),
    ("Mon Jardin", "Connectez-vous pour continuer", "Cet article est réservé à nos abonnés."),
    ("Acceso denegado", "Acceso denegado", "No tiene permiso para acceder a esta página. Referencia: 18.a2f3."),
    ("404 Not Found", "ページが見つかりません", "お探しのページは見つかりませんでした。"),
    ("安全验证", "", "请完成下方验证后继续访问。请拖动滑块完成拼图验证。"),
]
HONEST = [
    ("What is a CAPTCHA?", "What is a CAPTCHA?", "A CAPTCHA is a small puzzle that tells people from programs."),
    ("Butter cookies", "Butter cookies", "Cream 200 g butter with sugar, add 300 g flour, bake ten minutes."),
    ("How to sign in to your router", "How to sign in", "Type the password from the sticker on the back."),
    ("Oak lamp 40 cm", "Oak lamp 40 cm", "Sorry, this item is sold out. It has a linen shade and takes an E27 bulb."),
    ("Verbotene Pflanzen im Garten", "Verbotene Pflanzen", "Der Riesenbärenklau darf nicht angebaut werden."),
    ("验证码是什么", "验证码是什么", "验证码是一种区分人类和计算机程序的自动程序。常见的形式有扭曲的文字。"),
]


@pytest.mark.parametrize(("title", "heading", "text"), REFUSALS)
def test_a_page_that_says_little_but_that_it_is_not_there_or_not_open_refuses(
    title: str, heading: str, text: str
) -> None:
    assert refuses(title, heading, text)


@pytest.mark.parametrize(("title", "heading", "text"), HONEST)
def test_a_page_whose_subject_are_such_words_is_read(title: str, heading: str, text: str) -> None:
    assert not refuses(title, heading, text)


def test_a_long_page_is_read_whatever_its_title_says() -> None:
    offers = " ".join(f"Lamp number {number} of oak and linen." for number in range(60))
    assert not refuses("Page not found | Lamps", "Page not found", offers)


def test_no_page_that_ships_is_refused() -> None:
    for path in shipped_corpora().values():
        assert [page.url for page in SandboxWeb(path).pages if refuses(page.title, page.title, page.text)] == []


def test_a_refusal_of_any_provider_is_blocked_and_has_no_text() -> None:
    url = "https://lamps.example/oak"
    page = cleaned_page(WebPage(url, "Access denied", "You don't have permission to access this page.", "ok"))
    assert (page.state, page.text, page.problem) == ("blocked", "", REFUSES)
