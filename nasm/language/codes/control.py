"""Codes of what a program and its user allow, and of what is not installed: E0830 to E0862."""

from __future__ import annotations

from nasm.base.problems import Severity
from nasm.language.codes.row import Code

ROWS = (
    Code(
        "E0830",
        "a comment for nasm that cannot be read",
        "A comment `; nasm: allow E0502 reason` ignores a hazard or a warning: at the end of a "
        "line on that line, and on a line of its own on the next one. It gives the code, or "
        "several with commas between them, and the reason: what is ignored is listed at the end "
        "of each report with its reason. For a race it may be on the line of either access, and "
        "in a loop it applies to all rounds.",
        "@gpsimd Memset  c, 1.0\n@vector Memset  c, 1.0   ; nasm: allow E0502",
        "@gpsimd Memset  c, 1.0\n@vector Memset  c, 1.0   ; nasm: allow E0502 both write 1.0",
    ),
    Code(
        "E0831",
        "a code that cannot be allowed",
        "What can be allowed, by a comment or with `--allow`, are hazards that a run survives, "
        "such as E0502, and all warnings. The text has to parse, names have to be declared, and "
        "the rules of the machine hold; and a run that ends at a fault or in a deadlock has no "
        "result.",
        "@vector Memset  c, 1.0   ; nasm: allow E0510 it never ends",
    ),
    Code(
        "E0832",
        "an allow that allows nothing",
        "The comment, or `--allow`, allows what was looked for in this run and not found: on this "
        "line, or anywhere. It may have been fixed since, and would hide the next mistake of its "
        "kind. This is a note: it makes no run fail, not with `--strict` either.",
        "@vector Memset  c, 1.0   ; nasm: allow E0502 both write 1.0",
        "@vector Memset  c, 1.0",
        Severity.NOTE,
    ),
    Code(
        "E0850",
        "a package that is not installed",
        "Tools for writing programs need packages that nothing else needs: the language server on "
        "pygls, the extra `neuron-nasm[lsp]`, and `%%nasm` on IPython, the extra "
        "`neuron-nasm[notebook]`.",
        "$ neuron-nasm lsp",
        "$ pip install 'neuron-nasm[lsp]'",
    ),
    Code(
        "E0851",
        "an address that cannot be listened at",
        "`play` serves its page at an address of this computer and a port. Another program may "
        "listen at the port, the port may be one that only administrators use, or the computer may "
        "not have the address.",
        "$ neuron-nasm play --port 80",
        "$ neuron-nasm play --port 0",
    ),
    Code(
        "E0852",
        "the notes of a course that cannot be read",
        "`learn` keeps in the folder of your solutions what has passed, in `.progress.json`. The "
        "file is damaged, or of another version. It is not overwritten; your solutions are files "
        "of their own, and pass again without it.",
        "$ neuron-nasm learn   # with .progress.json cut short",
        "$ rm nasm-course/.progress.json; neuron-nasm learn",
    ),
    Code(
        "E0853",
        "an exercise that does not exist",
        "An exercise of the course is named by its name or its number; `learn --list` has both.",
        "$ neuron-nasm learn sotfmax",
        "$ neuron-nasm learn softmax",
    ),
    Code(
        "E0854",
        "a solution that is not shown yet",
        "`learn --solution` prints a solution of an exercise that has passed. Before, `--hint` "
        "shows one hint after the other.",
        "$ neuron-nasm learn add --solution",
        "$ neuron-nasm learn add --hint",
    ),
    Code(
        "E0860",
        "more requests than their counter can count",
        "A tile counts the requests of each transaction ID that are outstanding, in 8 bits. A line "
        "waits for that counter, and more than 255 are outstanding: it would see fewer than there "
        "are, or none. Wait for some of them before sending more, give them different IDs, or "
        "leave out the `Id` of the barrier, which then counts otherwise.",
        ".target wormhole\n.dram0  d  u32[2048]  = zeros\n.l1  e  u32[2048]  = zeros\n@noc0\n"
        ".for n in 0..300\n    NOC_WRITE  d, e, Id=2\n.end\nNOC_BARRIER  Id=2",
        ".target wormhole\n.dram0  d  u32[2048]  = zeros\n.l1  e  u32[2048]  = zeros\n@noc0\n"
        ".for n in 0..4\n    NOC_WRITE  d, e, Id=2\n    NOC_BARRIER  Id=2\n.end",
        ends=True,
    ),
    Code(
        "E0861",
        "a chip that there is not",
        "The third coordinate of `.tile` is the number of its chip. Chips of one program are those "
        "of an n300, 0 and 1, which are joined by Ethernet.",
        ".target wormhole\n.tile  1, 1, 2",
        ".target wormhole\n.tile  1, 1, 1",
    ),
    Code(
        "E0862",
        "a packet to another chip",
        "The networks of a chip reach its own tiles, and tensors of `.dram0` to `.dram5` and of "
        "`.host` are those of the first chip. What goes to another chip is moved by the host, "
        "over Ethernet: by lines of `@host`.",
        ".target wormhole\n.l1  x  u32[8]  = zeros\n.tile  1, 1, 1\n.l1  y  u32[8]  = zeros\n"
        "@noc0 NOC_READ  y, x",
        ".target wormhole\n.host  h  u32[8]  = zeros\n.l1  x  u32[8]  = zeros\n.tile  1, 1, 1\n"
        ".l1  y  u32[8]  = zeros\n@host ETH_READ  h, x\n@host ETH_WRITE  y, h",
        ends=True,
    ),
)
