"""RISC-V code in a run: when lines start, what they reach, and what they wait for.

Times are computed by hand from BabyRISCV and MemoryOrdering of the ISA documentation.
"""

from __future__ import annotations

import pytest

import nasm
from nasm.base.problems import Failure
from nasm.base.source import Source
from nasm.language.assemble import assemble
from nasm.machine import Machine
from nasm.machine.records import Status
from nasm.targets import TARGETS
from nasm.targets.tensix.engine_names import HARTS
from nasm.targets.tensix.risc_state import B
from tests.tensix.core.machines import held, made, ran, starts

SEMPOST = 0xA4000008
"""SEMPOST of semaphore 1."""

LOCAL, L1, CONFIG, CLOCK, GPRS = 0xFFB00000, 0x1000, 0xFFEF0000, 0xFFB121F0, 0xFFE00000
SEMAPHORES, MAILBOX, PUSHES, RESET = 0xFFE80020, 0xFFEC0000, 0xFFE40000, 0xFFB121B0


def core_starts(machine: Machine, name: str) -> list[int]:
    """When each line of a core started."""
    numbers = {queue.engine: n for n, queue in enumerate(machine.program.queues)}
    return starts(machine, numbers[name])


def registers(machine: Machine, name: str) -> list[int]:
    found: list[int] = held(machine).riscs[HARTS.index(name)].registers.tolist()
    return found


def session(text: str) -> nasm.Session:
    made_of = nasm.Session(nasm.assemble(f".target wormhole\n{text}\n"))
    made_of.run(max_cycles=100_000)
    return made_of


def problems(text: str) -> list[tuple[str, str]]:
    """Codes and sentences of what is reported of a run, with the line of each."""
    report = session(text).report()
    return [(p.code, p.message) for p in (*report.problems, *report.hazards)]


# -- time


@pytest.mark.parametrize(
    ("address", "latency"),
    [(LOCAL, 2), (SEMAPHORES, 3), (GPRS, 4), (CONFIG, 4), (CLOCK, 7), (L1, 8)],
)
def test_what_uses_a_load_waits_for_its_latency(address: int, latency: int) -> None:
    machine = ran(f".l1 x u32[4] @ {L1} = zeros\n.rv T0\nli t0, {address}\nlw a0, 0(t0)\nmv a1, a0")
    _, load, use = core_starts(machine, "trisc0")
    assert use - load == latency


def test_seven_independent_instructions_hide_a_load_from_l1() -> None:
    independent = "\n".join(f"addi s{n}, s{n}, 1" for n in range(2, 9))
    machine = ran(f".l1 x u32[4] @ 0 = zeros\n.rv T0\nlw a0, 0(zero)\n{independent}\nmv a1, a0")
    assert core_starts(machine, "trisc0") == [*range(9)]


def test_an_eighth_instruction_waits_until_the_load_leaves_the_unit() -> None:
    independent = "\n".join(["addi s2, zero, 1"] * 8)
    machine = ran(f".l1 x u32[4] @ 0 = zeros\n.rv T0\nlw a0, 0(zero)\n{independent}\nmv a1, zero")
    assert core_starts(machine, "trisc0") == [*range(10)]
    slow = "\n".join(["lw a0, 0(t0)"] + ["addi s2, zero, 1"] * 9)  # 3 more in its FIFO
    machine = ran(f".rv T0\nli t0, {MAILBOX + 0x2000}\n{slow}\n.rv T1\n"
                  + "nop\n" * 20 + f"li t0, {MAILBOX + 0x1000}\nsw a0, 0(t0)")  # fmt: skip
    *_, seventh, eighth, ninth = core_starts(machine, "trisc0")
    assert (seventh, ninth - eighth) == (8, 1)
    assert eighth > 20


def test_four_loads_from_l1_every_seven_cycles() -> None:
    loads = "\n".join(f"lw a{n}, 0(zero)" for n in range(8))
    machine = ran(f".l1 x u32[4] @ 0 = zeros\n.rv T0\n{loads}")
    assert core_starts(machine, "trisc0") == [0, 1, 2, 3, 7, 8, 9, 10]


