"""Pages of the operators, the activation functions and the dtypes, from their tables."""

from __future__ import annotations

from generator.examples import GENERATIONS
from generator.markdown import NOTE, code, joined, table
from nasm.base.dtypes import DTYPES
from nasm.base.problems import rounded
from nasm.show.lists import only, option_values
from nasm.targets.neuron.activations import ACTIVATIONS, ActivationFunction
from nasm.targets.neuron.alu import OPERATORS, AluOperator
from nasm.targets.neuron.options import OPTIONS


def operators() -> str:
    """The ALU operators."""
    arithmetic = [o for o in OPERATORS.values() if not o.bitvec]
    bitwise = [o for o in OPERATORS.values() if o.bitvec]
    return joined(
        NOTE,
        "# Operators",
        "What `op=`, `op0=` and `op1=` may name. An engine widens x and y to float32 for the "
        "arithmetic ones, and takes the bits of integers as they are for the bitwise ones; "
        "`logical_…` and comparisons are arithmetic and give 1.0 or 0.0.",
        "The columns v2, v3 and v4 name the engines that have an operator there. *reduces*: "
        "`TensorReduce` takes it. *integers*: it has an exact form for 32-bit integers, which "
        "GpSimd uses when every tile holds them. *registers*: `RegisterAlu` takes it.",
        "## Arithmetic",
        _operators(arithmetic),
        "## Bitwise",
        _operators(bitwise),
        "Shifts by 32 bits or more, or by less than 0, shift everything out.",
    )


def _operators(rows: list[AluOperator]) -> str:
    return table(
        [
            "operator",
            "KLR",
            "",
            *(g.name for g in GENERATIONS),
            "reduces",
            "integers",
            "registers",
            "evidence",
            "source",
        ],
        [
            [
                code(o.name),
                code(o.klr),
                o.summary,
                *(", ".join(o.engines_on(g.name)) or "no" for g in GENERATIONS),
                _yes(o.reduces),
                _yes(o.integer is not None),
                _yes(o.register is not None),
                o.evidence.value,
                o.source,
            ]
            for o in rows
        ],
    )


def _yes(holds: bool) -> str:
    return "yes" if holds else ""


def activations() -> str:
    """The activation functions."""
    rows = [
        [
            code(a.name),
            code(a.formula),
            _range(a),
            a.since,
            a.table or "its own",
            a.evidence.value,
            a.source,
        ]
        for a in ACTIVATIONS.values()
    ]
    return joined(
        NOTE,
        "# Activation functions",
        "What `op=` of [`Activation`](Activation.md) may name. The hardware evaluates them by "
        "tables that are not published; nasm gives the mathematical value, rounded once to "
        "float32. Outside its valid range a function's result is invalid on the hardware; nasm "
        "keeps the mathematical value there and warns (E0515), but for `sin`, whose extrapolation "
        "is described by the vendor. A function with a parameter needs "
        "[`Activation2`](Activation2.md), which carries it. Which functions have a table in common "
        "is assumed, from one third-party map; what "
        "[changing it](../timing/rules.md#tables-of-scalar) costs.",
        table(["function", "value", "valid for", "since", "table", "evidence", "source"], rows),
    )


def _range(function: ActivationFunction) -> str:
    if function.parameter:
        return f"needs {function.parameter}"
    return function.range_text


def dtypes() -> str:
    """The dtypes."""
    rows = [
        [
            code(d.name),
            " ".join(code(a) for a in d.aliases),
            str(d.itemsize),
            d.summary,
            _largest(d.max_finite),
            ", ".join(g.name for g in GENERATIONS if d.name in g.dtypes),
            "as it is" if d.in_npy else f"bits, as {d.bits_dtype}",
            d.source,
        ]
        for d in DTYPES.values()
    ]
    return joined(
        NOTE,
        "# Dtypes",
        "How elements are stored. Engines compute in float32: they widen what they read and "
        "round what they write once, to nearest even. Floats overflow to infinity "
        "(`float8_e4m3fn`, which has none, to NaN); integers saturate, and NaN becomes 0.",
        "*largest* is the largest finite value, of a packed dtype that of each of its four. *in "
        "files* is how a `.npy` or `.npz` holds the dtype.",
        table(
            ["dtype", "aliases", "bytes", "", "largest", "generations", "in files", "source"], rows
        ),
    )


def _largest(value: float) -> str:
    return rounded(value) if value < 1e12 else f"{value:.4g}"


def options() -> str:
    """The machine options."""
    rows = [
        [
            code(option.name) if not n else "",
            f"{option.summary}{only(option)}" if not n else "",
            code(word),
            meaning,
            option.evidence.value if not n else "",
            option.source if not n else "",
        ]
        for option in OPTIONS
        for n, (word, meaning) in enumerate(option_values(option))
    ]
    return joined(
        NOTE,
        "# Machine options",
        "What can be chosen about the machine: the vendor leaves it open and two readings are "
        "plausible, or the runtime lets one choose. `--option NAME=VALUE` sets one, several if "
        "repeated; so does `options={NAME: VALUE}` of `nasm.run`, `nasm.assemble` and "
        "`nasm.Builder`. A report names those that are not as they are by default.",
        "*evidence* and *source* are those of the default. An option with generations in "
        "parentheses is refused on others, where it would change nothing. `neuron-nasm isa "
        "--options` prints this list.",
        table(["option", "decides", "value", "", "evidence", "source"], rows),
    )
