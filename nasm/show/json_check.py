"""The document of what `check` follows of a program."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from nasm.program.program import Program
from nasm.runs.check.records import Examination
from nasm.show.documents import Key, Shape, each, merged, part, plain
from nasm.show.jsonable import ALLOWED, FIGURES, PLACE, place, problem_list

if TYPE_CHECKING:  # most programs are not asked about their waits
    from nasm.base.source import Span
    from nasm.runs.waits.records import WaitSuggestion

FOLLOWED: Shape = (
    Key("whole", "whether it was followed to its end without values"),
    Key(
        "ended",
        "where that ended: `finished`, `deadlock`, `fault`, `limit` (`--max-instructions`), or "
        "`values`, on which it depends from there on, or how other ways end",
    ),
    Key("instructions", "how many instructions had completed then"),
    Key("microseconds", "and when that was"),
    Key("ways", "on how many ways through the branches that values decide it was followed"),
)
CLAIM: Shape = (
    Key("name", "a tensor, in the order of addresses"),
    Key("partition", "the first partition"),
    Key("partitions", "how many partitions it spans; 0 in a memory that has none"),
    Key("low", "its first byte in each partition"),
    Key("high", "one past its last byte"),
    Key("begin_microseconds", "when it is first in use; null if it never is", "begin"),
    Key("end_microseconds", "when it is last in use; null if it never is", "end"),
    Key("writers", "the engines that write it, `sync DMA` for transfers that Sync issues"),
    Key("readers", "the engines that read it"),
    each(
        "shares",
        (
            Key("name", "a tensor with some of the same bytes"),
            Key("low", "the first of these bytes"),
            Key("high", "one past the last byte"),
            Key("meets", "whether both are in use at one time"),
        ),
        "sharing",
    ),
)
MEMORY: Shape = (
    Key("memory", "with `--map`: a memory that has tensors, one for each core"),
    Key("core", "the core it belongs to; 0 if cores share it"),
    Key("size", "bytes of a partition; 0 if it has no end"),
    Key("bank", "bytes of a bank of a partition; 0 without banks"),
    Key("placed", "bytes of a partition that have an owner"),
    Key("most", "bytes of a partition that are in use at one time, at most"),
    Key("most_at_microseconds", "the first time at which so many are", "at"),
    each("tensors", CLAIM, "claims"),
)


def _executable(what: str, where: str) -> Shape:
    return (
        Key("instruction", what, "name"),
        Key("pc", f"its place in {where} queue"),
        merged(PLACE[:1], "the file it is written in", "span"),
        merged(PLACE[1:2], "its line", "span"),
    )


RELIED: Shape = (
    Key(
        "engine",
        "with `--ordering relaxed`, `relied` is a list of the reads that only the interlock "
        "orders. This is the queue of reader and writer",
        "queue",
    ),
    Key("reads", "the tensor or register that is read", "what"),
    part("reader", _executable("the first instruction of its line that reads so", "its")),
    part("writer", _executable("the instruction whose result it reads", "the")),
    Key("count", "in how many executions of the reader's line"),
    Key("of", "of how many"),
)
ORDER: Shape = (
    Key(
        "first",
        "with `--why A B`: an instruction of one line, which is the first if they are in order",
    ),
    Key("second", "and one of the other line"),
    Key("ordered", "whether the one is over before the other starts, in every execution"),
    Key("sharing", "whether they have a byte in common"),
    Key("pairs", "how many pairs of executions of the two lines were looked at"),
    each(
        "steps",
        (
            Key("text", "a link of the chain from the one to the other, or what is known of them"),
            merged(PLACE[:1], "the file of the instruction that it is about", "span"),
            merged(PLACE[1:2], "its line", "span"),
        ),
    ),
)


EXAMINATION: Shape = (part("followed", FOLLOWED, read=lambda found: found),)
MAPS: Shape = (each("memories", MEMORY),)
RELIANCE: Shape = (each("relied", RELIED, lambda found: found.relied or ()),)
WHY: Shape = (part("order", ORDER),)


class _Place(NamedTuple):
    span: Span


def _other(record: WaitSuggestion) -> _Place | None:
    return None if record.other is None else _Place(record.other)


OTHER: Shape = (place("the line that does instead; the whole is null if none does"),)
CHANGE: Shape = (
    Key(
        "kind",
        "what would do: `drop` the wait, `weaker`: wait for less, `later`: at a later "
        "instruction; `at_read`: post when the instruction has read, `earlier`: from an earlier "
        "one",
    ),
    Key("queue", "the engine"),
    Key("text", "the same in words"),
    place("the line that waits or posts"),
    part("other", OTHER, read=_other),
    Key("rounds", "how many instructions of the line are changed"),
    Key("of", "of how many"),
    Key("saved_microseconds", "how much shorter the run is with this change alone", "saved"),
    Key("together", "whether it is one of those that hold all at once"),
)
SEMAPHORES: Shape = (
    Key("core", "a core"),
    Key("used", "how many semaphores it uses"),
    Key("fewest", "how many would do where one is used after another"),
    each(
        "groups",
        (
            Key("names", "semaphores that can be one, in the order of their uses"),
            Key("more", "what the waits for each wait for in addition then"),
        ),
    ),
    Key("apart", "semaphores that are set, or waited for to be just so: they are not shared"),
)
WAITS: Shape = (
    part(
        "waits",
        (
            Key("summary", "with `--waits`: what was found of waits and posts, in a sentence"),
            Key("reason", "why nothing was looked at; empty if it was"),
            Key("waits", "how many instructions wait"),
            Key("lines", "how many lines they came from"),
            each("suggestions", CHANGE),
            Key("microseconds", "how long the run takes"),
            Key("changed_microseconds", "and with all that hold together", "changed"),
            Key("untried", "how many changes were not tried, as the program is too long"),
            each("semaphores", SEMAPHORES),
        ),
    ),
)
SIZES: Shape = (
    each(
        "sizes",
        (
            Key(
                "constant",
                "with `--for`, or of a `.param`: the constant",
                lambda sizes: sizes.range.name,
            ),
            Key("first", "the first value asked for", lambda sizes: sizes.range.first),
            Key("last", "the last; null without one", lambda sizes: sizes.range.last),
            Key("step", "how far apart the values are that are sizes of the program"),
            Key("checked", "the values that were looked at by themselves", lambda s: [*s.sizes]),
            Key("proved", "whether all others are in order as they are"),
            Key("reason", "why that is not proved; empty if it is"),
            Key("failing", "the smallest that is not in order; null if none was found"),
            Key("too_large", "the first for which memory does not suffice; null if there is none"),
        ),
    ),
)


CHECKED: Shape = (
    Key("file", "the file, as it was given", "path"),
    Key("ok", "whether it has no errors", lambda checked: not checked.errors),
    problem_list("problems", "its errors", "errors"),
    problem_list(
        "warnings",
        "warnings and notes, which do not change `ok`",
        lambda checked: [*checked.warnings, *checked.notes],
    ),
    Key(
        "allowed",
        "as of [run](#run)",
        lambda checked: checked.judged.allowed,
        ALLOWED,
        many=True,
        elsewhere=True,
    ),
)


def instructions(program: Program) -> dict[str, int]:
    """How many instructions each engine has that has any."""
    return {program.queue_name(n): len(q) for n, q in enumerate(program.queues) if len(q)}


ASSEMBLED: Shape = (
    Key(
        "target",
        "the machine; this and all that follows is left out if the file does not assemble",
        lambda program: program.generation.spellings[0],
    ),
    Key("generation", "the machine in words", lambda program: program.generation.summary),
    Key("options", "as of [run](#run)", "chosen"),
    Key("timing", "as of [run](#run)", "figures_set", FIGURES, many=True, elsewhere=True),
    Key(
        "instructions",
        "instructions by engine (`1.tensor`: of core 1, if there are several); engines without any "
        "are left out",
        instructions,
    ),
    Key("tensors", "how many tensors it declares", lambda program: len(program.tensors)),
    Key("expectations", "how many expectations it has", lambda p: len(p.expectations)),
)


def examination(record: Examination, maps: bool = False, relied: bool = False) -> dict[str, Any]:
    """What was followed of a program, and if wanted who owns which bytes and what is relied on."""
    asked, tried = record.order is not None, record.waits is not None
    more = (*(RELIANCE * relied), *(WHY * asked), *(WAITS * tried))
    return plain(record, (*EXAMINATION, *(MAPS * maps), *more))
