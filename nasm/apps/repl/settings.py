"""What may be set of the debugger: each is declared once, and is an attribute of `Settings`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from nasm.apps.repl.command import WRONG
from nasm.base.problems import Refused, did_you_mean, listed, quoted
from nasm.base.records import dataclass, field, fields

NARROWEST = 40
"""Columns that everything can be laid out for."""

WIDEST = 1000
"""Columns that can be asked for."""


class SettingKind(Protocol):
    """What a setting may be."""

    @property
    def words(self) -> Mapping[str, str]:
        """The words it may be, with their meaning, for completion."""

    @property
    def legal(self) -> str:
        """What it may be, as a table says it."""

    def value(self, text: str) -> Any:
        """What a text means; raises ValueError."""

    def written(self, value: Any) -> str:
        """A value as it is written."""


@dataclass(frozen=True, slots=True)
class OnOff:
    """On or off."""

    @property
    def words(self) -> Mapping[str, str]:
        """The words it may be, with their meaning, for completion."""
        return {"on": "", "off": ""}

    @property
    def legal(self) -> str:
        """What it may be, as a table says it."""
        return "on, off"

    def value(self, text: str) -> bool:
        """What a text means; raises ValueError."""
        if text not in self.words:
            raise ValueError(text)
        return text == "on"

    def written(self, value: Any) -> str:
        """A value as it is written."""
        return "on" if value else "off"


@dataclass(frozen=True, slots=True)
class OneOf:
    """One of some words."""

    words: Mapping[str, str]

    @property
    def legal(self) -> str:
        """What it may be, as a table says it."""
        return ", ".join(self.words)

    def value(self, text: str) -> str:
        """What a text means; raises ValueError."""
        if text not in self.words:
            raise ValueError(text)
        return text

    def written(self, value: Any) -> str:
        """A value as it is written."""
        return str(value)


@dataclass(frozen=True, slots=True)
class Attended:
    """On, off, or on at a terminal."""

    @property
    def words(self) -> Mapping[str, str]:
        """The words it may be, with their meaning, for completion."""
        return {"auto": "at the prompt, and not unattended", "on": "unattended, too", "off": ""}

    @property
    def legal(self) -> str:
        """What it may be, as a table says it."""
        return ", ".join(self.words)

    def value(self, text: str) -> bool | None:
        """What a text means; raises ValueError."""
        if text not in self.words:
            raise ValueError(text)
        return None if text == "auto" else text == "on"

    def written(self, value: Any) -> str:
        """A value as it is written."""
        return "auto" if value is None else "on" if value else "off"


@dataclass(frozen=True, slots=True)
class ColumnCount:
    """A number of columns, or as many as there are."""

    @property
    def words(self) -> Mapping[str, str]:
        """The words it may be, with their meaning, for completion."""
        return {"auto": "as many as the terminal has"}

    @property
    def legal(self) -> str:
        """What it may be, as a table says it."""
        return f"auto, or {NARROWEST} to {WIDEST}"

    def value(self, text: str) -> int | None:
        """What a text means; raises ValueError."""
        if text == "auto":
            return None
        if not (text.isdecimal() and text.isascii() and len(text) < 6):
            raise ValueError(text)
        if not NARROWEST <= int(text) <= WIDEST:
            raise ValueError(text)
        return int(text)

    def written(self, value: Any) -> str:
        """A value as it is written."""
        return "auto" if value is None else str(value)


PANELS = {
    "source": "the program, with every engine's place",
    "queues": "what every engine does, and what is next",
    "semaphores": "the values, and who waits",
    "transfers": "the DMAs in flight",
    "psum": "the banks: owner and state",
    "display": "the values of 'display'",
    "time": "what every engine did in the last 1,000 cycles",
    "noc": "the map of the chip, with loads of links",
}
"""The panels that may be kept on screen, in their order."""

USUAL = tuple(name for name in PANELS if name not in ("time", "noc"))
"""Those that are, unless some are named."""


@dataclass(frozen=True, slots=True)
class Panels:
    """Some panels, or none."""

    @property
    def words(self) -> Mapping[str, str]:
        """The words it may be, with their meaning, for completion."""
        return PANELS | {"off": "none", "on": "the usual ones"}

    @property
    def legal(self) -> str:
        """What it may be, as a table says it."""
        return f"off, on, or some of {' '.join(PANELS)}"

    def value(self, text: str) -> tuple[str, ...]:
        """What a text means; raises ValueError."""
        words = text.replace(",", " ").split()
        if words in (["on"], ["off"]):
            return USUAL if words == ["on"] else ()
        if not words or set(words) - set(PANELS):
            raise ValueError(text)
        return tuple(name for name in PANELS if name in words)

    def written(self, value: Any) -> str:
        """A value as it is written."""
        return "on" if value == USUAL else " ".join(value) or "off"


@dataclass(frozen=True, slots=True)
class ReplSetting:
    """A setting: its name as it is written, what it may be, and what it does."""

    name: str
    kind: SettingKind
    summary: str


def _declared(name: str, kind: SettingKind, default: Any, summary: str) -> Any:
    return field(default=default, metadata={"setting": ReplSetting(name, kind, summary)})


COLORS = {
    "auto": "where a terminal has colours",
    "always": "into files and pipes, too",
    "never": "",
}


@dataclass(slots=True)
class ReplSettings:
    """The settings in force."""

    context: bool | None = _declared(
        "context", Attended(), None, "show what every engine is doing after each stop"
    )
    changes: bool = _declared("changes", OnOff(), True, "show what a move has changed")
    stop_on_hazard: bool | None = _declared(
        "stop-on hazard", Attended(), None, "let a hazard stop a run"
    )
    width: int | None = _declared(
        "width", ColumnCount(), None, "columns that everything is laid out for"
    )
    plain: bool = _declared(
        "plain", OnOff(), False, "for screen readers: ASCII, no bar, no menu, nothing redrawn"
    )
    echo: bool = _declared(
        "echo", OnOff(), False, "print each command that is not typed before its output"
    )
    view: tuple[str, ...] = _declared(
        "view", Panels(), (), "panels kept on screen above the prompt"
    )
    pager: bool = _declared(
        "pager", OnOff(), True, "show help that is longer than the screen page by page"
    )
    color: str = _declared("color", OneOf(COLORS), "auto", "show colours")

    def written(self, name: str) -> str:
        """A setting's value as it is written."""
        return SETTINGS[name].kind.written(getattr(self, _FIELDS[name]))

    def put(self, name: str, text: str) -> None:
        """Give a setting a value as it is written; raises Refused."""
        kind = SETTINGS[name].kind
        try:
            setattr(self, _FIELDS[name], kind.value(text))
        except ValueError:
            found = f"found '{quoted(text)}'" if text else "found nothing"
            raise Refused(
                WRONG, f"'{name}' is {kind.legal}; {found}", f"it is {self.written(name)}"
            ) from None