def test_stores_to_l1_leave_a_queue_of_four_every_five_cycles() -> None:
    """The first is emitted at 1, the others at 6, 11, 16, …; the fifth enters when one has left."""
    machine = ran(".rv T0\n" + "sw zero, 256(zero)\n" * 8)
    assert core_starts(machine, "trisc0") == [0, 1, 2, 3, 4, 6, 11, 16]


def test_other_stores_leave_every_cycle() -> None:
    machine = ran(f".rv T0\nli t0, {LOCAL}\n" + "sw zero, 4(t0)\n" * 6)
    assert core_starts(machine, "trisc0") == [*range(7)]


def test_a_load_waits_for_a_store_to_its_address_only() -> None:
    stores = "sw zero, 256(zero)\nsw zero, 260(zero)\n"
    machine = ran(f".rv T0\n{stores}lw a0, 260(zero)\nlw a1, 256(zero)")
    assert core_starts(machine, "trisc0") == [0, 1, 6, 7]


@pytest.mark.parametrize(
    ("lines", "cycles"),
    [
        ("mul a2, a0, a1", 2),
        ("mulhu a2, a0, a1", 2),
        ("div a2, a0, zero", 2),
        ("remu a2, a0, a3", 2),
        ("div a2, a4, a5", 2),
        ("divu a2, a0, a1", 8),
        ("divu a2, zero, a1", 6),
        ("divu a2, a4, a1", 33),
    ],
)
def test_multiplications_and_divisions_occupy_the_integer_unit(lines: str, cycles: int) -> None:
    """100 has seven bits, 2^31 has 32; 2 by zero, by one, and of the least number by -1."""
    given = "li a0, 100\nli a1, 7\nli a3, 1\nlui a4, 0x80000\nli a5, -1"
    machine = ran(f".rv T0\n{given}\n{lines}\nnop")
    *_, before, after = core_starts(machine, "trisc0")
    assert after - before == cycles


def test_a_branch_takes_three_cycles_where_it_is_mispredicted() -> None:
    """BabyRISCV: a bubble of two cycles; jal and jalr are branches, too."""
    lines = "li a0, 3\nli gp, 0xFFB00000\nagain: addi a0, a0, -1\nbnez a0, again\ncall f\nj over"
    text = f".target wormhole\n.rv T0\n{lines}\nf: ret\nover: nop\n" + "nop\n" * 10
    source, found = Source("t.nasm", text), []
    for choice in ("predicted", "mispredicted"):
        program = assemble(source, TARGETS, options={"riscv.branches": choice})
        machine, bursts = (Machine(program, trace=True) for _ in range(2))
        machine.run(100_000)
        bursts.run(100_000, bursts=True)
        assert bursts.scheduler.now == machine.scheduler.now
        found.append(core_starts(machine, "trisc0"))
    assert found[0] == [*range(22)]
    assert found[1] == [0, 1, 2, 3, 6, 7, 10, 11, 14, 17, 20, *range(23, 34)]


def test_two_instructions_of_one_line_take_two_cycles() -> None:
    machine = ran(".rv T0\nli a0, 5\nli a1, 0x12345678\nli a2, 0x5000\nla a3, here\nhere: nop")
    assert core_starts(machine, "trisc0") == [0, 1, 3, 4, 6]
    assert registers(machine, "trisc0")[10:14] == [5, 0x12345678, 0x5000, 0x6018]


# -- what is reached


def test_six_instructions_push_one_of_tensix() -> None:
    lines = f"""
.rv B
    lui   t0, {PUSHES >> 12}
    lui   t1, {SEMPOST >> 12}
    addi  t1, t1, {SEMPOST & 0xFFF}
    sw    t1, 0(t0)
    nop
stay:
    j     stay
"""
    machine = ran(".cfg SEM1_max = 15" + lines)
    assert held(machine).semaphores[1, 0] == 1
    assert core_starts(machine, "brisc") == [*range(6)]
    assert starts(machine, 0) == [4]


