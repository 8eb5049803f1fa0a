"""The ledger's probes of single instructions."""

import pytest

from programs.published import micro, micro_control, micro_documented, micro_profiles, micro_trn2
from programs.published.micro import Section, often, vector
from programs.published.runs import WARM, run

MODULES = (micro_control, micro_documented, micro_profiles, micro_trn2)
ROWS = [row for module in MODULES for row in module.ROWS]


def test_a_probe_declares_the_tiles_it_names() -> None:
    text = vector("sum", "TensorTensor c, ha, pa, op=add").text(3)
    declared = [line.split()[1] for line in text.splitlines() if line[:5] in (".sbuf", ".psum")]
    assert declared == ["c", "ha", "pa"]


def test_rows_of_one_name_share_a_program() -> None:
    kernels = {}
    for row in ROWS:
        assert kernels.setdefault(row.kernel.name, row.kernel) is row.kernel
    assert len({(row.name, row.figure, row.kernel.target) for row in ROWS}) == len(ROWS)


@pytest.mark.parametrize("cycles", [64, 512, 8192])
def test_a_stream_is_long_enough_to_be_warm(cycles: int) -> None:
    assert (often(cycles) - 2) * cycles / 2800 > WARM


def test_spacing_and_duration_of_an_instruction_worked_by_hand() -> None:
    # trn1, 100 elements: 2 x 100 cycles of 1.12 GHz, and 100 cycles more to the results
    probe = vector("sum", "TensorTensor c, a, b, op=add", target="trn1", n=100)
    section = Section(name="a", source="b")
    stream, alone = section.cycles(probe, 200), section.completion(probe, 300 / 1.12)
    for row, wanted in ((stream, 200), (alone, 300 / 1.12)):
        found = row.measure(run(row.kernel.program({}, "trn1")))
        assert found == pytest.approx(wanted, rel=1e-3)


def test_an_identity_is_made_before_what_needs_it() -> None:
    lines = micro.unit("unit")
    assert lines[0].startswith("@gpsimd")
    assert lines[-1] == "EventSemaphore  $other >= 1"