_FIELDS = {f.metadata["setting"].name: f.name for f in fields(ReplSettings)}

SETTINGS: dict[str, ReplSetting] = {
    f.metadata["setting"].name: f.metadata["setting"] for f in fields(ReplSettings)
}
"""Every setting by its name, in the order of declaration."""


def split(text: str) -> tuple[str, str]:
    """The setting a text begins with, which may be shortened, and its value; raises Refused."""
    words = text.split()
    for count in range(len(words), 0, -1):
        name = " ".join(words[:count])
        if name in SETTINGS:
            return name, " ".join(words[count:])
    found = [
        name
        for name in SETTINGS
        if all(whole.startswith(w) for whole, w in zip(name.split(), words, strict=False))
        and len(words) >= len(name.split())
    ]
    if len(found) == 1:
        return found[0], " ".join(words[len(found[0].split()) :])
    if found:
        raise Refused(WRONG, f"'{quoted(words[0])}' could be {listed(found)}")
    if len(words) == 2 and not did_you_mean(words[0], SETTINGS):
        hint = f"a value is given with '=': set {quoted(words[0])} = {quoted(words[1])}"
        raise Refused(WRONG, f"no setting '{quoted(text)}'", hint)
    raise Refused(
        WRONG,
        f"no setting '{quoted(text)}'",
        did_you_mean(words[0] if words else "", SETTINGS) or f"there is {listed(SETTINGS)}",
    )
