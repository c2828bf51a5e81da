"""The rows of a table of your own shop as rows of the dataset: products with their variants, and lines of orders."""

import hashlib
import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from functools import cached_property, partial
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

from drretail.data_ingest.raw.columns import Columns, Mapping, OrderColumns, ProductColumns, columns_named, listed
from drretail.data_ingest.raw.lines import LONGEST_SHOWN, SHOWN, Saved, day_of, later_than
from drretail.data_ingest.raw.products import ROW_FIELDS, parse_json
from drretail.data_ingest.raw.sources import Source
from drretail.data_ingest.raw.tables import Table, open_table
from drretail.data_ingest.raw.values import (
    amount_in,
    currencies_in,
    days_in,
    form_of,
    is_price,
    moment_of,
    number_in,
    parts_of,
    text_of,
)
from drretail.errors import UserError
from drretail.records.base import ID_RULE, NO_ID, is_safe_id
from drretail.records.shop import LIST_PRICE, ORDER_STATUSES, OTHER_TITLES, STOCK, USD, VARIANTS
from drretail.records.tables.figures import counted, first_few

Row = dict[str, Any]
# Characters: with the number of an order's line, an id stays within the 64 that a citation may have.
_LONGEST_ID = 60
_CITED_BY = "reports cite by letters, digits, _ and -"
_HIDDEN = frozenset({"draft", "archived", "unlisted", "false", "no", "0", "-1", "hidden", "private", "pending"})
_YES = frozenset({"1", "yes", "true", "continue", "notify", "allow"})
_NO = frozenset({"0", "no", "false"})
_EXPECTED = ("parent", "category", "price", "store", "description", "stock", "quantity", "status")
"""Fields whose absence is told of an export: under an unknown name their columns are not read."""
_NO_OPTION = "Default Title"
"""What Shopify writes for the only variant of a product."""


def save_table(source: Source, target: Path, until_ms: int) -> Saved:
    """Writes the good rows of a table as lines of JSON in the dataset's form, and counts the others.

    Raises UserError if the mapping does not fit the rows: another decimal mark, several currencies, statuses that it
    does not name, dates that may be read in two ways, or bytes that are not UTF-8.
    """
    assert source.mapping is not None, "a table has a mapping"
    saved, mapping = Saved(), source.mapping
    if source.shape == "products":
        rows = _products(source.path, mapping, saved, until_ms)
    else:
        rows = _orders(source, mapping, saved, until_ms)
    with target.open("w", encoding="utf-8") as file:
        for row in rows:
            saved.rows += 1
            saved.first += [row] if len(saved.first) < SHOWN else []
            file.write(json.dumps(row, ensure_ascii=False) + "\n")
    return saved


def citable(text: str | None) -> str | None:
    """A text as an id: each character but letters, digits, _ and - becomes a hyphen."""
    return re.sub(r"[^A-Za-z0-9_-]", "-", text or "").lstrip("-_") or None


def _first(row: Row, columns: Columns | None) -> str | None:
    return next((text for column in listed(columns) if (text := text_of(row.get(column))) is not None), None)


def _id(row: Row, columns: Columns | None) -> str | None:
    """The first of these texts; JSON's true and false are no ids."""
    values = (value for column in listed(columns) if not isinstance(value := row.get(column), bool))
    return next((text for value in values if (text := text_of(value)) is not None), None)


def _read(table: Table, saved: Saved) -> Iterator[tuple[int, Row]]:
    for line, row in table.rows():
        if isinstance(row, str):
            saved.reject(line, row)
        else:
            yield line, row


def _problem(saved: Saved, line: int, problem: str, written: object = None) -> None:
    saved.reject(line, problem if written is None else f"{problem}: {str(written)[:LONGEST_SHOWN]!r}")


def _tell_columns(table: Table, part: ProductColumns | OrderColumns, mapping: Mapping, saved: Saved) -> None:
    """Notes which columns of an export are not read, and which fields no column was found for."""
    if mapping.format is None:
        return
    fields = [name for name in _EXPECTED if name in type(part).model_fields and not getattr(part, name)]
    if lacking := [name for name in fields if mapping.format != "merchant" or name != "quantity"]:
        saved.notes.append(f"no column is known for {', '.join(lacking)}: name it in the mapping")
    read = {column for _, column in columns_named(part)}
    if unread := [column for column in table.columns if column not in read and column]:
        saved.notes.append(f"columns that are not read: {first_few(unread, 12)}")


