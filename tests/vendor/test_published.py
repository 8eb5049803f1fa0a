"""AWS's own instruction tests, as programs: the published reference is what must come out."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from nasm.base.source import Source
from nasm.debugger.session import Session
from nasm.machine.records import Status
from tests.neuron.programs import GENERATIONS
from tests.parts import part
from tests.tables import each
from tests.vendor.published import CASES, FAULTS

HERE = Path(__file__).parent
PROGRAMS = sorted(path.stem for path in HERE.glob("*.nasm"))
PUBLISHED = {
    "activation": ["activation"],
    "affine_select": ["affine_select"],
    "bn_stats": ["bn_stats_bn_aggr"],
    "copypredicated": ["copy_predicated"],
    "dma_copy": [
        "tensor_copy",
        "indirect_load_oob_err",
        "indirect_load_oob_err_negative",
        "indirect_load_oob_skip",
        "indirect_store_rmw",
        "indirect_store_oob_err",
        "indirect_store_oob_err_negative",
        "indirect_store_oob_skip",
        "dma_copy_swdge",
        "dma_copy_hwdge",
    ],
    "dma_transpose": ["dma_transpose_2d", "dma_transpose_indirect"],
    "dropout": ["dropout", "dropout_scalar"],
    "iota": ["iota"],
    "local_gather": ["local_gather"],
    "max8": ["max8"],
    "memset": ["memset"],
    "nc_find_index8": ["max_index8"],
    "nc_match_replace8": [
        "nc_match_replace8",
        "nc_match_replace_indices8",
        "nc_match_replace_indices8_mask",
        "nc_match_replace_indices8_3d",
        "nc_match_replace_indices8_3d_inplace",
    ],
    "nc_matmul": ["nc_matmul", "double_row_gen3"],
    "nc_stream_shuffle": ["stream_shuffle", "broadcast_partition", "broadcast_mask"],
    "nc_transpose": ["nc_transpose"],
    "partition_reduce": ["par_reduce_nd", "par_reduce_nd_b"],
    "range_select": ["range_select_example", "range_select_chaining"],
    "reciprocal": ["nisa_reciprocal"],
    "reduce": ["reduce"],
    "select_reduce": [
        "select_reduce_basic",
        "select_reduce_with_reduction",
        "select_reduce_reverse_pred",
    ],
    "sequence_bounds": ["sequence_bounds"],
    "tensor_copy": ["tensor_copy"],
    "tensor_scalar": ["tensor_scalar"],
    "tensor_scalar_cumulative": [
        *(f"tensor_scalar_cumulative_scalar{n}" for n in (1, 2)),
        *(f"tensor_scalar_cumulative_vector{n}" for n in (1, 2, 3)),
        *(f"tensor_scalar_cumulative_load_reduce{n}" for n in (1, 2, 3)),
        *(f"tensor_scalar_cumulative_chain{n}" for n in (1, 2)),
        "tensor_scan",
    ],
    "tensor_tensor": ["tensor_tensor"],
    "tensor_tensor_scan": ["tensor_tensor_scan"],
}
"""Every test function of nki/test/test_nki_isa_*.py in aws-neuron-sdk, without its ``test_``."""


def text(name: str) -> str:
    return (HERE / f"{name}.nasm").read_text()


def machines(name: str) -> tuple[str, ...]:
    """The machine a program is for, and later ones."""
    written = re.search(r"^\.target (\w+)", text(name), re.MULTILINE)
    assert written is not None
    return GENERATIONS[GENERATIONS.index(written[1]) :]


@each(("name", "on"), part([(n, on) for n in PROGRAMS for on in machines(n)], 30))
def test_the_program_gives_what_the_published_reference_gives(name: str, on: str) -> None:
    inputs = CASES[name](np.random.RandomState(0))
    report = Session.load(Source(f"{name}.nasm", text(name)), target=on, inputs=inputs).run()
    if name in FAULTS:
        assert report.status is Status.FAULT
        assert [p.code for p in report.problems] == [FAULTS[name]]
        return
    assert (report.problems, report.hazards) == ((), ())
    assert "E0525" not in [p.code for p in report.warnings]
    assert report.status is Status.FINISHED
    assert report.expectations
    assert [e.summary for e in report.expectations if not e.held] == []


def test_every_published_test_is_a_program_here() -> None:
    said = set()
    for name in PROGRAMS:
        first = text(name).splitlines()[0]
        file, test = re.match(r"; test_nki_isa_(\w+)\.py, test_(\w+)[,:]", first).groups()
        said.add((file, test))
    wanted = {(file, test) for file, tests in PUBLISHED.items() for test in tests}
    assert said == wanted


def test_every_program_has_its_case() -> None:
    assert set(PROGRAMS) == set(CASES)
