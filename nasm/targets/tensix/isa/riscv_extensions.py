"""RISC-V: what cores of Blackhole have besides, and what assemblers have for one of these."""

from __future__ import annotations

from typing import Final

from nasm.targets.tensix.isa import riscv
from nasm.targets.tensix.isa.riscv import PREFIX, RD, RS1, STATUS, RiscRow, one_word, row_of
from nasm.targets.tensix.riscv.decode import encode
from nasm.targets.tensix.riscv.extensions import EXTENSIONS, SINCE

SOURCE: Final = f"{riscv.PAGES[SINCE]}; {riscv.MANUALS[SINCE]}"

for _one in EXTENSIONS.values():
    globals()[f"{PREFIX}{_one.name.replace('.', '_')}"] = row_of(_one, __name__)

_GREVI: Final = EXTENSIONS["grevi"]
_ALIASES: Final = {
    "rev8": (24, "The bytes of a register in reverse.", "grevi Rd, Rs1, 24"),
    "brev8": (7, "The bits of each byte in reverse.", "grevi Rd, Rs1, 7"),
}


def _reversing(name: str) -> RiscRow:
    by, sentence, formula = _ALIASES[name]
    return RiscRow(
        name=name,
        operands=(RD, RS1),
        sentence=sentence,
        formula=formula,
        example=f"{name} a0, a1",
        form=one_word(lambda of, at, label: encode(_GREVI, [of["Rd"], of["Rs1"]], by)),
        setup=f"{PREFIX}addi a1, zero, 256",
        source=SOURCE,
        since=SINCE,
    )


for _name in _ALIASES:
    globals()[f"{PREFIX}{_name}"] = _reversing(_name).made(__name__)

rv_zext_h = RiscRow(
    name="zext_h",
    operands=(RD, RS1),
    sentence="Two bytes with zeros above them.",
    formula="pack Rd, Rs1, x0",
    example="zext_h a0, a1",
    form=one_word(lambda of, at, label: encode(EXTENSIONS["pack"], [of["Rd"], of["Rs1"], 0])),
    setup=f"{PREFIX}addi a1, zero, 256",
    source=SOURCE,
    since=SINCE,
).made(__name__)

rv_csrr = RiscRow(
    name="csrr",
    operands=(RD, STATUS),
    sentence="Read a status register.",
    formula="csrrs Rd, Status, x0",
    example="csrr a0, mcycle",
    form=one_word(lambda of, at, label: encode(EXTENSIONS["csrrs"], [of["Rd"], 0], of["Status"])),
    source=SOURCE,
    since=SINCE,
).made(__name__)

rv_csrw = RiscRow(
    name="csrw",
    operands=(STATUS, RS1),
    sentence="Write a status register.",
    formula="csrrw x0, Status, Rs1",
    example="csrw hwa_mask, a1",
    form=one_word(lambda of, at, label: encode(EXTENSIONS["csrrw"], [0, of["Rs1"]], of["Status"])),
    setup=f"{PREFIX}addi a1, zero, 256",
    source=SOURCE,
    since=SINCE,
).made(__name__)