def test_a_core_pushes_to_its_own_thread_and_b_to_each() -> None:
    own = "".join(f".rv T{n}\nttinsn {SEMPOST}\n" for n in range(3))
    machine = ran(f".cfg SEM1_max = 15\n{own}")
    assert [len(starts(machine, thread)) for thread in range(3)] == [1, 1, 1]
    of_b = "".join(f"li t0, {PUSHES + 0x10000 * n}\nsw a0, 0(t0)\n" for n in range(3))
    machine = ran(f".cfg SEM1_max = 15\n.rv B\nli a0, {SEMPOST}\n{of_b}")
    assert [len(starts(machine, thread)) for thread in range(3)] == [1, 1, 1]
    assert held(machine).semaphores[1, 0] == 3


def test_a_full_fifo_stalls_the_core() -> None:
    """A closed gate of t1 and what is before it hold 26 words; the 27th of the posts waits."""
    wait = 0xA6000000 | 0x1FF << 15 | 2 << 2 | 1  # SEMWAIT: all, while semaphore 1 is 0
    posts = "ttinsn 0xA4000010\n" * 30
    text = f".cfg SEM1_max = 1\n.cfg SEM2_max = 15\n.rv T1\nttinsn {wait}\n{posts}"
    stuck = made(text)
    stuck.run(10_000)
    (queue,) = [q for q in stuck.scheduler.queues if q.engine == "trisc1"]
    assert queue.blocked is not None
    assert queue.blocked.cause == "fifo"
    assert "holds 16 of 16" in queue.blocked.reason
    assert queue.started == 27 + 4
    released = ran(
        f"{text}.rv B\n" + "nop\n" * 50 + f"li t0, {PUSHES}\nli a0, {SEMPOST}\nsw a0, 0(t0)"
    )
    assert held(released).semaphores[2, 0] == 15


def test_values_go_through_mailboxes_between_b_and_the_others() -> None:
    machine = ran(f"""
.rv B
    li   t0, {MAILBOX + 0x1000}
    li   a0, 7
    sw   a0, 0(t0)
    lw   a1, 0(t0)
.rv T0
    li   t0, {MAILBOX}
    lw   a0, 4(t0)
    lw   a1, 0(t0)
    addi a2, a1, 1
    sw   a2, 0(t0)
""")
    assert registers(machine, "trisc0")[10:13] == [0, 7, 8]
    assert registers(machine, "brisc")[11] == 8


def test_b_waits_until_the_core_listens_and_its_thread_is_idle() -> None:
    machine = ran(f"""
.cfg SEM1_max = 15
.rv B
    li   t0, 0xFFE80000
    li   a0, 42
    sw   a0, 0(t0)
    lw   a1, 0(t0)
    mv   a2, a1
    sw   a0, 0(t0)
.rv T0
    li   t0, 0xFFE80000
    lw   a0, 0(t0)
    ttinsn {SEMPOST}
    lw   a1, 0(t0)
""")
    assert registers(machine, "trisc0")[10:12] == [42, 42]
    assert held(machine).semaphores[1, 0] == 1
    *_, waited, _, _ = core_starts(machine, "brisc")
    assert waited > core_starts(machine, "trisc0")[2]


def test_code_of_a_core_loads_and_stores_bytes() -> None:
    machine = ran(f"""
.rv NC
    li   t0, {LOCAL + 0xFF0}
    li   a0, 0x818283F4
    sw   a0, 0(t0)
    lb   a1, 0(t0)
    lbu  a2, 1(t0)
    lh   a3, 2(t0)
    sb   a1, 3(t0)
    sh   zero, 0(t0)
    lw   a4, 0(t0)
    sb   a0, 257(zero)
    lhu  a5, 256(zero)
.l1 x u32[4] @ 256 = zeros
""")
    wanted = [0x818283F4, 0xFFFFFFF4, 0x83, 0xFFFF8182, 0xF4820000, 0xF400]
    assert registers(machine, "ncrisc")[10:16] == wanted


def test_an_address_is_an_offset_and_a_register_in_parentheses() -> None:
    forms = ("8(s1)", "off(s1)", "(4 + 4)(s1)", "8, s1", "(t1)", "-8(t2)", "Offset=8, Base=s1")
    lines = [f"lw a{n}, {form}" for n, form in enumerate(forms)]
    setup = "li s1, 0xFFB00000\naddi t1, s1, 8\naddi t2, s1, 16\nli t0, 77\nsw t0, 8(s1)\n"
    machine = ran(f".const off = 8\n.rv B\n{setup}" + "\n".join(lines))
    assert registers(machine, "brisc")[10:17] == [77] * 7


