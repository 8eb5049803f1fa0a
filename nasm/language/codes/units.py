"""Codes of what units do not check by themselves: E0551 to E0559, E0565, E0566, E0865 to E0867."""

from __future__ import annotations

from nasm.base.problems import Severity
from nasm.language.codes.row import Code

ROWS = (
    Code(
        "E0551",
        "a result used before it is there",
        "The unit starts an instruction each cycle, and some results are there only a cycle "
        "later. It does not wait for its own results: an instruction that reads a register in the "
        "cycle after such a one started gets the previous contents, or something undefined. "
        "Instructions that may not follow directly for another reason are reported in the same "
        "way. The run continues with the new value. Put an instruction in between that has "
        "nothing to do with it.",
    ),
    Code(
        "E0552",
        "a configuration word used before it is written",
        "The instruction starts in the cycle after one that writes a word of the configuration "
        "in two cycles, and uses that word. It sees the old one, and so does the run. Put an "
        "instruction in between that does not depend on it.",
    ),
    Code(
        "E0553",
        "rows read while another unit writes them",
        "One unit writes rows that another reads some cycles later, and these are too few: the "
        "reader does not wait, and may get the previous contents. The run continues with the new "
        "values. Let more instructions come in between, or wait until the writer is idle.",
    ),
    Code(
        "E0554",
        "rows read that nothing wrote",
        "Rows of a register file are undefined until something writes them, and again after an "
        "instruction that clears them by marking them so. Some units take such rows for zero; the "
        "one of this instruction does not say what it takes them for. The run continues with the "
        "bits that were left there. Write all of the rows first.",
    ),
    Code(
        "E0555",
        "a stack with too much or too little on it",
        "The instruction pushes onto a stack that is full, or takes from one that is empty. What "
        "the hardware does then is not documented.",
        ends=True,
    ),
    Code(
        "E0556",
        "something that is still open at the end of an engine",
        "The engine began something that later instructions were to complete, and has no more of "
        "them: such as a recording that wants more instructions than follow. What it took until "
        "then may not have been executed. Let it end before, or let what is missing follow.",
    ),
    Code(
        "E0557",
        "something written while what was pushed before still uses it",
        "A core that pushes instructions runs ahead of them: what it stores may be there before an "
        "instruction that it pushed earlier has read the old value. So it is with the words of an "
        "expander that has something left to expand, and with registers and configuration. The run "
        "continues with what each reads at its time. Let the core wait for what it pushed.",
    ),
    Code(
        "E0558",
        "a store that an instruction may overtake",
        "A core stores something and then pushes an instruction that reads it. The two take "
        "different paths, and nothing keeps them in order: the instruction may see the old value. "
        "Here the store is first. Let the instruction wait for the requests of its core, or let "
        "the core load what it stored before it pushes.",
    ),
    Code(
        "E0559",
        "code that was overwritten",
        "The word of this line in memory is not that of the line any more: something of the run "
        "has stored another one there. What the core executes then depends on what its cache "
        "holds, and nasm executes only the lines that a program has. Store code elsewhere, or "
        "give the core its lines.",
    ),
    Code(
        "E0565",
        "an address that is rounded down",
        "The address of a load or store is no multiple of the bytes that it has. The cores of a "
        "tile do not fault: they take the multiple below it, and so does the run, which continues "
        "with that. Give an aligned address.",
    ),
    Code(
        "E0566",
        "lines of a core that is held in reset",
        "The text has lines for a core whose bit of the soft reset is set, and nothing clears it: "
        "none of them is executed, and what others wait for in them does not come. Clear the bit, "
        "by another core of the tile or in the text, or leave the lines out.",
        wrong=""".target wormhole
.cfg RISCV_DEBUG_REG_SOFT_RESET_0 = 1 << 11
.rv B
    nop
""",
        right=""".target wormhole
.rv B
    nop
""",
        severity=Severity.WARNING,
    ),
    Code(
        "E0865",
        "a request initiator that is written too early",
        "A core stores to a register of a request initiator whose last request still waits to "
        "enter the network, for example because a longer one of another initiator is in front of "
        "it. What is sent then is not documented. Load NOC_CMD_CTRL of the initiator until it is "
        "0, and then write its registers.",
    ),
    Code(
        "E0866",
        "a load that overtakes a store to its bytes",
        "The core loads bytes that an earlier store of it, which waits in its queue, has still to "
        "write. The cores of a tile look for such a store by the address alone at which it begins, "
        "so that this load gets what was there before, as it does in the run. Load from the "
        "address of the store, or wait until the store has left the queue.",
    ),
    Code(
        "E0867",
        "a load during one of TTSync",
        "While a load of CoprocessorDoneCheck or MOPExpanderDoneCheck is outstanding, the core "
        "begins another load of mailboxes, semaphores, TTSync or the queue from RISC-V B. By a bug "
        "of the hardware it may get a wrong value, or never come back. Use the result of the first "
        "load before, or execute seven other instructions in between.",
    ),
)
