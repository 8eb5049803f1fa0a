"""Dataclasses that cost a start little: each method is compiled when it is first called.

``dataclasses.dataclass`` compiles up to six methods per class when the class is defined, about a
millisecond, and needs ``inspect``. A run defines some 240 such classes and calls few of their
methods. The names here are used as those of ``dataclasses``, and type checkers see those; what
nasm has no use for (order, ``InitVar``, ``KW_ONLY``) is left out. Functions of ``dataclasses``
accept these classes, too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from reprlib import recursive_repr
from types import MappingProxyType, MemberDescriptorType
from typing import TYPE_CHECKING, Any, Final

__all__ = ["dataclass", "field", "fields", "is_dataclass", "replace"]

_MISSING: Final = object()
"""The default of a field that has none."""


class _Factory:
    """The default of a parameter whose field has a factory."""

    def __repr__(self) -> str:
        return "<factory>"


_FACTORY: Final = _Factory()
_FIELDS: Final = "__record_fields__"


class _Field:
    """What is known of a field; the attributes of ``dataclasses.Field``."""

    __slots__ = (
        "compare",
        "default",
        "default_factory",
        "hash",
        "init",
        "kw_only",
        "metadata",
        "name",
        "repr",
        "type",
    )

    def __init__(
        self,
        *,
        default: Any = _MISSING,
        default_factory: Any = _MISSING,
        init: bool = True,
        repr: bool = True,
        hash: bool | None = None,
        compare: bool = True,
        metadata: Mapping[Any, Any] | None = None,
        kw_only: bool | None = None,
    ) -> None:
        self.name = ""
        self.type: Any = None
        self.default = default
        self.default_factory = default_factory
        self.init = init
        self.repr = repr
        self.hash = hash
        self.compare = compare
        self.metadata = MappingProxyType({} if metadata is None else metadata)
        self.kw_only = kw_only


def _dataclass(
    cls: type | None = None,
    /,
    *,
    repr: bool = True,
    eq: bool = True,
    frozen: bool = False,
    kw_only: bool = False,
    slots: bool = False,
) -> Any:
    """As ``dataclasses.dataclass``."""

    def decorate(cls: type) -> type:
        return _record(cls, _own_fields(cls, kw_only), repr, eq, frozen, slots)

    return decorate if cls is None else decorate(cls)


def _own_fields(cls: type, kw_only: bool) -> dict[str, _Field]:
    """The fields that a class body declares; its attributes become their defaults."""
    own = {}
    for name, kind in cls.__annotations__.items():
        if kind.startswith("ClassVar"):
            continue
        default = getattr(cls, name, _MISSING)
        if isinstance(default, MemberDescriptorType):  # the slot of a base class
            default = _MISSING
        described = default if isinstance(default, _Field) else _Field(default=default)
        described.name, described.type = name, kind
        if described.kw_only is None:
            described.kw_only = kw_only
        if described.default is not _MISSING:
            if described.default.__class__.__hash__ is None:
                raise ValueError(f"{name} of {cls.__name__} has a mutable default")
            setattr(cls, name, described.default)
        elif name in vars(cls):
            delattr(cls, name)
        own[name] = described
    return own


def _record(
    cls: type, own: dict[str, _Field], repr: bool, eq: bool, frozen: bool, slots: bool
) -> type:
    known: dict[str, _Field] = {}
    for base in cls.__mro__[:0:-1]:
        known.update(vars(base).get(_FIELDS, {}))
    known.update(own)
    if slots:
        cls = _slotted(cls, known)
    given = vars(cls)
    added: dict[str, Any] = {
        _FIELDS: known,
        "__dataclass_fields__": _Described("__dataclass_fields__", frozen),
        "__dataclass_params__": _Described("__dataclass_params__", frozen),
        "__match_args__": tuple(f.name for f in known.values() if f.init and not f.kw_only),
        "__replace__": _replace,
    }
    if "__init__" not in given:
        added["__init__"] = _later(cls, "__init__", lambda: _init(cls, known, frozen))
        added["__signature__"] = _SIGNATURE
    if repr:
        added["__repr__"] = _repr
    if eq:
        added["__eq__"] = _later(cls, "__eq__", lambda: _eq(known))
        # a class that defines only __eq__ has a __hash__ of None
        if given.get("__hash__") is None:
            made = _later(cls, "__hash__", lambda: _hash(known)) if frozen else None
            added["__hash__"] = made
    if frozen:
        added["__setattr__"], added["__delattr__"] = _setattr, _delattr
        if slots:
            added["__getstate__"], added["__setstate__"] = _getstate, _setstate
    for name, value in added.items():
        if name not in given or name == "__hash__":
            setattr(cls, name, value)
    return cls


def _slotted(cls: type, known: dict[str, _Field]) -> type:
    """The class once more, with slots: they can be given only when a class is made."""
    inherited = {slot for base in cls.__mro__[1:-1] for slot in vars(base).get("__slots__", ())}
    body = {k: v for k, v in vars(cls).items() if k not in known}
    for name in ("__dict__", "__weakref__"):
        body.pop(name, None)
    body["__slots__"] = tuple(name for name in known if name not in inherited)
    made = type(cls)(cls.__name__, cls.__bases__, body)
    made.__qualname__ = cls.__qualname__
    return made


def _later(cls: type, name: str, make: Callable[[], Callable[..., Any]]) -> Callable[..., Any]:
    """A method that replaces itself, when it is first called, by the one that is compiled then."""

    def compiled() -> Callable[..., Any]:
        if vars(cls)[name] is pending:
            made = make()
            made.__qualname__ = f"{cls.__qualname__}.{name}"
            made.__module__ = cls.__module__
            setattr(cls, name, made)
        return vars(cls)[name]  # type: ignore[no-any-return]

    def pending(self: Any, *args: Any, **kwargs: Any) -> Any:
        return compiled()(self, *args, **kwargs)

    pending.compiled = compiled  # type: ignore[attr-defined]
    return pending


def _compile(text: str, names: dict[str, Any]) -> Callable[..., Any]:
    found: dict[str, Any] = {}
    exec(text, names, found)
    (made,) = found.values()
    return made  # type: ignore[no-any-return]


def _init(cls: type, known: dict[str, _Field], frozen: bool) -> Callable[..., Any]:
    names: dict[str, Any] = {"_factory": _FACTORY, "_set": object.__setattr__}
    positional: list[str] = ["self"]
    by_name: list[str] = []
    body: list[str] = []
    for one in known.values():
        parameter, value = one.name, one.name
        names[f"_default_{one.name}"] = one.default
        if one.default is not _MISSING:
            parameter = f"{one.name}=_default_{one.name}"
            value = one.name if one.init else f"_default_{one.name}"
        elif one.default_factory is not _MISSING:
            names[f"_make_{one.name}"] = one.default_factory
            parameter = f"{one.name}=_factory"
            value = f"_make_{one.name}()"
            if one.init:
                value += f" if {one.name} is _factory else {one.name}"
        elif not one.init:  # left to __post_init__
            continue
        if one.init:
            (by_name if one.kw_only else positional).append(parameter)
        slot = getattr(cls, one.name, None)
        if not frozen:
            body.append(f"self.{one.name} = {value}")
        elif isinstance(slot, MemberDescriptorType):  # twice as fast as object.__setattr__
            names[f"_set_{one.name}"] = slot.__set__
            body.append(f"_set_{one.name}(self, {value})")
        else:
            body.append(f"_set(self, {one.name!r}, {value})")
    if hasattr(cls, "__post_init__"):
        body.append("self.__post_init__()")
    parameters = ", ".join([*positional, *(["*", *by_name] if by_name else [])])
    lines = "\n    ".join(body or ["pass"])
    made = _compile(f"def __init__({parameters}):\n    {lines}", names)
    made.__annotations__ = {f.name: f.type for f in known.values() if f.init} | {"return": None}
    return made


def _tuple_of(whose: str, names: list[str]) -> str:
    return f"({''.join(f'{whose}.{name}, ' for name in names)})"


def _eq(known: dict[str, _Field]) -> Callable[..., Any]:
    names = [f.name for f in known.values() if f.compare]
    return _compile(
        "def __eq__(self, other):\n"
        "    if other.__class__ is self.__class__:\n"
        f"        return {_tuple_of('self', names)} == {_tuple_of('other', names)}\n"
        "    return NotImplemented",
        {},
    )


def _hash(known: dict[str, _Field]) -> Callable[..., Any]:
    names = [f.name for f in known.values() if (f.compare if f.hash is None else f.hash)]
    return _compile(f"def __hash__(self):\n    return hash({_tuple_of('self', names)})", {})


@recursive_repr()
def _repr(self: Any) -> str:
    shown = ", ".join(f"{f.name}={getattr(self, f.name)!r}" for f in _fields(self) if f.repr)
    return f"{type(self).__qualname__}({shown})"


def _setattr(self: Any, name: str, value: Any) -> None:
    from dataclasses import FrozenInstanceError

    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _delattr(self: Any, name: str) -> None:
    from dataclasses import FrozenInstanceError

    raise FrozenInstanceError(f"cannot delete field {name!r}")


def _getstate(self: Any) -> list[Any]:
    return [getattr(self, f.name) for f in _fields(self)]


def _setstate(self: Any, state: list[Any]) -> None:
    for described, value in zip(_fields(self), state, strict=True):
        object.__setattr__(self, described.name, value)


def _fields(of: Any) -> tuple[_Field, ...]:
    """As ``dataclasses.fields``."""
    return tuple(getattr(of, _FIELDS).values())


def _is_dataclass(what: Any) -> bool:
    """As ``dataclasses.is_dataclass``."""
    return hasattr(what, _FIELDS)


def _replace(self: Any, /, **changes: Any) -> Any:
    """As ``dataclasses.replace``."""
    for described in _fields(self):
        if described.init:
            changes.setdefault(described.name, getattr(self, described.name))
    return type(self)(**changes)


class _Described:
    """An attribute that ``dataclasses`` looks for, made when it does."""

    __slots__ = ("frozen", "name")

    def __init__(self, name: str, frozen: bool) -> None:
        self.name = name
        self.frozen = frozen

    def __get__(self, _: object, owner: type) -> Any:
        import dataclasses

        declared = []
        for one in _fields(owner):
            given = {k: getattr(one, k) for k in ("init", "repr", "hash", "compare", "metadata")}
            given |= {
                k: getattr(one, k)
                for k in ("default", "default_factory")
                if getattr(one, k) is not _MISSING
            }
            made = dataclasses.field(**given, kw_only=bool(one.kw_only))
            declared.append((one.name, one.type, made))
        model = dataclasses.make_dataclass(owner.__name__, declared, frozen=self.frozen)
        found = getattr(model, self.name)
        setattr(owner, self.name, found)
        return found


class _Signature:
    """The signature of a class whose ``__init__`` may not be compiled yet."""

    __slots__ = ()

    def __get__(self, instance: object, owner: type) -> Any:
        if instance is not None:
            raise AttributeError("__signature__")
        import inspect

        init: Any = owner.__init__  # type: ignore[misc]
        whole = inspect.signature(getattr(init, "compiled", lambda: init)())
        return whole.replace(parameters=list(whole.parameters.values())[1:])


_SIGNATURE: Final = _Signature()

if TYPE_CHECKING:
    from dataclasses import dataclass, field, fields, is_dataclass, replace
else:
    dataclass, field, fields, replace = _dataclass, _Field, _fields, _replace
    is_dataclass = _is_dataclass