class _Line(NamedTuple):
    """A row of a table of products."""

    number: int
    """That of its line."""
    cells: Row
    own: str | None
    """Its own id."""
    said: str | None
    """The id of its product, as it names it."""
    is_own: bool
    """True if it is the product itself and no variant."""


class _Shelf:
    """The rows of a table of products, by family: a product with its variants."""

    def __init__(self, path: Path, mapping: Mapping, saved: Saved, until_ms: int = 0) -> None:
        self.table, self.columns, self.mapping = open_table(path), mapping.products, mapping
        _tell_columns(self.table, self.columns, mapping, saved)
        self.families: dict[str, list[_Line]] = defaultdict(list)
        self._rows_read = rows = list(_read(self.table, saved))
        numbers = dict[str, str]()
        for _, row in rows:  # a row may name its parent by the last of several id columns; products go by the first
            if number := text_of(row.get(listed(self.columns.id)[-1])):
                numbers.setdefault(number, _id(row, self.columns.id) or number)
        own_ids = set(numbers.values())
        for line, row in rows:
            own, parent = _id(row, self.columns.id), _id(row, self.columns.parent)
            parent = None if parent is None else parent.removeprefix("id:")
            parent = numbers.get(parent, parent) if parent is not None and parent not in own_ids else parent
            said = parent or own
            self.families[said or f"line {line}"].append(_Line(line, row, own, said, parent in (None, own)))
        for family in self.families.values():
            family.sort(key=lambda each: not each.is_own)
        left = 0
        for key, family in list(self.families.items()):
            hidden = [self._is_hidden(each.cells) for each in family]
            kept = [] if hidden[0] else [each for each, is_gone in zip(family, hidden, strict=True) if not is_gone]
            left += len(family) - len(kept)
            self.families[key] = kept
        if left:
            named = ", ".join(listed(self.columns.published))
            saved.notes.append(f"{counted(left, 'row')} left out that are not published ({named})")
        self.today = day_of(until_ms)

    @cached_property
    def decimal(self) -> str:
        """The mark before the cents."""
        names = (*listed(self.columns.price), *listed(self.columns.sale_price))
        return self.mapping.decimal or _decimal(row.get(name) for _, row in self._rows_read for name in names)

    def _is_hidden(self, row: Row) -> bool:
        return any((_first(row, name) or "").lower() in _HIDDEN for name in listed(self.columns.published))

    def _rows(self, family: list[_Line], place: int) -> Iterator[Row]:
        """The cells of a row of a family, before those that say what it leaves empty."""
        yield family[place].cells
        if self.columns.parent is not None:
            yield from (each.cells for each in family)

    def _any_text(self, family: list[_Line], place: int, names: Columns | None) -> str | None:
        return next((text for row in self._rows(family, place) if (text := _first(row, names)) is not None), None)

    def title(self, family: list[_Line], place: int) -> Any:
        """That of a row of a family, or the product's."""
        return self._text(self._any_text(family, place, self.columns.title))

    def fields(self, family: list[_Line], place: int) -> Row:
        """What a row of a family says, in the dataset's form, with what its own cells leave empty of the product."""
        columns, row, any_text = self.columns, family[place].cells, partial(self._any_text, family, place)

        def any_parts(names: Columns | None) -> list[str]:
            rows = self._rows(family, place)
            found = ([part for name in listed(names) for part in parts_of(each.get(name))] for each in rows)
            return [self._text(part) for part in next(filter(None, found), [])]

        price, list_price = self._prices(row)
        details = {name: _json(row.get(column)) for name, column in columns.details.items()}
        details = {name: value for name, value in details.items() if value is not None}
        if (stock := self._stock(row)) is not None:
            details[STOCK] = int(stock) if re.fullmatch(r"[+-]?\d+", stock) else stock
        number = number_in(price, self.decimal)
        high, low = amount_in(number_in(list_price, self.decimal)), amount_in(number)
        if high is not None and low is not None and high > low:
            details[LIST_PRICE] = high
        return {
            "title": self.title(family, place),
            "average_rating": number_in(any_text(columns.rating), self.decimal),
            "rating_number": (number_in(any_text(columns.ratings), self.decimal) or "").replace(",", "") or None,
            "features": any_parts(columns.features) or None,
            "description": any_parts(columns.description) or None,
            "price": number if is_price(number) else None,
            "store": any_text(columns.store),
            "categories": self._path(self._rows(family, place)),
            "details": details,
            "images": any_text(columns.image),
            "product_url": any_text(columns.link) or self._address(family[place].said),
            "said": price,
            "number": number,
            "stock": stock,
        }

    def options(self, family: list[_Line], place: int) -> dict[str, str]:
        """How a variant differs. Shopify names an option on the first row of a product alone."""
        options, row = self.columns.options, family[place].cells
        if isinstance(options, dict):
            pairs = [(name, text_of(row.get(column))) for name, column in options.items()]
        else:
            above = [each.cells for each in family[place::-1]]
            names = (next((text for each in above if (text := text_of(each.get(name)))), None) for name, _ in options)
            pairs = [(name, text_of(row.get(value))) for name, (_, value) in zip(names, options, strict=True)]
        chosen: dict[str, str] = {}
        for name, value in pairs:
            if name and value and value != _NO_OPTION:
                chosen.setdefault(name, value)
        return chosen

    def _prices(self, row: Row) -> tuple[Any, Any]:
        """The price as its cell has it, and the earlier one. A sale price counts on the days planned for it."""
        columns, today = self.columns, self.today
        price, earlier, sale = (
            next((row.get(name) for name in listed(names) if text_of(row.get(name))), None)
            for names in (columns.price, columns.list_price, columns.sale_price)
        )
        begins, ends = days_in(*(text_of(row.get(name)) for name in (columns.sale_from, columns.sale_to) if name))
        if sale is not None and (begins is None or begins <= today) and (ends is None or today <= ends):
            return sale, price
        return price, earlier

    def _stock(self, row: Row) -> str | None:
        """The stock as text; None if it is not counted, or does not end the sale."""
        columns = self.columns
        if columns.tracker is not None and _first(row, columns.tracker) is None:
            return None
        if (_first(row, columns.backorders) or "").lower() in _YES:
            return None
        return "sold out" if (_first(row, columns.available) or "").lower() in _NO else _first(row, columns.stock)

    def _path(self, rows: Iterable[Row]) -> list[str] | None:
        """The parts of a category path, from the root on. A further column adds the parts that no column before it has.

        Of several paths in a cell of WooCommerce the longest counts, with the other paths' parts behind its root.
        """
        for row in rows:
            path: list[str] = []
            for column in listed(self.columns.category):
                value = row.get(column)
                if self.mapping.format == "woocommerce":
                    cells = re.split(r"(?<!\\),", text_of(value) or "")
                    paths = [parts_of(cell.replace("\\,", ","), ">") for cell in cells if cell.strip()]
                    longest = max(paths, key=len, default=[])
                    others = sorted({part for each in paths for part in each} - {*longest})
                    parts = [*longest[:1], *others, *longest[1:]]
                else:
                    parts = parts_of(value, ">")
                path += [part for part in parts if part not in path]
            if path:
                return path
        return None

    def _text(self, text: str | None) -> Any:
        return text.replace("\\n", "\n") if text and self.mapping.format == "woocommerce" else text

    def _address(self, said: str | None) -> str | None:
        form = self.mapping.product_url
        return form and re.sub(r"\{(?:handle|id)\}", lambda _: quote(said or "", safe=""), form)


