"""A timeline in a terminal: a strip for each queue, unit and ring, and what its letters mean."""

from __future__ import annotations

from rich.text import Text

from nasm.analysis.profile.records import MOVERS
from nasm.analysis.profile.timeline import BUSY, EMPTY, READYING, Strip, Timeline
from nasm.show.time_units import Lengths

MARKS = {
    BUSY: ("█", "#", "busy"),
    READYING: ("▒", "%", "made ready"),
    EMPTY: ("·", ".", "nothing left"),
    MOVERS: ("d", "d", "DMA"),
    "data": ("=", "=", "its own result"),
    "unit": ("-", "-", "its unit"),
    "port": ("|", "|", "a port"),
    "core": ("&", "&", "the other core"),
    "semaphore": ("?", "?", "a semaphore that nothing has posted to"),
}
"""How a state is drawn, without more than ASCII too, and what it is called in the legend."""

ALPHABET = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
"""Letters for what has none of its own left."""

STYLES = {BUSY: "green", READYING: "magenta", EMPTY: "dim"}
LEVELS, PLAIN = " ▁▂▃▄▅▆▇█", " .:-=+*%#"


def room(names: list[str], width: int) -> int:
    """How many cells fit next to the names."""
    return max(1, width - max(map(len, names), default=0) - 1)


def shown(
    found: Timeline, micro: float, ascii_only: bool = False, *, here: bool = False
) -> list[Text]:
    """The strips below the times of their ends, and the legend. ``micro`` are ticks of a µs.

    ``here`` marks the end as where the run is.
    """
    names = [strip.name for strip in found.strips]
    wide = max(map(len, names), default=0)
    letters = marks(found, ascii_only)
    cells = max((len(strip.states or strip.levels) for strip in found.strips), default=0)
    lengths = Lengths.up_to(found.end / micro)
    begin, end = lengths.finely(found.begin / micro), lengths.finely(found.end / micro)
    end = f"here, {end} v" if here else end
    each = (found.end - found.begin) / micro / max(1, cells)
    gap = " " * max(1, cells - len(begin) - len(end))
    lines = [Text(f"{'':{wide}} {begin}{gap}{end}", "dim")]
    for strip in found.strips:
        line = Text(strip.name.ljust(wide) + " ", "bold")
        if strip.states:
            for state in strip.states:
                line.append(letters[state][0], STYLES.get(state, "yellow"))
        else:
            line.append(_levels(strip, ascii_only), "cyan")
        lines.append(line)
    lines.append(Text())
    lines += [Text(text, "dim") for text in legend(letters, found, ascii_only)]
    lines.append(Text(f"a character is {lengths.each(each)}, and shows what most of it was", "dim"))
    return lines


def _levels(strip: Strip, ascii_only: bool) -> str:
    levels = PLAIN if ascii_only else LEVELS
    return "".join(
        levels[-(-int(level * 1000) * (len(levels) - 1) // 1000)] for level in strip.levels
    )


def marks(found: Timeline, ascii_only: bool) -> dict[str, tuple[str, str]]:
    """How each state is drawn, and called: an engine or a cause by a letter of its name."""
    states = dict.fromkeys(state for strip in found.strips for state in strip.states)
    known = {
        name: (plain if ascii_only else mark, text) for name, (mark, plain, text) in MARKS.items()
    }
    letters = {name: known[name] for name in known if name in states}
    taken = {mark for mark, _ in known.values()}
    for strip in found.strips:
        if strip.states and strip.name not in known:
            letter = next((c for c in strip.name if c.isalpha() and c not in taken), "!")
            taken.add(letter)
            if strip.name in states:
                letters[strip.name] = letter, strip.name
    for state in states:  # causes that conditions of the target have names for
        if state not in letters:
            letter = next((c for c in state + ALPHABET if c.isalpha() and c not in taken), "!")
            taken.add(letter)
            letters[state] = letter, state
    return letters


def legend(letters: dict[str, tuple[str, str]], found: Timeline, ascii_only: bool) -> list[str]:
    """What the letters and blocks mean."""
    own = [f"{letters[s][0]} {letters[s][1]}" for s in (BUSY, READYING, EMPTY) if s in letters]
    waits = [f"{mark} {text}" for state, (mark, text) in letters.items() if state not in STYLES]
    lines = ["  ".join(own)]
    if waits:
        lines.append(f"waits for  {'  '.join(waits)}")
    levels = PLAIN if ascii_only else LEVELS
    steps = f"{levels[1]} to {levels[-1]}"
    if any(strip.unit for strip in found.strips):
        lines.append(f"of a unit that is shared {steps}: at work for an eighth to all of the time")
    if any(strip.levels and not strip.unit for strip in found.strips):
        lines.append(f"of a ring {steps}: one in eight to all of its channels at work")
    return lines
