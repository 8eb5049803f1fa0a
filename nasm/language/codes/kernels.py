"""Codes of NKI kernels: errors in one, and in how it is called."""

from __future__ import annotations

from nasm.base.problems import Severity
from nasm.language.codes.row import Code

ROWS = (
    Code(
        "E0650",
        "not the NKI that runs here",
        "The kernel uses what NKI had in earlier versions, or what drives a chip. NKI 0.1, "
        "`neuronxcc.nki`, is refused by AWS's own compiler since NKI 0.4: its calls return tiles, "
        "where those of today take `dst`, and it has masks and index arrays, which are gone. "
        "AWS's 'NKI Migration Guide', nki/migration in the documentation of the Neuron SDK, says "
        "what has taken their place. Of packages that drive a chip, `torch_xla` and others, there "
        "is only what kernels are called through: call the kernel itself, with arrays of NumPy or "
        "of PyTorch on the CPU.",
        "$ python -c 'import neuronxcc.nki.language as nl'",
        "$ python -c 'import nki.language as nl'",
    ),
    Code(
        "E0651",
        "a call that NKI has no meaning for",
        "A function of `nki.isa` or `nki.language` was called with what it does not take, or a "
        "tensor was used as what it is not: its contents are known when the program runs, and not "
        "while the kernel is traced. The message says what was found and what was wanted.",
        "$ neuron-nasm nki kernel.py:branches_on_a_tile",
        "$ neuron-nasm nki kernel.py:selects",
    ),
    Code(
        "E0652",
        "an accumulation that is not one answer",
        "A matmul whose `accumulate` is left open adds to what earlier ones left, and overwrites "
        "a place that none has written. Of the place that it writes some was begun, and some was "
        "not. Say `accumulate=True` or `False`, or multiply into the parts one by one.",
        "$ neuron-nasm nki kernel.py:half_begun",
        "$ neuron-nasm nki kernel.py:each_half",
    ),
    Code(
        "E0653",
        "a collective of an argument or a result of the kernel",
        "On a device a collective reads and writes tensors of the kernel's own. Here it works, "
        "and AWS's compiler refuses it, as the tests of nki-library say: copy an argument first, "
        "and what was received into the result. Tensors in SBUF are the kernel's own.",
        "$ neuron-nasm nki kernel.py:sums_its_argument --ranks 2",
        "$ neuron-nasm nki kernel.py:sums_a_copy --ranks 2",
        severity=Severity.WARNING,
        warns=True,
    ),
    Code(
        "E0654",
        "an argument that no kernel takes, or a result that none can give",
        "Arguments are arrays with a dtype that NKI has and at least one axis, which the kernel "
        "finds in HBM, or anything else, which it finds as it is. There are no 64-bit dtypes. "
        "Results are tensors in HBM, or arguments that the kernel writes; an argument that is "
        "written must be an array that can be changed. On two cores a result is in shared HBM, "
        "`buffer=nl.shared_hbm`: of a tensor in `nl.hbm` each core has its own, and that of core 0 "
        "is returned, which is noted.",
        "$ neuron-nasm nki kernel.py:returns_a_tile --in x=normal[128,512]",
        "$ neuron-nasm nki kernel.py:returns_hbm --in x=normal[128,512]",
    ),
    Code(
        "E0655",
        "an exception of the kernel's",
        "The kernel, or the script that calls it, raised an exception of its own: an assertion "
        "about its shapes, for instance. It is reported at its line, with the calls that led "
        "there; the exit code is 1. Python itself raises a TypeError for an argument that a "
        "function of NKI does not have.",
        '$ neuron-nasm nki rmsnorm.py:rmsnorm --in "x=ones[100,512]" --in "w=ones[1,512]"',
        '$ neuron-nasm nki rmsnorm.py:rmsnorm --in "x=ones[128,512]" --in "w=ones[1,512]"',
    ),
    Code(
        "E0656",
        "a kernel that is not there, cannot be read, or is called otherwise",
        "On the command line a kernel is `kernel.py:name`. Its arguments are given by name: "
        "arrays with `--in`, all else with `--arg`, as Python writes it. The message says which "
        "kernels the file has, or which arguments the kernel wants. A file that Python cannot "
        "parse has no kernel; the exit code is 2 then, as for any text that cannot be read.",
        '$ neuron-nasm nki rmsnorm.py:rmsnorm --in "x=ones[128,512]"',
        '$ neuron-nasm nki rmsnorm.py:rmsnorm --in "x=ones[128,512]" --in "w=ones[1,512]"',
    ),
    Code(
        "E0657",
        "more registers than an engine has",
        "A register of a kernel is a register of each engine that needs its value, and an engine "
        "has 64. Numbers that are needed later can be kept in SBUF, with register_store, and "
        "loaded where they are needed, with register_load.",
        "$ neuron-nasm nki kernel.py:seventy_registers",
        "$ neuron-nasm nki kernel.py:one_register",
    ),
    Code(
        "E0658",
        "results that are read again instead of being computed again",
        "Loops of a kernel are unrolled. A call that does not depend on the loop's variable, or a "
        "load of what was loaded before, is left out, and what follows reads the tile of the "
        "earlier call, with the same values. It is done with `--hoist`; `--no-hoist`, "
        "the default, executes each call.",
        "$ neuron-nasm nki kernel.py:product_in_each_round --hoist",
        "$ neuron-nasm nki kernel.py:product_in_each_round --no-hoist",
        severity=Severity.NOTE,
    ),
    Code(
        "E0659",
        "a round of an affine_range that needs what another one wrote",
        "Rounds of an `affine_range` of NKI 0.1 may be executed in any order: the language leaves "
        "undefined what a round reads that another one has written. A tile may be combined with "
        "what is in its place, as by `+=`, from round to round, if nothing else reads it before "
        "the loop is over. `sequential_range` executes its rounds in order.",
        "$ neuron-nasm nki kernel.py:state_in_an_affine_range",
        "$ neuron-nasm nki kernel.py:state_in_a_sequential_range",
    ),
)