def _decimal(values: Iterable[Any]) -> str:
    """The mark before the cents that these prices have; a dot, unless some have a comma there and none a dot."""
    texts = [number_in(value, ".") or "" for value in values if isinstance(value, str)]
    is_comma = any(re.search(r"\d,\d{1,2}$", text) for text in texts)
    return "," if is_comma and not any(re.search(r"\d\.\d{1,2}$", text) for text in texts) else "."


def _json(value: Any) -> Any:
    """A cell as JSON, with its type; a text that is a JSON object becomes that object."""
    text = text_of(value)
    if text is not None and text.startswith("{") and (inner := parse_json(text)) is not None:
        return inner
    return text if text is None or isinstance(value, str) else value


def _family_id(said: str | None) -> str | None:
    """The id of a product. A handle is made of the whole title, and may be too long."""
    own = citable(said)
    if own is None or said is None or len(own) <= _LONGEST_ID:
        return own
    return f"{own[: _LONGEST_ID - 9]}-{hashlib.md5(said.encode()).hexdigest()[:8]}"  # noqa: S324 -- no secret


def _products(path: Path, mapping: Mapping, saved: Saved, until_ms: int) -> list[Row]:
    shelf, columns = _Shelf(path, mapping, saved, until_ms), mapping.products
    identity = columns.parent or " or ".join(listed(columns.id))
    rows: list[Row] = []
    said: list[tuple[str, str]] = []
    for key, family in shelf.families.items():
        own = _family_id(key) if columns.parent is not None else citable(key)
        good: list[int] = []
        made = [shelf.fields(family, place) for place in range(len(family))]
        for place, line in enumerate(family):
            if line.said is None or own is None:
                _problem(saved, line.number, f"no {identity}")
            elif len(own) > _LONGEST_ID:
                _problem(saved, line.number, f"{identity} has more than {_LONGEST_ID} characters", own)
            elif made[place]["title"] is None:
                _problem(saved, line.number, f"no title ({columns.title})")
            else:
                good.append(place)
                said.append((line.said, own))
        if columns.parent is None:
            rows += [{"parent_asin": own, **made[place]} for place in good]
        elif good:
            rows.append({"parent_asin": own, **_merged(shelf, family, good, made, own or "")})
    _check_ids(path, said, saved)
    priced = [each for row in rows for each in row.get("priced", [row])]
    _check_prices(path, shelf.decimal, priced, saved)
    currency = _currency(path, mapping, priced, saved)
    if varied := [row["details"][VARIANTS] for row in rows if "priced" in row]:
        saved.notes.append(f"{sum(map(len, varied)):,} rows are variants of {counted(len(varied), 'product')}")
    fields = ("parent_asin", *ROW_FIELDS)
    return [{name: row.get(name) for name in fields} | {"shop_currency": currency} for row in rows]