def test_tiles_have_code_of_their_own() -> None:
    store = "li t0, 0x4000\nsw a0, 0(t0)"
    report = session(f"""
.grid 2, 1
.cfg SEM1_max = 15
.tile 0, 0
.l1 a u32[1] @ 0x4000 output = zeros
.rv B
    li a0, 7
    {store}
.tile 1, 0
.l1 b u32[1] @ 0x4000 output = zeros
.rv T0
    li a0, 9
    {store}
    ttinsn {SEMPOST}
.expect a[0] == 7
.expect b[0] == 9
""").report()
    assert report.ok


def test_the_wall_clock_is_read() -> None:
    machine = ran(f".rv B\nli t0, {CLOCK}\nnop\nlw a0, 0(t0)\nlw a1, 8(t0)")
    assert registers(machine, "brisc")[10:12] == [core_starts(machine, "brisc")[2], 0]


# -- reset


def test_a_core_held_in_reset_begins_when_another_ends_that() -> None:
    machine = ran(f"""
.cfg RISCV_DEBUG_REG_SOFT_RESET_0 = 1 << 12
.cfg TRISC_RESET_PC_SEC0_PC = 0x7000
.cfg TRISC_RESET_PC_OVERRIDE_Reset_PC_Override_en = 1
.rv T0
    la   a0, here
here:
    sw   a0, 256(zero)
.rv B
    li   t0, {RESET}
    nop
    nop
    sw   zero, 0(t0)
""")
    assert registers(machine, "trisc0")[10] == 0x7008
    release = core_starts(machine, "brisc")[-1]
    assert core_starts(machine, "trisc0")[0] > release


def test_a_core_that_is_reset_again_begins_anew() -> None:
    machine = ran(f"""
.rv T0
    addi a0, a0, 1
    lw   a1, 256(zero)
    addi a1, a1, 1
    sw   a1, 256(zero)
loop:
    lw   a2, 260(zero)
    beqz a2, loop
.rv B
    li   t0, {RESET}
    li   a0, 1 << 12
    li   a1, 40
wait:
    addi a1, a1, -1
    bnez a1, wait
    sw   a0, 0(t0)
    sw   zero, 0(t0)
    li   a1, 40
again:
    addi a1, a1, -1
    bnez a1, again
    sw   a0, 260(zero)
.l1 counts u32[4] @ 256 = zeros
""")
    assert registers(machine, "trisc0")[10] == 1
    assert machine.holds[0].l1.read(256, 1)[0] == 2  # type: ignore[attr-defined]


def test_a_core_that_waits_for_one_in_reset_is_a_deadlock() -> None:
    report = session(f"""
.cfg RISCV_DEBUG_REG_SOFT_RESET_0 = 1 << 12
.rv T0
    nop
.rv B
    li   t0, {MAILBOX + 0x1000}
    lw   a0, 0(t0)
""").report()
    assert report.status is Status.DEADLOCK
    said = "\n".join(str(problem) for problem in report.problems)
    assert "it is held in reset" in said
    assert "the mailbox from the core of t0 is empty" in said


def test_a_mailbox_for_which_nothing_is_sent_is_a_deadlock() -> None:
    report = session(f".rv B\nnop\n.rv T1\nli t0, {MAILBOX}\nlw a0, 0(t0)").report()
    assert report.status is Status.DEADLOCK


# -- what is wrong


