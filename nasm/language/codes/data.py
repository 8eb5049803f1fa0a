"""Codes of what a run did to its data: E0524 to E0529."""

from __future__ import annotations

from nasm.base.problems import Severity
from nasm.language.codes.row import Code

ROWS = (
    Code(
        "E0524",
        "output elements that nothing wrote",
        "The run has finished, and no instruction and no transfer wrote these elements of an "
        "output; nor had they a value at the start, as an `inout` may have that the caller fills, "
        "or an output with an initialiser. The hardware would return whatever its memory held. "
        "The notes name who writes the others, and what would write these and did not run.",
        ".hbm    D  f32[128, 512]  output\n"
        "@vector Memset   c, 1.0                     $done++\n"
        "@sync   DmaCopy  D[0:64], c[0:64]           $done >= 1    $loaded += 16\n"
        "@sync   EventSemaphore                      $loaded >= 16",
        ".hbm    D  f32[128, 512]  output\n"
        "@vector Memset   c, 1.0                     $done++\n"
        "@sync   DmaCopy  D, c                       $done >= 1    $loaded += 16\n"
        "@sync   EventSemaphore                      $loaded >= 16",
    ),
    Code(
        "E0525",
        "a result that nothing reads",
        "All that the instruction or the transfer wrote was overwritten before anything read a "
        "byte of it. Either what should read it comes too late, as with a PSUM bank that is used "
        "again before it was evicted, or the instruction does nothing. What writes some elements "
        "and leaves others, by a mask or by indices, counts neither as the one nor as the other. "
        "What nothing has read when the program ends is not meant.",
        "@vector Memset  c, 1.0\n@vector Memset  c, 0.0",
        "@vector Memset  c, 0.0",
        severity=Severity.WARNING,
    ),
    Code(
        "E0526",
        "NaN or infinities that an instruction makes of numbers",
        "Elements of the result are NaN where no operand is NaN, or infinite where all operands "
        "are numbers: a division by zero, a logarithm of zero, infinity minus infinity, a sum "
        "that overflows. Only where they are first computed is listed, with their number over all "
        "rounds and the place of the first; what passes them on is not, nor is an infinity that "
        "the program writes itself, as a mask does. The results are those of the hardware as far "
        "as is known.",
        "@vector Memset      c, 0.0\n@vector Reciprocal  c, c",
        "@vector Memset      c, 2.0\n@vector Reciprocal  c, c",
        severity=Severity.WARNING,
    ),
    Code(
        "E0527",
        "results that do not fit into the dtype they are stored as",
        "An integer saturates: what is beyond its limits becomes the nearest limit, and NaN "
        "becomes 0. A float overflows: a number beyond the largest becomes infinite, or NaN in "
        "float8_e4m3fn, or the largest with the option `fp8_overflow`. The elements are counted "
        "over all rounds. Scale what is stored, or choose a wider dtype.",
        ".sbuf  small  i8[128, 512]\n@vector Memset       c, 300.0\n@vector TensorCopy   small, c",
        ".sbuf  small  i16[128, 512]\n@vector Memset       c, 300.0\n@vector TensorCopy   small, c",
        severity=Severity.NOTE,
    ),
    Code(
        "E0528",
        "an expectation that failed",
        "The program ran to its end, and what a `.expect` promises does not hold. A report lists "
        "expectations one by one, with what was measured and the elements that are worst; this "
        "code marks them where a tool wants every failure as a problem at a line, as the log of "
        "`--sarif` does. Either the program is wrong or the promise is.",
        "@vector Memset  c, 1.0\n.expect  c == 2",
        "@vector Memset  c, 2.0\n.expect  c == 2",
        ends=True,
    ),
    Code(
        "E0529",
        "results that depend on timing",
        "With `--schedules` the program was run again under other timings, and some of these runs "
        "ended differently or left other values. The report says which seeds, and the first "
        "difference; this code marks it in the log of `--sarif`. The program lacks an order "
        "between two of its accesses: `--witness` and `neuron-nasm check` say which.",
        "$ neuron-nasm run race.nasm --schedules 20 --sarif found.sarif",
        "$ neuron-nasm sync race.nasm",
        ends=True,
    ),
)