def _merged(shelf: _Shelf, family: list[_Line], good: list[int], made: list[Row], own: str) -> Row:
    """The variants of a product as one row, with options in its details and features, and the lowest price.

    A row of several variants has the rows of theirs as "priced".
    """
    variants: dict[str, Row] = {}
    values: dict[str, list[str]] = {}
    titles: dict[str, str] = {}
    others: dict[str, None] = {}
    for place in good:
        chosen, variant = shelf.options(family, place), citable(family[place].own)
        row = made[place]
        if variant and titles.setdefault(variant, row["title"]) != row["title"]:  # the same in another language
            others[row["title"]] = None
            continue
        # A row without data of its own, such as one for a further picture, is no variant.
        if variant == own or not (variant or row["price"] is not None or chosen):
            continue
        for name, value in chosen.items():
            if value not in values.setdefault(name, []):
                values[name].append(value)
        offer_id = variant or citable("-".join((own, *chosen.values())))
        offer = {"id": offer_id, **chosen, "price": amount_in(row["price"])}
        offer |= {"stock": row["stock"], "list_price": row["details"].get(LIST_PRICE)}
        offer = {name: value for name, value in offer.items() if value is not None}
        variants.setdefault(json.dumps(offer), offer)
    base, first = dict(made[good[0]]), good[0]
    base["details"] |= {OTHER_TITLES: [*others]} if others else {}
    is_own = citable(family[first].own) == own
    if len(variants) <= 1 and not (is_own and variants):
        return base | {"details": base["details"] | shelf.options(family, first)}
    amounts = [offer["price"] for offer in variants.values() if "price" in offer]
    low, high = (min(amounts), max(amounts)) if amounts else (None, None)
    details = base["details"] | (shelf.options(family, first) if is_own else {})
    if not is_own:
        details = {name: value for name, value in details.items() if name not in (STOCK, LIST_PRICE)}
    price = None if low is None else f"from {low}" if low != high else str(low)
    features = [*(base["features"] or ()), *(f"{name}: {', '.join(texts)}" for name, texts in values.items())]
    details |= {VARIANTS: [*variants.values()]}
    more = {"price": price, "features": features or None, "details": details}
    return base | more | {"priced": [made[place] for place in good]}


def _check_ids(path: Path, said: Iterable[tuple[str, str]], saved: Saved) -> None:
    """Notes ids that are written otherwise. Raises UserError if two different ones would become one."""
    by_own: dict[str, dict[str, None]] = defaultdict(dict)
    for written, own in said:
        by_own[own][written] = None
    for own, names in sorted(by_own.items()):
        if len(names) > 1:
            one, another = sorted(names)[:2]
            raise UserError(
                f"{path} has the ids {one!r} and {another!r}, which would both be {own!r} ({_CITED_BY}): give one of "
                "them another id."
            )
    if changed := [(written, own) for own, names in by_own.items() for written in names if written != own]:
        written, own = changed[0]
        example = f"{written[:LONGEST_SHOWN]!r} as {own!r}"
        saved.notes.append(f"{counted(len(changed), 'id')} written otherwise, such as {example}: {_CITED_BY}")


