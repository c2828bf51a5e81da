from dataclasses import dataclass, field, replace

from drretail.remembered import remembered, remembered_by


@dataclass(frozen=True)
class Shop:
    asked: list[str] = field(default_factory=list[str])

    @remembered
    def size(self, kind: str, *, wide: bool = False) -> int:
        self.asked.append(f"{kind} {wide}")
        return len(kind) * (2 if wide else 1)

    @remembered_by(lambda kind, decided: None if decided else kind.casefold())
    def price(self, kind: str, decided: bool) -> str:
        self.asked.append(kind)
        return f"{kind} {decided}"


def test_each_argument_is_asked_about_once_also_if_the_answer_is_nothing() -> None:
    shop = Shop()
    found = [shop.size("mug"), shop.size(""), shop.size("mug"), shop.size("mug", wide=True), shop.size("")]
    assert (found, shop.asked) == ([3, 0, 3, 6, 0], ["mug False", " False", "mug True"])
    assert replace(shop).size("mug") == 3
    assert shop.asked[3:] == ["mug False"], "another object remembers nothing of the first"