@pytest.mark.parametrize(
    ("lines", "code", "said"),
    [
        ("word 0xFFFFFFFF", "E0701", "0xffffffff at 0x6000 is no instruction of these cores"),
        ("space 8", "E0701", "it jumps to 0x6000, where the core has no line"),
        ("li a0, 0x8000\njr a0", "E0701", "it jumps to 0x8000, where the core has no line"),
        ("li a0, 0x6002\njr a0", "E0701", "it jumps to 0x6002, which is not a multiple of 4"),
        ("li a0, 0x257\nlh a1, 0(a0)", "E0565", "0x257 is no multiple of 2: the core takes 0x256"),
        ("li a0, 0x100\nlw a1, 1(a0)", "E0565", "0x101 is no multiple of 4: the core takes 0x100"),
        ("lui a0, 0x80000\nlw a1, 0(a0)", "E0701", "0x80000000 is not mapped for the core of t0"),
        ("li a0, 0xFFE50000\nsw a1, 0(a0)", "E0701", "is not mapped for the core of t0"),
        (f"li a0, {GPRS}\nsb a1, 1(a0)", "E0701", "a store of a byte at GPR0"),
        ("ttinsn 0xBF000000", "E0323", "it pushes 0xbf000000, which is no instruction"),
        ("li a0, 0xFFB12200\nlw a1, 0(a0)", "E0601", "does not model that register"),
    ],
)
def test_errors_of_a_run_are_reported_at_their_lines(lines: str, code: str, said: str) -> None:
    report = session(f".l1 x u32[256] @ 0 = zeros\n.rv T0\n{lines}").report()
    (problem,) = [p for p in (*report.problems, *report.hazards) if p.code == code]
    assert said in problem.message
    assert problem.span is not None
    line = problem.span.source.text[: problem.span.start].count("\n") - 2
    assert line == len(lines.splitlines())


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (".rv B\naddi a0, a0, 2048", "E0301"),
        (".rv B\naddi a0, b0, 1", "E0301"),
        (".rv B\nbeq a0, a1, far\nspace 4096\nfar: nop", "E0301"),
        (".rv B\norg 0x7002\nnop", "E0301"),
        (".rv B\nspace 6", "E0301"),
        (".rv B\norg 0x100\nnop\norg 0x100\nnop", "E0301"),
        (".rv B\norg 0x6000\nnop\n.rv T0\naddi a0, a0, 1", "E0301"),
        (".rv B\nfrobnicate a0", "E0201"),
        (".rv B\nbeq a0, a1, nowhere", "E0207"),
        (".rv Q", "E0203"),
        ("@t0 NOP\n.rv T0\nnop", "E0248"),
        (".rv T0\nnop\n@trisc0 RVOPS", "E0248"),
        ("@t0 addi a0, a0, 1", "E0408"),
    ],
)
def test_errors_of_a_text(text: str, code: str) -> None:
    with pytest.raises(Failure) as caught:
        made(text)
    assert [problem.code for problem in caught.value.problems] == [code]


def test_code_that_is_overwritten_is_not_executed() -> None:
    text = """
.rv T0
    li   a0, 20
loop:
    addi a0, a0, -1
    bnez a0, loop
    nop
.rv B
    li   t0, 0x6000
    sw   zero, {offset}(t0)
"""
    (found,) = [m for code, m in problems(text.format(offset=12)) if code == "E0559"]
    assert "0x600c was overwritten" in found
    assert not problems(text.format(offset=16))  # after its last line


def test_storing_what_is_there_overwrites_nothing() -> None:
    stores = ".rv B\nli t0, 0x6000\nli a0, 0x13\nsw a0, 4(t0)"
    text = f".rv T0\nnop\nnop\nlw a0, 256(zero)\n.l1 x u32[1] @ 256 = zeros\n{stores}"
    assert not problems(text)


# -- the machine


def test_a_run_continues_from_a_checkpoint_as_without() -> None:
    text = f"""
.cfg SEM1_max = 15
.rv T1
    li   t0, {MAILBOX}
    li   a2, 8
again:
    ttinsn {SEMPOST}
    lw   a0, 0(t0)
    mul  a1, a0, a0
    sw   a1, 256(zero)
    addi a2, a2, -1
    bnez a2, again
.rv B
    li   t0, {MAILBOX + 0x2000}
    li   a0, 8
send:
    sw   a0, 0(t0)
    addi a0, a0, -1
    bnez a0, send
"""
    whole = ran(text)
    for events in range(1, whole.scheduler.position, 37):
        machine = made(text)
        machine.run(events)
        saved = machine.save()
        machine.run(1_000_000)
        first = machine.summary.digest()
        machine.restore(saved)
        machine.run(1_000_000)
        assert first == machine.summary.digest() == whole.summary.digest()
        assert held(machine).save()[0] is not None


