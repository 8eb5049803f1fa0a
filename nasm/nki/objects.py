"""Classes of kernels: every attribute in one is a field, annotated or not."""

from __future__ import annotations

import inspect
from dataclasses import MISSING
from typing import Any


class NKIObject:
    """What classes of kernels derive from.

    Fields are what a class and its bases annotate, and the values in them; one without a value is
    None. ``@dataclass`` adds nothing to that: it leaves ``__init__`` alone.
    """

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if cls.__init__ is NKIObject.__init__ or cls.__init__ is _initialise:
            # A dataclass does not replace what the class itself has.
            cls.__init__ = _initialise  # type: ignore[method-assign]
        if "__hash__" not in vars(cls):
            cls.__hash__ = NKIObject.__hash__  # type: ignore[method-assign]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        _initialise(self, *args, **kwargs)

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and vars(other) == vars(self)

    def __hash__(self) -> int:
        return hash(type(self))

    def __repr__(self) -> str:
        text = ", ".join(f"{name}={value!r}" for name, value in vars(self).items())
        return f"{type(self).__name__}({text})"


def _initialise(self: NKIObject, *args: Any, **kwargs: Any) -> None:
    """The fields in their order, by position or name."""
    cls = type(self)
    names = fields(cls)
    if len(args) > len(names):
        raise TypeError(f"{cls.__name__}() takes {len(names)} values but {len(args)} were given")
    given = dict(zip(names, args, strict=False))
    for name, value in kwargs.items():
        if name not in names:
            raise TypeError(f"{cls.__name__}() got an unexpected keyword argument {name!r}")
        if name in given:
            raise TypeError(f"{cls.__name__}() got multiple values for argument {name!r}")
        given[name] = value
    for name in names:
        # A frozen dataclass refuses to be written to otherwise.
        object.__setattr__(self, name, given[name] if name in given else _default(cls, name))
    after = getattr(self, "__post_init__", None)
    if after is not None:
        after()


def _default(cls: type, name: str) -> Any:
    """The value of a field that is not given."""
    declared = getattr(cls, "__dataclass_fields__", {}).get(name)
    if declared is not None and declared.default_factory is not MISSING:
        return declared.default_factory()
    return getattr(cls, name, None)


def fields(cls: type) -> tuple[str, ...]:
    """The fields of a class: those of its bases first, annotated ones before others."""
    names: dict[str, None] = {}
    for base in reversed(cls.__mro__):
        annotated = inspect.get_annotations(base)
        shared = {n for n, kind in annotated.items() if "ClassVar" in str(kind)}
        values = [n for n, value in vars(base).items() if _is_value(n, value)]
        names |= dict.fromkeys(n for n in (*annotated, *values) if n not in shared)
    return tuple(names)


def _is_value(name: str, value: Any) -> bool:
    """Whether an attribute of a class is the value of a field."""
    if name.startswith("_") or inspect.isroutine(value):
        return False
    return not isinstance(value, (property, staticmethod, classmethod))
