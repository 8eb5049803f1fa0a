"""A document and its page come from one table."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from enum import Enum

from nasm.show.documents import LEFT_OUT, Key, each, listed, merged, pairs, part, plain


class Colour(Enum):
    RED = 1


@dataclass(frozen=True)
class Wheel:
    size: float


@dataclass(frozen=True)
class Cart:
    name: str
    colour: Colour = Colour.RED
    wheels: tuple[Wheel, ...] = ()
    spare: Wheel | None = None
    loads: tuple[tuple[str, int], ...] = ()
    notes: tuple[str, ...] = field(default=())


WHEEL = (Key("size", "how large"),)
CART = (
    Key("name", "its name"),
    Key("colour", "its colour"),
    each("wheels", WHEEL),
    part("spare", WHEEL, "null: none"),
    pairs("loads", "what it carries"),
    Key("notes", "what is known"),
    merged(WHEEL, "of the first", lambda cart: cart.wheels[0]),
    Key("rare", "only of some", lambda cart: cart.name if cart.spare else LEFT_OUT),
    Key("other", "a wheel", "spare", WHEEL, elsewhere=True),
)


def test_a_record_becomes_a_dictionary_in_the_order_of_its_keys() -> None:
    cart = Cart("c", wheels=(Wheel(1.0), Wheel(math.nan)), loads=(("hay", 2),), notes=("old",))
    made = plain(cart, CART)
    assert made == {
        "name": "c",
        "colour": "red",
        "wheels": [{"size": 1.0}, {"size": "nan"}],
        "spare": None,
        "loads": {"hay": 2},
        "notes": ["old"],
        "size": 1.0,
        "other": None,
    }
    assert list(made) == ["name", "colour", "wheels", "spare", "loads", "notes", "size", "other"]
    with_spare = plain(Cart("d", wheels=(Wheel(1.0),), spare=Wheel(-math.inf)), CART)
    assert (with_spare["spare"], with_spare["rare"]) == ({"size": "-inf"}, "d")


def test_the_same_table_gives_the_rows_of_the_page() -> None:
    assert list(listed(CART, "cart.")) == [
        (("cart.name",), "its name"),
        (("cart.colour",), "its colour"),
        (("cart.wheels[].size",), "how large"),
        (("cart.spare",), "null: none"),
        (("cart.spare.size",), "how large"),
        (("cart.loads",), "what it carries"),
        (("cart.notes",), "what is known"),
        (("cart.size",), "of the first"),
        (("cart.rare",), "only of some"),
        (("cart.other",), "a wheel"),
    ]
