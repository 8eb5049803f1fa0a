"""Stores of a thread's core that are too late or too early for the instructions it pushes.

Sources: "danger one" and "danger two" of the page of the backend configuration, and what the page
of the MOP expander says of its words, in the public ISA documentation of Wormhole B0.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from nasm.isa.core_state import over
from nasm.targets.tensix.core.noted import NotedReads, reading
from nasm.targets.tensix.core.pushed import ThreadLines, front_of, templates
from nasm.targets.tensix.core.tensix import Issued, Tensix
from nasm.targets.tensix.front.mop import WORDS as EXPANDER_WORDS
from nasm.targets.tensix.risc_state import CoreStore, StoreKey
from nasm.targets.tensix.state import THREADS
from nasm.targets.tensix.sync.conditions import EVERY_UNIT
from nasm.targets.tensix.unit_queries import thread_name

USED, OVERTAKEN = "E0557", "E0558"
"""Codes: a store of what is still used, and one that an instruction may overtake."""

CORE_REQUESTS: Final = 13
"""The condition of a wait at the gate for what the thread's core has sent: C13."""

WAIT: Final = "MOPExpanderDoneCheck"
WAIT_FOR_ALL: Final = "CoprocessorDoneCheck"
"""The words of TTSync that are loaded to wait."""


def register(number: int) -> StoreKey:
    """A general register, as something that stores write."""
    return "register", number


def config_word(number: int) -> StoreKey:
    """A word of the configuration."""
    return "word", number


def stored(core: Tensix, thread: int, key: StoreKey) -> None:
    """Note a store that instructions of the thread may read."""
    front, risc = front_of(core, thread), core.riscs[thread]
    kept = tuple(one for one in risc.stores if one.key != key)
    risc.stores = (*kept, CoreStore(key, core.around.place, front.number))


def read_back(core: Tensix, thread: int, key: StoreKey) -> None:
    """Note that a core has loaded: what it stored to the same region before has been written."""
    risc = core.riscs[thread]
    risc.stores = tuple(
        one._replace(settled=True) if one.key[0] == key[0] else one for one in risc.stores
    )


def all_done(core: Tensix, thread: int) -> None:
    """Note that a core has waited for everything that it pushed: nothing is in flight."""
    risc = core.riscs[thread]
    risc.stores = tuple(one._replace(line=0) for one in risc.stores if not one.settled)
    parts = [over(thread_name(thread), unit) for unit in EVERY_UNIT]
    core.around.passed(THREADS + thread, *parts, started=True)


def of_expander(core: Tensix, thread: int, word: int) -> None:
    """Tell that a word of the MOP expander is written while that has something to expand."""
    left = templates(core, thread)
    if not left:
        return
    names = " or ".join(name for words in EXPANDER_WORDS if (name := words[word]))
    text = (
        f"the word {names} of the MOP expander is written while {thread_name(thread)} has one to "
        "expand: which word it uses is not documented"
    )
    hint = f"load {WAIT} before it, which waits until everything is expanded"
    place = ThreadLines(core, thread).place(left[0])
    core.around.report(USED, text, hint, ((place, "is still to be expanded"),))


def watching(core: Tensix, issued: Issued, act: Callable[[], Any]) -> Callable[[], Any]:
    """An instruction of a thread whose core has stored something, watched for what it reads."""
    line = core.fronts[issued.thread].passing

    def watched() -> Any:
        with reading(core, issued.thread) as reads:
            try:
                return act()
            finally:
                _tell(core, issued, line, reads)

    _forget(core, issued.thread, line)
    return watched


def _forget(core: Tensix, thread: int, line: int) -> None:
    """Give up stores that everything which was pushed before them has passed."""
    risc = core.riscs[thread]
    risc.stores = tuple(one for one in risc.stores if not one.settled or one.line > line)


def settle(core: Tensix, issued: Issued, conditions: int) -> None:
    """Note that a thread waits at its gate for what its core has sent before."""
    risc = core.riscs[issued.thread]
    if not risc.stores or not conditions >> CORE_REQUESTS & 1:
        return
    line = core.fronts[issued.thread].passing
    risc.stores = tuple(
        one._replace(settled=True) if one.line <= line else one for one in risc.stores
    )


def _tell(core: Tensix, issued: Issued, line: int, reads: NotedReads) -> None:
    found = {register(n) for n in reads.registers} | {config_word(n) for n in reads.config}
    for store in core.riscs[issued.thread].stores:
        if store.key not in found:
            continue
        if line < store.line:
            text = (
                f"{issued.mnemonic} reads {store.what}, which its core has changed after it was "
                "pushed: whether it sees that depends on the time"
            )
            hint = f"load {WAIT_FOR_ALL} before the store, or let an instruction write it"
            core.around.report(USED, text, hint, ((store.place, "writes it"),))
        elif not store.settled:
            text = (
                f"{issued.mnemonic} reads {store.what}, and may do so before the store of its core "
                "arrives: they take different paths"
            )
            hint = (
                "STALLWAIT ConditionMask=TRISC_CFG before it, or let the core load what it stored"
            )
            core.around.report(OVERTAKEN, text, hint, ((store.place, "writes it"),))
