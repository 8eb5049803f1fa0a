"""The page api.md: every public name of nasm, from its signature and docstring."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator
from enum import Enum
from types import ModuleType
from typing import Any, ForwardRef

import nasm
from generator.markdown import NOTE, code, joined, prose, table

WIDTH = 88

_ROLE = re.compile(r":\w+:`~?(?:[\w.]*\.)?(\w+)`")
_HEAD = (
    "Everything that `import nasm` gives, with signatures and docstrings. "
    "[The guide](guide/index.md) shows the first steps, [tools](tools.md) comparisons and other "
    "timings, "
    "[the debugger's page](repl.md) what its commands do, which the methods of `Session` do, too. "
    "Nothing else is public: modules inside the package may change in any version."
)
_SECTIONS: dict[str, Callable[[Any], bool]] = {
    "Functions": inspect.isfunction,
    "Errors": lambda value: inspect.isclass(value) and issubclass(value, BaseException),
    "Classes": inspect.isclass,
    "Modules": inspect.ismodule,
}
"""The kinds of names, in the order of the page; a name belongs to the first that takes it."""


def page() -> str:
    """The public names by kind; whoever imports nasm sees no others."""
    left = [(name, getattr(nasm, name)) for name in nasm.__all__ if not name.startswith("__")]
    parts = [NOTE, "# The Python interface", _HEAD]
    for title, takes in _SECTIONS.items():
        found = [(name, value) for name, value in left if takes(value)]
        left = [one for one in left if one not in found]
        parts.append(f"## {title}")
        for name, value in found:
            parts += _entry(name, value)
    if left:
        raise SystemExit(f"api.md has no section for nasm.{left[0][0]}")
    return joined(*parts)


def _entry(name: str, value: Any) -> Iterator[str]:
    yield f"### nasm.{name}"
    if not (inspect.ismodule(value) or (inspect.isclass(value) and issubclass(value, Enum))):
        yield f"```text\n{signature(name, value)}\n```"
    yield described(inspect.getdoc(value) or "")
    if inspect.isclass(value):
        yield _members(value)
    elif inspect.ismodule(value):
        yield _names(value)


def _members(cls: type) -> str:
    """What can be called or read of a class beside its fields, a line each."""
    if issubclass(cls, Enum):
        return "One of " + ", ".join(code(member.name) for member in cls) + "."
    rows = []
    for name, member in inspect.getmembers(cls):
        plain = inspect.unwrap(member) if callable(member) else member
        home = getattr(plain.fget if isinstance(plain, property) else plain, "__module__", "")
        summary = _summary(member)
        if name.startswith("_") or not (home or "").startswith("nasm"):
            continue
        if isinstance(member, property):
            rows.append([code(name), _plain(summary)])
        elif inspect.isfunction(plain) or inspect.ismethod(plain):
            rows.append([code(one_line(name, plain)), _plain(summary)])
    for part, kind in _parts(cls):
        rows += [
            [code(f"{part}.{one_line(name, member)}"), _plain(_summary(member))]
            for name, member in inspect.getmembers(kind, inspect.isfunction)
            if not name.startswith("_")
            and inspect.unwrap(getattr(cls, name, nasm)) is not inspect.unwrap(member)
        ]
    return table(["", "what it does or is"], rows) if rows else ""


def _parts(cls: type) -> Iterator[tuple[str, type]]:
    """The parts of a session: attributes whose methods the session has only in part.

    Its execution is not among them: what users need of that are methods of the session.
    """
    for name, kind in vars(cls).get("__annotations__", {}).items():
        home = vars(inspect.getmodule(cls)).get(kind)
        inner = name == "execution" or isinstance(vars(cls).get(name), property)
        if inspect.isclass(home) and not inner:
            yield name, home


def _summary(value: Any) -> str:
    return (inspect.getdoc(value) or "").partition("\n\n")[0]


def _names(module: ModuleType) -> str:
    """The public names of a module, a line each."""
    found = [(name, getattr(module, name)) for name in module.__all__]
    rows = [
        [
            code(one_line(name, value) if inspect.isfunction(value) else name),
            _plain(_summary(value)),
        ]
        for name, value in found
    ]
    return table(["", "what it does or is"], rows)


# ---------------------------------------------------------------- signatures


def signature(name: str, value: Any) -> str:
    """A call as it is declared, with types; on several lines if it is long."""
    parameters, result = _declared(value, types=True)
    line = f"{name}({', '.join(parameters)}){result}"
    if len(line) <= WIDTH:
        return line
    return f"{name}(\n" + "".join(f"    {one},\n" for one in parameters) + f"){result}"


def one_line(name: str, value: Any) -> str:
    """A call with the names of its parameters and their defaults."""
    parameters, _ = _declared(value, types=False)
    return f"{name}({', '.join(parameters)})"


def _declared(value: Any, *, types: bool) -> tuple[list[str], str]:
    try:
        found = inspect.signature(value)
    except ValueError:  # a class that takes what an exception takes
        return ["*args"], ""
    made: list[str] = []
    starred = False
    for one in found.parameters.values():
        if one.name == "self":
            continue
        if one.kind is one.KEYWORD_ONLY and not starred:
            made.append("*")
        starred = starred or one.kind in (one.KEYWORD_ONLY, one.VAR_POSITIONAL)
        star = {one.VAR_POSITIONAL: "*", one.VAR_KEYWORD: "**"}.get(one.kind, "")
        made.append(f"{star}{one.name}{_typed(one, types)}")
    result = _annotation(found.return_annotation)
    return made, f" -> {result}" if types and result and not inspect.isclass(value) else ""


def _typed(one: inspect.Parameter, types: bool) -> str:
    kind = _annotation(one.annotation) if types else ""
    default = "" if one.default is one.empty else _default(one.default)
    if kind:
        return f": {kind}" + (f" = {default}" if default else "")
    return f"={default}" if default else ""


def _annotation(given: Any) -> str:
    if given is inspect.Parameter.empty:
        return ""
    if isinstance(given, ForwardRef):
        return given.__forward_arg__
    return given if isinstance(given, str) else inspect.formatannotation(given)


def _default(value: object) -> str:
    if isinstance(value, Enum):
        return f"{type(value).__name__}.{value.name}"
    shown = repr(value)
    return "…" if "<" in shown else shown  # `<function f at 0x…>`, also inside of others


# ---------------------------------------------------------------- docstrings


def described(text: str) -> str:
    """A docstring as Markdown: roles and literals as code, indented examples as they are."""
    return "\n\n".join(map(_paragraph, text.split("\n\n")))


def _paragraph(text: str) -> str:
    if text.startswith("    "):
        return text
    made = prose(_plain(text))
    return re.sub(r"^\\\*(?= )", "*", made, flags=re.MULTILINE) if text.startswith("* ") else made


def _plain(text: str) -> str:
    """A docstring without the marks of Sphinx."""
    return re.sub(r"::$", ":", _ROLE.sub(r"`\1`", text).replace("``", "`"))
