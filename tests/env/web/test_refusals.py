"""Pages that came and refuse their content are no evidence; pages about such words are, however short."""

import pytest

from drretail.env.web.base import Fetched, WebPage
from drretail.env.web.cleaning import cleaned_page
from drretail.env.web.page import read_web_page
from drretail.env.web.refusals import LONGEST, REFUSES, title_refuses
from drretail.env.web.sandbox import SandboxWeb, shipped_corpora

URL = "https://www.lampenhof.example/p/oslo"
LAMP = "Oak foot, linen shade, 40 cm high. It takes an E27 bulb and costs 49 euros."


def state(title: str, body: str, head: str = "") -> str:
    html = f"<html><head><title>{title}</title>{head}</head><body>{body}</body></html>"
    return read_web_page(Fetched(URL, URL, "ok", 200, "text/html", "utf-8", html.encode())).state


REFUSALS = {
    "Page not found – Lampenhof": "<h1>We lost that one</h1><p>The page you wanted has moved or was never here.</p>",
    "Lampenhof": "<p>We value your privacy. We and our partners store information on a device. Accept all.</p>",
    "404 Not Found": "<h1>ページが見つかりません</h1><p>お探しのページは見つかりませんでした。</p>",
    "Log in to Lampenhof": "<h1>Log in to Lampenhof</h1><p>You need an account to see this page.</p>",
    "安全验证": "<p>请完成下方验证后继续访问。请拖动滑块完成拼图验证。</p>",
}
HONEST = {
    "What is a CAPTCHA?": "<h1>What is a CAPTCHA?</h1><p>A small puzzle that tells people from programs.</p>",
    "How to sign in to your router": "<h1>How to sign in</h1><p>Type the password from the sticker on its back.</p>",
    "Oslo lamp": "<h1>Oslo lamp</h1><p>Sorry, this item is sold out. Its shade is of linen, 40 cm wide.</p>",
    "Lampenhof": f"<h1>Oslo lamp</h1><p>{LAMP}</p>",
    "No robots lamp – Lampenhof": f"<h1>No robots lamp</h1><p>{LAMP}</p>",
    "ログインできないときの対処法": "<h1>ログインできないときの対処法</h1><p>文字の大きさを確かめます。</p>",
    "验证码是什么": "<h1>验证码是什么</h1><p>一种区分人类和计算机程序的自动程序，常见的形式有扭曲的文字。</p>",
}


@pytest.mark.parametrize("title", REFUSALS)
def test_a_short_page_without_a_subject_in_title_and_heading_refuses(title: str) -> None:
    assert state(title, REFUSALS[title]) == "blocked"


@pytest.mark.parametrize("title", HONEST)
def test_a_short_page_that_is_about_something_is_read(title: str) -> None:
    assert state(title, HONEST[title]) == "ok"


def test_a_short_page_that_asks_for_a_password_refuses() -> None:
    body = f"<h1>Oslo lamp</h1><p>{LAMP}</p>"
    login = "<form><input type='password'></form>"
    assert state("Oslo lamp", body + login) == "blocked"
    for beside in ("<header>{}</header>", "<div role='dialog'>{}</div>", "<aside>{}</aside>"):
        assert state("Oslo lamp", body + beside.format(login)) == "ok"


def test_a_long_page_is_read_whatever_its_title_says() -> None:
    offers = " ".join(f"Lamp number {number} of oak and linen." for number in range(60))
    assert state("Page not found | Lampenhof", f"<h1>Page not found</h1><p>{offers}</p>") == "ok"
    assert not title_refuses("Page not found", "a" * (LONGEST + 1), URL)


def test_no_page_that_ships_is_refused() -> None:
    for path in shipped_corpora().values():
        pages = SandboxWeb(path).pages
        assert [page.url for page in pages if title_refuses(page.title, page.text, page.url)] == []


def test_a_refusal_of_any_provider_is_blocked_and_has_no_text() -> None:
    page = cleaned_page(WebPage(URL, "Access denied", "You don't have permission to access this page.", "ok"))
    assert (page.state, page.text, page.problem) == ("blocked", "", REFUSES)
    assert cleaned_page(WebPage(URL, "Oslo lamp", "We value your privacy.", "ok")).state == "ok"
