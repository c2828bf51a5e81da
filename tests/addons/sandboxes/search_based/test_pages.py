"""Pages that say the same in another frame."""

from random import Random

from drretail.addons.sandboxes.search_based.pages import SeenTexts


def words(rng: Random, count: int) -> str:
    return " ".join(f"w{rng.randint(0, 4000)}" for _ in range(count))


def test_a_syndicated_text_in_another_frame_is_known_and_another_of_its_theme_is_not() -> None:
    rng, seen = Random(3), SeenTexts()
    article = words(rng, 400)
    assert seen.earlier("a", article) is None
    assert seen.earlier("b", f"{words(rng, 40)} {article} {words(rng, 30)}") == "a"
    assert seen.earlier("c", f"{' '.join(article.split()[:120])} {words(rng, 280)}") is None
    assert seen.earlier("d", f"Home {article.upper()}") == "a"
    assert seen.earlier("e", "Short.") is None
    assert seen.earlier("f", "short") == "e"
    short = words(rng, 150)
    assert seen.earlier("whole", f"{short} {words(rng, 150)}") is None
    assert seen.earlier("part", short) == "whole"
