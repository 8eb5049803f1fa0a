"""``nasm.base.records``, whose classes are those of ``dataclasses``, compiled later."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
from collections.abc import Callable
from typing import Any, ClassVar

import pytest

from nasm.base import records


class Ours:
    """The classes that nasm's decorator makes."""


class Theirs:
    """The same classes, made by the library's."""


def _declare(where: type, dataclass: Any, field: Any) -> None:
    @dataclass(frozen=True, slots=True)
    class Point:
        """A frozen one."""

        x: int
        y: int = field(default=2, compare=False)
        marks: list[int] = field(default_factory=list, hash=False, repr=False)
        ORIGIN: ClassVar[int] = 0

        def far(self) -> int:
            return self.x + self.y

    @dataclass(frozen=True, slots=True, kw_only=True)
    class Named(Point):
        """One that inherits and checks."""

        name: str = ""
        size: int = field(init=False, default=3)

        def __post_init__(self) -> None:
            object.__setattr__(self, "size", len(self.name))

    @dataclass(slots=True)
    class Box:
        """One that changes."""

        content: object
        more: dict[str, int] = field(default_factory=dict)

    @dataclass(frozen=True, repr=False)
    class Open:
        """One without slots, with methods of its own."""

        a: int

        def __eq__(self, other: object) -> bool:
            return True

        def __repr__(self) -> str:
            return "open"

    @dataclass(eq=False, slots=True)
    class Same:
        """One that is compared by identity."""

        a: int = 1

    for made in (Point, Named, Box, Open, Same):
        made.__qualname__ = f"{where.__name__}.{made.__name__}"
        setattr(where, made.__name__, made)


_declare(Ours, records.dataclass, records.field)
_declare(Theirs, dataclasses.dataclass, dataclasses.field)


def error(make: Callable[[], object]) -> tuple[type, str] | object:
    """What a call returns, or how it fails."""
    try:
        return make()
    except Exception as failed:
        return type(failed), str(failed)


def behaviour(where: Any) -> list[object]:
    """What the classes of one kind do."""
    point, same = where.Point(1, marks=[4]), where.Same()
    named, box = where.Named(1, name="abc"), where.Box([1])
    box.content = box
    things = [point, named, box, where.Open(1), same]
    return [
        *map(repr, things),
        [[error(lambda a=a, b=b: a == b) for a in things if a is not box] for b in things[:2]],
        point == where.Point(1, 7, [4]),
        point == where.Point(1, 7, [5]),
        [error(lambda one=one: hash(one)) for one in [*things[:3], where.Open(2)]],
        hash(same) == hash(where.Same()),
        error(lambda: where.Point()),
        error(lambda: where.Point(1, 2, [], 4)),
        error(lambda: where.Named(1, 2, [], "positional")),
        error(lambda: setattr(point, "x", 2)),
        error(lambda: delattr(point, "x")),
        error(lambda: setattr(where.Box(1), "other", 2))[0],  # type: ignore[index]
        repr(copy.deepcopy(named)),
        pickle.loads(pickle.dumps(point)) == point,
        pickle.loads(pickle.dumps(where.Box(1))).content,
        [dataclasses.asdict(one) for one in (point, named, same)],
        repr(dataclasses.replace(point, x=5)),
        error(lambda: dataclasses.replace(named, size=1))[0],  # type: ignore[index]
        [dataclasses.is_dataclass(one) for one in [*things, where.Point, int]],
        [one.__match_args__ for one in things],
        [str(inspect.signature(one)) for one in (where.Point, where.Named, where.Same)],
        [(f.name, f.repr, f.init, f.hash) for f in dataclasses.fields(named)],
        [type(one).__dataclass_params__.frozen for one in things],  # type: ignore[attr-defined]
        [hasattr(one, "__dict__") for one in things],
        [where.Point.ORIGIN, point.far(), where.Point.__doc__, where.Same.a.__class__.__name__],
    ]


def test_its_classes_are_those_of_the_library() -> None:
    def texts(where: type) -> list[str]:
        found = (repr(one).replace("_declare.<locals>.", "") for one in behaviour(where))
        return [one.replace(f"{where.__name__}.", "") for one in found]

    assert texts(Ours) == texts(Theirs)


def test_its_own_functions_are_those_of_the_library() -> None:
    named = Ours.Named(1, name="abc")  # type: ignore[attr-defined]
    assert records.replace(named, name="ab") == dataclasses.replace(named, name="ab")
    assert records.replace(named, name="ab").size == 2
    for one in (named, type(named)):
        found = [(f.name, f.type, f.init, f.compare) for f in records.fields(one)]
        assert found == [(f.name, f.type, f.init, f.compare) for f in dataclasses.fields(one)]
    assert records.is_dataclass(named)
    assert not records.is_dataclass(1)
    with pytest.raises(ValueError, match="mutable"):

        @records.dataclass
        class _Wrong:
            a: list[int] = []  # noqa: RUF012


def test_a_method_is_compiled_when_it_is_first_called() -> None:
    @records.dataclass(frozen=True, slots=True)
    class Late:
        """One that nothing has called yet."""

        a: int

    def compiled() -> list[str]:
        names = ("__init__", "__eq__", "__hash__")
        return [name for name in names if not hasattr(vars(Late)[name], "compiled")]

    assert not compiled()
    late = Late(1)
    assert compiled() == ["__init__"]
    assert late == Late(1)
    assert compiled() == ["__init__", "__eq__"]
    assert hash(late) == hash((1,))
    assert len(compiled()) == 3