def _check_prices(path: Path, decimal: str, rows: Iterable[Row], saved: Saved) -> None:
    """Notes prices that cannot be read. Raises UserError if they use the other decimal mark."""
    priced = [row for row in rows if row["number"] is not None]
    other = "." if decimal == "," else ","
    if wrong := [row for row in priced if re.fullmatch(r".*\d,\d{1,2}", row["number"])]:
        raise UserError(
            f"{path} has {counted(len(wrong), 'price')} such as {text_of(wrong[0]['said'])!r}, which decimal = "
            f"{decimal!r} cannot read: write decimal = {other!r} in the mapping, or mend the file."
        )
    if unread := [text_of(row["said"]) or "" for row in priced if row["price"] is None]:
        saved.notes.append(f"{counted(len(unread), 'price')} unknown, such as {unread[0][:LONGEST_SHOWN]!r}")
    if odd := [text_of(row["said"]) for row in priced if re.fullmatch(r"\d{1,3}\.\d{3}", row["number"])]:
        saved.notes.append(
            f"{counted(len(odd), 'price')} with three decimals, such as {odd[0]!r}: where that means thousands, write "
            f"decimal = {other!r}"
        )


def _currency(path: Path, mapping: Mapping, rows: Iterable[Row], saved: Saved) -> str:
    """The one currency of all prices. Notes it if nothing names it for sure.

    Raises UserError if a price names another currency, by its code or by a sign that cannot mean this one.
    """
    named: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for text in (text_of(row["said"]) or "" for row in rows if row["price"] is not None):
        named[currencies_in(text)].append(text)
    named.pop((), None)
    by_count = sorted(named.items(), key=lambda each: (-len(each[1]), each[0]))
    currency = mapping.currency or (by_count[0][0][0] if by_count else USD)
    if mapping.currency is None and not by_count:
        saved.notes.append(f'prices name no currency and are taken as {USD}: write currency = "EUR" in the mapping')
    elif mapping.currency is None and all(len(codes) > 1 for codes, _ in by_count):
        (codes, texts), *_ = by_count
        saved.notes.append(
            f"prices such as {texts[0][:LONGEST_SHOWN]!r} are taken as {currency}: if they are in {codes[1]}, write "
            f'currency = "{codes[1]}" in the mapping'
        )
    for codes, texts in by_count:
        if currency not in codes:
            raise UserError(
                f"{path} has {counted(len(texts), 'price')} such as {texts[0][:LONGEST_SHOWN]!r}, and the world's "
                f"currency is {currency}: say another in the mapping, or convert those prices."
            )
    return currency


def _orders(source: Source, mapping: Mapping, saved: Saved, until_ms: int) -> list[Row]:
    orders = mapping.orders
    assert orders is not None, "a mapping without orders names no file of them"
    table = open_table(source.path)
    _tell_columns(table, orders, mapping, saved)
    rows = list(_read(table, saved))
    if mapping.format == "shopify":
        _fill_down(rows, orders)
    moments = _moments(rows, orders, mapping, table.path, saved)
    aliases = _aliases(source, mapping) if mapping.products.parent or len(listed(orders.product)) > 1 else {}
    meanings = {word.lower(): word for word in ORDER_STATUSES}
    meanings |= {word.strip().lower(): ours for word, ours in mapping.status.items()}
    strange, said, made = Counter[str](), list[tuple[str, str]](), list[Row]()
    user_name, product_name = " or ".join(listed(orders.user)), " or ".join(listed(orders.product))
    for (line, row), moment in zip(rows, moments, strict=True):
        order = _id(row, orders.id)
        user = _id(row, orders.user)
        user = None if (user or "").lower() in NO_ID else user
        if orders.hash_users and user:
            user = f"u{hashlib.sha256(user.lower().encode()).hexdigest()[:12]}"
        names = [text_of(row.get(column)) for column in listed(orders.product)]
        item = next((aliases[name] for name in names if name in aliases), citable(_id(row, orders.product)))
        own = citable(order)
        number = re.sub(r"[.,]0+$", "", _first(row, orders.quantity) or "")
        if user is None:
            _problem(saved, line, f"no {user_name}")
        elif not is_safe_id(user):
            _problem(saved, line, f"{user_name} is no id ({ID_RULE}): hash_users = true makes ids of all", user)
        elif item is None or len(item) > _LONGEST_ID:
            _problem(saved, line, *_id_problem(product_name, item))
        elif moment is None:
            _problem(saved, line, f"no date ({' or '.join(listed(orders.date))})", _first(row, orders.date))
        elif moment[0] > until_ms:
            _problem(saved, line, later_than(until_ms), _first(row, orders.date))
        elif orders.id is not None and (own is None or len(own) > _LONGEST_ID):
            _problem(saved, line, *_id_problem(orders.id, own))
        elif orders.quantity is not None and not (number.isascii() and number.isdecimal() and int(number) >= 1):
            _problem(saved, line, f"no whole number from 1 ({orders.quantity})", _first(row, orders.quantity))
        else:
            status = _status(row, orders, meanings, strange)
            said += [(order, own)] if order and own else []
            made.append(
                {
                    "user_id": user,
                    "parent_asin": item,
                    "timestamp": moment[0],
                    "order_id": own if orders.id is not None else None,
                    "quantity": int(number) if orders.quantity is not None else None,
                    "order_status": status,
                    "utc_offset": moment[1],
                }
            )
    _check_ids(table.path, said, saved)
    if strange:
        counts = sorted(strange.items(), key=lambda each: (-each[1], each[0]))
        raise UserError(
            f"{table.path} has statuses that the mapping does not know: "
            f"{first_few([f'{word!r} ({rows:,})' for word, rows in counts], 5)}. Write in [status] which of "
            f'{", ".join(ORDER_STATUSES)} each of them is, such as {counts[0][0]!r} = "Delivered".'
        )
    return made


