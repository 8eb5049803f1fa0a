"""Classes of kernels: what stands in one is a field."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import Any, ClassVar

import pytest

from nasm.nki import language as nl


class Kind(Enum):
    plain = 1
    scaled = 2


class Bare(nl.NKIObject):
    first: int
    second = None
    third: int = 3

    def total(self) -> int:
        return self.first + self.third

    @staticmethod
    def made() -> int:
        return 7

    @property
    def twice(self) -> int:
        return 2 * self.first


@dataclass
class Decorated(nl.NKIObject):
    index = None
    offset = 4
    kind: Kind = Kind.plain
    needed: int = None  # type: ignore[assignment]
    names: list[str] = field(default_factory=list)
    shared: ClassVar[int] = 9

    def __post_init__(self) -> None:
        self.after = self.offset


@dataclass(frozen=True)
class Frozen(nl.NKIObject):
    size: int
    other: int = 2


class Own(nl.NKIObject):
    size: int = 1

    def __init__(self, size: int) -> None:
        self.size = 2 * size


def test_values_without_an_annotation_are_fields() -> None:
    made = Decorated(index=1, offset=2, kind=Kind.scaled)
    assert (made.index, made.offset, made.kind, made.needed) == (1, 2, Kind.scaled, None)
    assert made.after == 2
    assert Decorated().offset == 4


def test_a_field_that_nothing_gives_is_none() -> None:
    made = Bare()
    assert (made.first, made.second, made.third) == (None, None, 3)


def test_fields_come_by_position_or_name() -> None:
    assert Bare(1).total() == 4
    assert Bare(1, 5).third == 5
    assert Bare(first=2, second="x").second == "x"
    assert (Bare.made(), Bare(3).twice) == (7, 6)


def test_a_default_is_made_anew_for_each() -> None:
    one, other = Decorated(), Decorated()
    one.names.append("x")
    assert other.names == []
    assert "shared" not in vars(one)


def test_fields_can_be_written_and_others_added() -> None:
    made = Bare(1)
    made.second, made.fourth = 2, 4  # type: ignore[assignment, attr-defined]
    assert vars(made) == {"first": 1, "third": 3, "second": 2, "fourth": 4}


def test_a_frozen_one_can_be_made() -> None:
    made = Frozen(3)
    assert (made.size, made.other) == (3, 2)
    with pytest.raises(AttributeError):
        made.size = 4  # type: ignore[misc]


def test_a_class_keeps_its_own_way_to_be_made() -> None:
    assert Own(4).size == 8


def test_objects_are_equal_by_what_they_hold_and_can_be_kept_in_a_dict() -> None:
    assert Bare(1) == Bare(1) != Bare(2)
    assert {Bare(1): "x", Decorated(): "y"}[Bare(1)] == "x"


@pytest.mark.parametrize(
    ("args", "kwargs", "said"),
    [
        ((1, 2, 3, 4), {}, "takes 3 values but 4"),
        ((), {"forth": 1}, "unexpected keyword argument 'forth'"),
        ((1,), {"first": 2}, "multiple values for argument 'first'"),
    ],
)
def test_what_is_no_field_is_a_type_error(args: Any, kwargs: Any, said: str) -> None:
    with pytest.raises(TypeError, match=said):
        Bare(*args, **kwargs)