def test_stepping_shows_the_registers_of_a_core() -> None:
    own = nasm.Session(nasm.assemble(".target wormhole\n.rv B\nli a0, 3\nadd a1, a0, a0\n"))
    own.step()
    own.step()
    assert held(own.machine).riscs[B].registers[10:12].tolist() == [3, 6]


@pytest.mark.parametrize("last", ["nop", "stay: j stay", "ebreak"])
def test_a_core_that_has_reached_its_end_is_reset_and_begins_again(last: str) -> None:
    text = f"""
.cfg SEM1_max = 15
.rv T0
    addi a0, a0, 1
    lw   a1, 256(zero)
    addi a1, a1, 1
    sw   a1, 256(zero)
    ttinsn {SEMPOST}
    {last}
.rv NC
    li   t0, {RESET}
    li   a0, 1 << 12
    li   a2, 3
again:
    li   a1, 40
wait:
    addi a1, a1, -1
    bnez a1, wait
    sw   a0, 0(t0)
    sw   zero, 0(t0)
    addi a2, a2, -1
    bnez a2, again
.l1 counts u32[4] @ 256 = zeros
"""
    machine = ran(text)
    assert registers(machine, "trisc0")[10] == 1
    assert held(machine).l1.read(256, 1)[0] == 4
    assert held(machine).semaphores[1, 0] == 4
    begins = [a for a, line in zip(*_lines(machine), strict=True) if line == 0]
    assert len(begins) == 4
    stepped = made(text)
    while stepped.run(1):
        stepped.restore(stepped.save())
    assert core_starts(stepped, "trisc0") == core_starts(machine, "trisc0")


def _lines(machine: Machine) -> tuple[list[int], list[int]]:
    """When each line of the core of t0 started, and its pc."""
    (number,) = [n for n, q in enumerate(machine.program.queues) if q.engine == "trisc0"]
    assert machine.trace is not None
    found = sorted((s, int(pc)) for _, q, pc, _, s, _ in machine.trace.instructions if q == number)
    return [start for start, _ in found], [pc for _, pc in found]


def test_a_core_at_its_end_that_stays_in_reset_ends_the_run() -> None:
    machine = ran(f".rv T0\nnop\n.rv B\nli t0, {RESET}\nli a0, 1 << 12\nsw a0, 0(t0)\nnop")
    assert len(core_starts(machine, "trisc0")) == 1


HELD = ".cfg RISCV_DEBUG_REG_SOFT_RESET_0 = 1 << 11\n.rv B\nnop\nsw zero, 256(zero)\n"
SAID = "executes none of its lines: it is held in reset"


def test_lines_of_a_core_that_stays_in_reset_are_reported() -> None:
    report = session(f"{HELD}@t0 NOP").report()
    (found,) = report.warnings
    assert (found.code, found.message, found.span.line if found.span else 0) == (
        "E0566", f"brisc {SAID}", 4,
    )  # fmt: skip
    assert found.hint.startswith("clear bit 11 of RISCV_DEBUG_REG_SOFT_RESET_0")


@pytest.mark.parametrize(
    "lines",
    [
        "@noc0\nNOC_NOP $go >= 1",
        "@noc0\nNOC_SEMWAIT 1, 1",
        ".l1 w u32[1] @ 256 = zeros\n.rv B\npoll:\nlw t0, 256(zero)\nbeqz t0, poll",
    ],
)
def test_what_waits_for_a_tile_that_is_held_in_reset_says_so(lines: str) -> None:
    report = session(f".tile 4, 1\n{HELD}.tile 1, 1\n.sem go\n{lines}").report()
    assert report.status in (Status.DEADLOCK, Status.LIMIT)
    (found,) = [p for p in (*report.problems, *report.hazards) if p.code in ("E0510", "E0511")]
    assert found.span is not None
    assert found.span.line > 7
    (note,) = [note for note in found.notes if SAID in note.message]
    assert note.message == f"4-1.brisc {SAID}"
    assert note.span is not None
    assert note.span.line == 5
