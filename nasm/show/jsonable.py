"""What all JSON documents share, and the document of a run."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from nasm import __version__
from nasm.base.problems import Problem, family
from nasm.base.source import Span
from nasm.base.suppressions import AllowedProblem
from nasm.machine.records import RunReport
from nasm.show.documents import LEFT_OUT, Key, Shape, each, merged, pairs, part, plain

VERSION = 1
"""Of all documents; goes up when a key changes its meaning or goes away, not when one is added."""


class _Answer(NamedTuple):
    verb: str
    code: int


HEAD: Shape = (
    Key(
        "schema",
        "`neuron-nasm/` and the verb, as in `neuron-nasm/run`",
        lambda answer: f"neuron-nasm/{answer.verb}",
    ),
    Key(
        "version",
        f"{VERSION}. It increases when a key is removed or changes its meaning, not when one is "
        "added",
        lambda answer: VERSION,
    ),
    Key("nasm", "the version of nasm that wrote it", lambda answer: __version__),
    Key("ok", "whether `exit_code` is 0", lambda answer: answer.code == 0),
    Key(
        "exit_code",
        "0 no errors, 1 the program failed (an expectation, a hazard, a deadlock, a fault), 2 it "
        "does not assemble, or the command line or a file is wrong, 70 a defect in nasm, 124 "
        "`--timeout`, 130 interrupted, 143 and 129 stopped by SIGTERM and SIGHUP",
        "code",
    ),
)


def document(verb: str, code: int, **content: Any) -> dict[str, Any]:
    """A whole document of a verb: what it is, how it ended, and its content."""
    return plain(_Answer(verb, code), HEAD) | content


# -- places and problems


def _begin(span: Span | None) -> tuple[int | None, int | None]:
    return span.source.position(span.start) if span else (None, None)


def _end(span: Span | None) -> tuple[int | None, int | None]:
    return span.source.position(max(span.start, span.end)) if span else (None, None)


PLACE: Shape = (
    Key(
        "file",
        "where it is; this and the next four are null if it is nowhere in a file",
        lambda span: span.source.name if span else None,
    ),
    Key("line", "from 1", lambda span: _begin(span)[0]),
    Key("column", "from 1, in characters", lambda span: _begin(span)[1]),
    Key(
        "end_line",
        "where it ends: the line of the character after its last",
        lambda span: _end(span)[0],
    ),
    Key("end_column", "the column of the character after its last", lambda span: _end(span)[1]),
)


def place(meaning: str) -> Key:
    """The keys of the place of a record, with what the first means."""
    return merged(PLACE, f"{meaning}, as of a [problem](#problems)", "span")


EXPANSIONS = each(
    "expansions",
    (
        Key("what", "what repeated or produced the line: a loop's round, a call; outermost first"),
        place("where that is written"),
    ),
    lambda record: record.span.chain if record.span else (),
)
PROBLEM: Shape = (
    Key("code", "the code, for `neuron-nasm explain`"),
    Key(
        "severity",
        "`error`, `warning` or `note`; only errors decide how the command ends",
        lambda problem: problem.severity.value,
    ),
    Key(
        "family",
        "`syntax`, `name`, `rule`, `hazard`, `unsupported`, `unspecified`, `usage`, `defect` or "
        "`slow`",
        lambda problem: family(problem.code),
    ),
    Key("message", "a sentence that says what was found and what was wanted"),
    merged(PLACE, "", "span"),
    Key("hint", "how to fix it"),
    Key(
        "facts",
        "what the message says, by name; which names there are depends on the code "
        "([those of a race](#facts-of-a-race)), and `{}` is none",
    ),
    each("notes", (Key("message", "a related fact"), place("where that is"))),
    EXPANSIONS,
)


def problem_list(name: str, meaning: str, read: str | Callable[[Any], Any] = "") -> Key:
    """A list of problems."""
    return Key(name, f"a list of problems: {meaning}", read, PROBLEM, many=True, elsewhere=True)


ALLOWED: Shape = (
    Key(
        "problem",
        "a problem that is ignored; see [Problems](#problems)",
        shape=PROBLEM,
        elsewhere=True,
    ),
    Key("reason", "why; empty with `--allow`", lambda found: found.allow.reason),
    merged(
        PLACE, "where that is written, as of a [problem](#problems)", lambda found: found.allow.span
    ),
)
FIGURES: Shape = (
    Key("figure", "a timing figure that was set, by `--timing`", "name"),
    Key("unit", "its unit"),
    Key("value", "its value in this run"),
    Key("default", "its value otherwise"),
    Key("source", "what set it, in words"),
)
TARGET: Shape = (
    Key("target", "the machine, as `.target` spells it"),
    Key("generation", "the machine in words"),
    pairs("options", "the machine options that differ from their defaults, by name"),
    each("timing", FIGURES),
)
OF_TARGET = merged(TARGET, "as of [run](#run)", lambda record: record)
"""The same in another document."""
OF_ALLOWED = Key("allowed", "as of [run](#run)", "", ALLOWED, many=True, elsewhere=True)


def problem(found: Problem) -> dict[str, Any]:
    """A diagnostic with its place, hint, notes and expansions (outermost first)."""
    return plain(found, PROBLEM)


def problems(found: Iterable[Problem]) -> list[dict[str, Any]]:
    """Diagnostics in their order."""
    return [plain(one, PROBLEM) for one in found]


def allowed(found: Iterable[AllowedProblem]) -> list[dict[str, Any]]:
    """Suppressed problems, each with the reason and where that is written."""
    return [plain(one, ALLOWED) for one in found]


# -- a run

TIME: Shape = (
    Key("microseconds", "the simulated time"),
    Key(
        "cycles",
        "the same in cycles of the base clock",
        lambda report: report.ticks // report.units.cycle,
    ),
    Key(
        "clock_ghz", "the base clock", lambda report: report.units.ticks / 1000 / report.units.cycle
    ),
    Key("ticks", "the same in ticks, the unit in which nasm counts: integers, exact for any clock"),
    Key("ticks_per_microsecond", "how long a tick is", lambda report: report.units.ticks),
    Key(
        "entry_and_exit_microseconds",
        "what a device takes before and after the program, which is not in these times; null if "
        "not known",
        "entry_and_exit",
    ),
)
ENGINE: Shape = (
    Key("core", "the core"),
    Key("engine", "the engine"),
    Key("instructions", "instructions that completed"),
    Key("busy", "cycles of the engine's own clock in which one of its units worked"),
    Key("waiting", "cycles in which its next instruction was stalled"),
    pairs("waits", "stall cycles by cause: `semaphore`, `data`, `unit`, `core`"),
    Key("cycles", "its cycle counter when its last instruction completed"),
    Key("utilisation", "busy time as a fraction of the whole run, 0 to 1"),
    pairs("evidence", "as above, of this engine"),
)
SEMAPHORE: Shape = (
    Key("core", "the core it belongs to"),
    Key("number", "its number on that core"),
    Key("name", "its name"),
    Key("event", "true for an event, which is one bit"),
    Key("value", "its value at the end"),
    Key("waiting", "the engines that wait for it"),
)
MESSAGE: Shape = (
    Key("text", "what an instruction printed; the list is in order"),
    Key("core", "the core"),
    Key("engine", "the engine"),
    Key("pc", "the instruction's position in its queue", lambda record: int(record.pc)),
    Key(
        "micro",
        "which one it is of the instructions that the one at `pc` is expanded to; only of those",
        lambda record: getattr(record.pc, "micro", LEFT_OUT),
    ),
    place("where it is written"),
    Key("microseconds", "when it started and read its operands"),
)
EXPECTATION: Shape = (
    Key("text", "the expectation as it is written"),
    place("where it is written"),
    EXPANSIONS,
    Key("held", "whether it holds"),
    Key("summary", "what was measured, in words"),
    Key(
        "measured",
        "what was measured: the worst error, the figure, or the fraction of elements that hold",
    ),
    Key("bound", "what it was compared with"),
    each(
        "worst",
        (
            Key("index", "an element that is not as expected; empty unless the expectation failed"),
            Key("found", "its value"),
            Key("wanted", "the value that was expected"),
            Key("error", "the difference"),
        ),
    ),
)
RUN: Shape = (
    Key("program", "the file, as it was given"),
    *TARGET,
    Key(
        "status",
        "`finished`, `deadlock`, `fault`, `limit` (`--max-cycles`, `--max-instructions`), "
        "`timeout` (`--timeout`), `interrupted` (by a signal), `refused` (it could not be run) or "
        "`defect`",
    ),
    part("time", TIME, read=lambda report: report),
    pairs(
        "evidence",
        "busy cycles of all engines by the evidence for their cost: `documented`, `measured`, "
        "`assumed`",
    ),
    each("engines", ENGINE),
    each("semaphores", SEMAPHORE),
    Key("bytes_moved", "bytes that DMA moved", "channel_bytes"),
    Key(
        "mfu",
        "useful operations as a fraction of the peak of the dtypes that were computed in, as "
        "`rates.dtype_mfu` of a [profile](#profile); null without any",
    ),
    Key(
        "spill_save_bytes",
        "of these, what saves tiles that have no room on the chip to HBM",
        lambda report: report.spilled.saved,
    ),
    Key(
        "spill_reload_bytes",
        "of these, what loads them again",
        lambda report: report.spilled.reloaded,
    ),
    Key("overlap", "of a kernel of NKI 0.1: [how deep calls overlap](nki.md#what-overlaps), or 0"),
    each("messages", MESSAGE),
    Key(
        "messages_left_out",
        "how many messages came after those in the list: it holds the first 1,000, of 1,000,000 "
        "characters in all",
    ),
    problem_list("hazards", "legal text, wrong program"),
    problem_list("problems", "why the run stopped, or what could not be evaluated or written"),
    problem_list(
        "warnings",
        "warnings and notes on results that hardware does not guarantee or that nothing reads, "
        "NaN and infinities where they are first computed, and transfers that nothing waits for. "
        "With `--strict` warnings are among the hazards",
    ),
    each("allowed", ALLOWED),
    each("expectations", EXPECTATION),
    Key(
        "trace_hash",
        "a hash of all events and their times; equal for equal runs; empty if the run was stopped",
    ),
    Key("memory_hash", "a hash of every tensor at the end; likewise, and with `--no-values`"),
    Key("values", "false with `--no-values`"),
    Key("checked", "false with `--unchecked`"),
    Key(
        "not_judged",
        "with `--no-values`, how many expectations ask for values and are not in the list",
    ),
    Key(
        "changes",
        "what was changed by hand in a [session of the debugger](repl.md#changing-things), as it "
        "was typed; from the command line nothing is",
    ),
)


OUTPUT: Shape = (
    Key("tensor", "a tensor that was written to a file"),
    Key("file", "the file"),
    Key("dtype", "the tensor's dtype"),
    Key("stored_as", "NumPy's dtype in the file: unsigned integers where .npy lacks the tensor's"),
    Key("shape", "its shape"),
)
SCRIPT: Shape = (
    Key("program", "the script, as it was given"),
    Key(
        "status",
        "`finished`, or `refused` if the script or a kernel raised something, or was refused",
    ),
    Key(
        "kernels",
        "a list of runs of kernels, as of [run](#run), in the order of the calls; `program` is the "
        "kernel's name",
        "reports",
        RUN,
        many=True,
        elsewhere=True,
    ),
    problem_list("problems", "what was raised or refused"),
)


def outputs(found: Iterable[Any]) -> list[dict[str, Any]]:
    """Tensors that were written to files."""
    return [plain(one, OUTPUT) for one in found]


def report(record: RunReport) -> dict[str, Any]:
    """A run: its time, its engines, what went wrong and what was expected."""
    return plain(record, RUN)