def _id_problem(column: str, own: str | None) -> tuple[str, str | None]:
    return (f"no {column}", None) if own is None else (f"{column} has more than {_LONGEST_ID} characters", own)


def _fill_down(heads: list[tuple[int, Row]], orders: OrderColumns) -> None:
    """Gives the rows of an order what only its first row says."""
    first: dict[str, Row] = {}
    names = [name for part in (orders.user, orders.date, orders.status, orders.cancelled) for name in listed(part)]
    for _, row in heads:
        if key := _id(row, orders.id):
            above = first.setdefault(key, row)
            row |= {name: above[name] for name in names if text_of(row.get(name)) is None and name in above}


def _moments(
    heads: list[tuple[int, Row]], orders: OrderColumns, mapping: Mapping, path: Path, saved: Saved
) -> list[tuple[int, int] | None]:
    """The moment of each row, read in the form that fits most of them if the mapping names none; notes the form."""
    texts = [_first(head, orders.date) for _, head in heads]
    if mapping.date_format is not None:
        return [moment_of(text, mapping.date_format) for text in texts]
    form = form_of([text for text in texts if text is not None], str(path))
    if form is None:
        return [moment_of(text) for text in texts]
    example = next(text for text in texts if text is not None and moment_of(text) is None)
    saved.notes.append(f"dates such as {example[:LONGEST_SHOWN]!r} were read as {form}: write date_format for another")
    return [moment_of(text, form) or moment_of(text) for text in texts]


def _status(head: Row, orders: OrderColumns, meanings: dict[str, str], strange: Counter[str]) -> str | None:
    """What became of an order; counts a word without a meaning."""
    if orders.cancelled is not None and text_of(head.get(orders.cancelled)) is not None:
        return "Cancelled"
    if orders.status is None:
        return None if orders.cancelled is None else "Delivered"
    words = [(_first(head, column) or "").lower() for column in listed(orders.status)]
    unknown = next((word for word in words if word and word not in meanings), None)
    found = next((ours for word in words if (ours := meanings.get(word)) and (word or word is words[-1])), None)
    if unknown is not None or not found:
        strange[words[-1] if unknown is None else unknown] += 1
    return found


def _aliases(source: Source, mapping: Mapping) -> dict[str, str]:
    """The names by which orders may call a product: its variants' ids and titles, each if it is one product's alone."""
    (products,) = source.beside
    shelf, owners = _Shelf(products, mapping, Saved()), defaultdict[str, dict[str, None]](dict)
    for key, family in shelf.families.items():
        own = _family_id(key)
        for place, line in enumerate(family):
            title, options = shelf.title(family, place), shelf.options(family, place)
            names = [line.own, title, f"{title} - {' / '.join(options.values())}" if options else None]
            for name in filter(None, names if own and title else ()):
                owners[name][own or ""] = None
    return {name: next(iter(products)) for name, products in owners.items() if len(products) == 1}
