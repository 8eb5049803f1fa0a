"""The numbers and switches of the generations: one row each, with unit, meaning and sources.

Nanoseconds are kept where they were measured. A figure that was measured on one generation and
is used on others too is marked as assumed there.
"""

from __future__ import annotations

from collections.abc import Mapping

from nasm.base.records import dataclass
from nasm.isa.evidence import Fact
from nasm.isa.figures import Figure
from nasm.targets.neuron.collectives.figures import COLLECTIVES
from nasm.targets.neuron.figure_rows import (
    ASSUMED,
    DOC,
    LIMIT,
    MEAS,
    RATE,
    carried,
    each,
    everywhere,
)

ARRAY_SIDE = 128
"""Rows and columns of the systolic array."""
QUADRANT = 32
"""Partitions among which Vector can move elements."""
STATS_MOST = 512
"""Elements per partition of which statistics are made at once."""

TRN2_PROBES = "third-party Trainium2 microbenchmarks (voyager-compiler, trainium docs, 2025)"
NKI_COSTS = "nki.isa 'estimated instruction cost' tables, Neuron SDK 2.21 to 2.26"
PERF_GUIDE = "NKI performance guide"
DMA_INTRO = "NKI 'Introduction to DMA' overview"
KERNEL_PROFILES = "kernel-optimization tutorial, profiles on Trainium2"
SUMMARY = "Neuron Explorer, summary metrics"
MATMUL_LIMITS = "nki.isa.nc_matmul, 'Tile size'"
_ARRAY = "architecture guide, 'Tensor Engine': 128x128 array"


@dataclass(frozen=True, slots=True)
class Switch:
    """Something a generation has or lacks, and from which one on."""

    name: str
    meaning: str
    since: str
    source: str


def _doc(value: float, source: str) -> Fact:
    return Fact(value, DOC, source)


def _since_v3(value: float, source: str) -> Mapping[str, Fact]:
    """A figure that v2 does not have, documented of v3 and assumed of v4."""
    later = Fact(value, ASSUMED, f"carried over from v3: {source}")
    return {"v3": _doc(value, source), "v4": later}


def _both(value: float, source: str) -> Mapping[str, Fact]:
    """A figure that v2 does not have, documented of v3 and v4."""
    return {"v3": _doc(value, source), "v4": _doc(value, source)}


def _drain(name: str, meaning: str, v2: Fact, v3: float, source: str, clocks: float = 1) -> Figure:
    """Nanoseconds from the end of an interval to the results; v4 keeps v3's cycles."""
    v4 = Fact(v3 * clocks, ASSUMED, f"v3's cycles at v4's clock: {source}")
    return each(name, "ns", meaning, v2, Fact(v3, MEAS, source), v4)


_RATE = (
    "neuron-agentic-development, profile querying reference: 77.2 TFLOP/s in 2,048 matmuls of "
    "K = M = 128 and N = 512 in bfloat16, 521.6 cycles each"
)
_PASS = f"{KERNEL_PROFILES}: passes of N = 512 in float32 1,031 cycles apart, 1,024 + 7"
_LIMITER = "Neuron Explorer glossary, dI/dt throttling on Trn2 and Trn3"
_BLOCKS = f"{TRN2_PROBES}: copies on Scalar and matmuls as max(N, 2 x 16-byte blocks touched)"
_KERNEL = f"{TRN2_PROBES}: launch and exit of a kernel, once"
_TABLE = f"{TRN2_PROBES}: ACT_TABLE_LOAD, as in profiles of others"
_BLOCK = f"{TRN2_PROBES}: DVE 32x32 float32 transposes"
_CHANGE = f"{_BLOCK} issue after 234 ns, or 93 if the last had the same pair of quadrants"
_ISSUES = (
    "third-party measurements on Trainium2 of 25,600 additions of single elements: 1,458 ns "
    "for three issues"
)
_SPREAD = (
    f"{TRN2_PROBES}: DMA load payload 293 + 1.30 x ideal with 16 DMA engines; {DMA_INTRO}: "
    "32 KiB by one engine at 23 GB/s"
)
_SILU = f"{TRN2_PROBES}: silu out of PSUM 260 ns + 1.33 ns per element"
_COLUMN_NS = (219 - 188) / (96 - 1)
_MATMULS = f"{PERF_GUIDE}, figures 18 and 20"
_CHAIN = Fact(
    200 / 1.4,
    MEAS,
    f"{PERF_GUIDE}, figure 16: dependent 1-element ACTIVATE every 264 cycles = 64 + 200",
)
_COUNTERS = (
    _doc(256, "open-source driver, address_map.h of v2"),
    _doc(256, "open-source driver, address_map.h of v3"),
    Fact(256, ASSUMED, "not published for v4; taken as v3's"),
)
_BARRIER = "PSEUDO_CORE_BARRIER in third-party profiles of balanced cores, mean of about 600 ns"
_READ = f"{TRN2_PROBES}: accumulator read issued every 185 ns, 222 cycles"
_ONE = Fact(1, ASSUMED, "no figure is published; taken as one word per cycle")
_RECIPROCAL = f"{TRN2_PROBES}: 6.25 ns per element"
_MEMSET = f"{TRN2_PROBES}: DVE memset 0.83 ns per element"
_WIDENING = f"{TRN2_PROBES}: DVE copy of bfloat16 into float32, 0.80 ns per element"
_WORDS = f"{TRN2_PROBES}: DVE copy of int32, 0.67 ns per element"
_BYTES = f"{TRN2_PROBES}: DVE copy of float32 into uint8, 0.57 ns per element"
_NUMBER = f"{TRN2_PROBES}: DVE predicated copy of a scalar, 1.11 ns per element"
_DYNAMIC = f"{NKI_COSTS}: tensor_copy_dynamic_src and _dst, max(600, N)"
_APART = f"{TRN2_PROBES}: 91 ns for each tile of scale or bias that is read"
_TWO_OPS = "nki.isa.scalar_tensor_tensor: about the latency of tensor_tensor, which takes N"

_SUMS = "Trainium3 guide, 'SBUF Read-Add-Write': 50 % of DMA throughput before NeuronCore-v4"
_TRANSPOSE = "Trainium2 guide, 'DMA Transpose'"

# A table: a row of figures takes a line or two.
# fmt: off
FIGURES = (
    everywhere("min_interval", "cycles", "least interval on Vector and Scalar, whatever the size",
               64, DOC, f"{NKI_COSTS}: MIN_II is about 64 engine cycles"),
    each("kernel_ns", "ns", "launch and exit of a kernel, which are not in the time of a run",
         Fact(17_000, MEAS, "fused-mamba tutorial, profiles on trn1: 12 to 17 µs before the first "
              "work and about 5 after; the lower ends"),
         Fact(9403, MEAS, _KERNEL), Fact(9403, ASSUMED, f"carried over from v3: {_KERNEL}")),
    everywhere("matmul_min", "cycles", "least interval of one pass of a matmul", 64, DOC,
               f"{PERF_GUIDE}: MM_INIT_LATENCY of 64 cycles"),
    each("matmul_overhead", "cycles", "between a matmul of one pass and the next",
         Fact(0, DOC, f"{PERF_GUIDE}: max(64, N)"), Fact(10, MEAS, _RATE),
         Fact(10, ASSUMED, f"carried over from v3: {_RATE}")),
    each("matmul_overhead_float32", "cycles", "the same, for each of the two passes of nasm's "
         "float32 matmul",
         Fact(0, DOC, f"{PERF_GUIDE}: max(64, N)"), Fact(7, MEAS, _PASS),
         Fact(7, ASSUMED, f"carried over from v3: {_PASS}")),
    Figure("ramp_ns", "ns", "how long Tensor's array is slow after a pause, and how far back it is "
           "looked at", _both(3000, f"{_LIMITER}: within about 3 µs")),
    Figure("ramp_share", "fraction", "a pause is to have been at work for less of that time",
           _both(0.5, f"{_LIMITER}: utilisation below 50 %")),
    Figure("ramp_factor", "times", "how much longer a matmul takes then",
           _both(2, f"{_LIMITER}: about 50 % of the rate")),
    everywhere("fast_load", "columns per cycle", "how fast a tile is loaded to stay", 4, DOC,
               "architecture guide, 'Fast LoadStationary': up to 4x faster", RATE),
    Figure("load_float32", "columns per cycle", "how fast each of the two parts of a float32 tile "
           "is loaded to stay, while no product runs",
           {"v2": Fact(1, MEAS, "NKIBench, transpose_matmul on trn1 (zhang677/AccelOpt, "
                       "profile_results.csv): a load of 128 columns and its product of 512 take "
                       "some 91 ns more than the product")}, RATE),
    everywhere("short_k", "partitions",
               "so few rows of the array, or fewer, may halve the rate of a matmul", 64, ASSUMED,
               f"{TRN2_PROBES}: seen at K = 64 in float32; taken to hold of fewer and of other "
               "dtypes"),
    each("short_k_factor", "times", "how much longer a matmul with so few rows takes",
         Fact(1, ASSUMED, "no figure is published"),
         Fact(2, MEAS, f"{TRN2_PROBES}: K = 64 takes twice the time of K = 128"),
         Fact(2, ASSUMED, "carried over from v3, whose limiter v4 has as well")),
    Figure("stride_bytes", "bytes", "an innermost axis that steps so far, or further, halves the "
           "rate of a port", {"v2": _doc(16, "architecture guide: above 16 bytes half the rate, "
                                         "below the full one")}),
    Figure("block_bytes", "bytes", "what a port of SBUF or PSUM fetches together",
           {"v3": Fact(16, MEAS, _BLOCKS), "v4": Fact(16, ASSUMED, f"carried over from v3: "
                                                      f"{_BLOCKS}")}, use=RATE),
    Figure("block_slots", "elements", "what a block counts as, if few of its elements are taken",
           {"v3": Fact(2, MEAS, _BLOCKS), "v4": Fact(2, ASSUMED, f"carried over from v3: "
                                                     f"{_BLOCKS}")}),
    Figure("quantize_rate", "elements per cycle", "how fast a tile is read to quantise it to MX",
           {"v4": _doc(4, "Trainium3 guide, 'MX data-type Quantization': 4 per cycle")}, RATE),
    everywhere("gpsimd_start", "cycles", "start-up of a GpSimd instruction, added to its interval",
               150, DOC, f"{NKI_COSTS}: GPSIMD_START is about 150 cycles"),
    each("accumulator_read", "cycles", "reading the accumulators, which reduce_res adds on Scalar",
         _doc(64, f"{NKI_COSTS}: + MIN_II to read the accumulators"),
         Fact(222, MEAS, _READ), Fact(222, ASSUMED, _READ)),
    each("cores", "cores", "cores that run side by side and share HBM (.core)",
         *(_doc(n, f"Logical NeuronCore configuration: {said}") for n, said in (
             (1, "Trn2 and Trn3 only"), (2, "LNC=2 is two physical cores"),
             (2, "LNC=2 is two physical cores"))), use=LIMIT),
    each("semaphores", "semaphores", "semaphores of a core", *_COUNTERS, use=LIMIT),
    each("events", "events", "one-bit events of a core", *_COUNTERS, use=LIMIT),
    carried("accumulator_drain_ns", "ns", "from the end of reading them to the results", 94,
            f"{TRN2_PROBES}: accumulator read complete after 279 ns, issued every 185"),
    carried("semaphore_ns", "ns", "from a post by an engine until a waiter may start", 40,
            "profiles show 26 to 52 ns from one engine's completion to another's start"),
    carried("event_ns", "ns", "waiting for a semaphore, or updating one", 9,
            "EVENT_SEMAPHORE in published Trainium2 profiles"),
    everywhere("clear_ns", "ns", "clearing a range of semaphores", 10, ASSUMED,
               "no figure is published; taken as an EVENT_SEMAPHORE"),
    everywhere("rank_ns", "ns", "putting the rank of a core into a register", 70, ASSUMED,
               "no figure is published; taken as a register MOVE"),
    everywhere("nop_ns", "ns", "doing nothing", 10, ASSUMED,
               "no figure is published; taken as an EVENT_SEMAPHORE"),
    each("barrier_ns", "ns", "a barrier of cores from the last arrival on, or an exchange",
         _doc(0, "nki.isa.core_barrier: not on v2"), Fact(600, MEAS, _BARRIER),
         Fact(600, ASSUMED, f"carried over from v3: {_BARRIER}")),
    carried("alu_ns", "ns", "an operation on registers", 45,
            "third-party profiles of ALU_OP: 44 to 47 ns"),
    carried("move_ns", "ns", "moving a number into a register", 68,
            f"{TRN2_PROBES}: register MOVE"),
    carried("tensor_load_ns", "ns", "loading an element into a register", 300,
            "third-party profiles: 297 to 355 ns"),
    everywhere("tensor_store_ns", "ns", "storing a register into an element", 300, ASSUMED,
               "no figure is published; taken as TENSOR_LOAD"),
    everywhere("branch_ns", "ns", "a branch, taken or not", 70, ASSUMED,
               "no figure is published; taken as a register MOVE"),
    everywhere("dma_static_ns", "ns",
               "issue of a DMA whose descriptors were written before the run", 7, MEAS,
               f"{PERF_GUIDE}, figure 29: a 4-byte descriptor trigger"),
    carried("dma_swdge_ns", "ns", "issue of a DMA whose descriptors GpSimd makes", 8,
            "GpSimd trigger in published profiles"),
    carried("dma_hwdge_one_ns", "ns", "issue of a DMA whose descriptors the hardware makes, if one "
            "DMA engine has something to do", 486, _ISSUES),
    everywhere("dma_hwdge_ns", "ns", "the same if all of them have; linear in between (assumed)",
               600, DOC, "Trainium2 guide, DGE: about 600 ns per DMA instruction"),
    carried("dma_descriptors_ns", "ns", "making the descriptors of a DMA by GpSimd, besides its "
            "instructions", 650, "third-party profiles of DMA_DIRECT2D on GpSimd: about 650 ns "
            "each where descriptors are what limits"),
    carried("dma_row_descriptors_ns", "ns", "the same of a DMA that gathers or scatters rows", 1035,
            "third-party profiles of DMA_INDIRECT: about 1,035 ns"),
    carried("dma_load_dispatch_ns", "ns", "from the start of a DMA instruction until its shares "
            "arrive, if they move on chip", 751, f"{TRN2_PROBES}: DMA load dispatch"),
    carried("dma_store_dispatch_ns", "ns", "the same, if they go to HBM", 566,
            f"{TRN2_PROBES}: DMA store dispatch"),
    carried("dma_load_payload_ns", "ns", "from the start of a share until it lands, if it moves on "
            "chip: a fixed part", 293, f"{TRN2_PROBES}: DMA load payload 293 + 1.30 x ideal"),
    each("dma_load_spread", "times", "and so much of its occupancy in addition for a transfer that "
         "all DMA engines have a part in; linear in their number (assumed)",
         Fact(0, ASSUMED, "not published for v2"), Fact(0.3, MEAS, _SPREAD),
         Fact(0.3, ASSUMED, f"carried over from v3: {_SPREAD}")),
    carried("dma_store_payload_ns", "ns", "from the start of a share until it lands, if it goes to "
            "HBM: a fixed part", 162, f"{TRN2_PROBES}: DMA store payload 162 + 0.96 x ideal"),
    carried("dma_store_part", "times", "and so much of its occupancy", 0.96,
            f"{TRN2_PROBES}: DMA store payload 162 + 0.96 x ideal"),
    carried("dma_load_notify_ns", "ns", "from the landing of a share until a waiter may start, if "
            "it moves on chip", 314, f"{TRN2_PROBES}: DMA load notify"),
    carried("dma_store_notify_ns", "ns", "the same, if it goes to HBM", 355,
            f"{TRN2_PROBES}: DMA store notify"),
    everywhere("dma_packet_bytes", "bytes", "what a DMA engine moves for one of its queues before "
               "another has its turn", 4096, DOC, "compute-communication overlap guide: queues "
               "take turns at packet boundaries, packets of 4 KiB by default", RATE),
    everywhere("dma_descriptor_ns", "ns", "least time of one descriptor in a share", 7, MEAS,
               f"{PERF_GUIDE}, figure 30: a 4-byte write, 7 ns"),
    each("dma_bytes_per_ns", "bytes per ns", "rate of one DMA engine",
         *(_doc(rate, f"{DMA_INTRO}: sustained rate of one DMA engine") for rate in (17, 23, 33)),
         use=RATE),
    each("hbm_bytes_per_ns", "bytes per ns", "rate of a stack of HBM, which cores share",
         _doc(410, "Trainium/Inferentia2 architecture guide: two stacks, 820 GB/s"),
         Fact(716, MEAS, "Neuron Explorer device profile: 78.64 TFLOP/s at 109.84 FLOP per byte"),
         _doc(1175, "Trainium3 guide: four stacks, 4.7 TB/s"), use=RATE),
    each("dma_sum_rate", "fraction", "part of that rate at which a DMA engine adds two sources",
         _doc(0.5, _SUMS), _doc(0.5, _SUMS), Fact(0.5, ASSUMED, f"carried over from v3: {_SUMS}"),
         use=RATE),
    Figure("dma_transpose_hbm_rate", "fraction", "part of that rate of a transpose out of HBM",
           _since_v3(0.9, f"{_TRANSPOSE}: up to 90 % from HBM"), RATE),
    Figure("dma_transpose_sbuf_rate", "fraction",
           "part of that rate of a transpose from SBUF to SBUF",
           _since_v3(0.5, f"{_TRANSPOSE}: up to 50 % from SBUF"), RATE),
    _drain("tensor_drain_ns", "from the end of a matmul's interval to its results, with 128 "
           "columns stationary",
           Fact(219 - 128 / 2.8 + 32 * _COLUMN_NS, ASSUMED, f"{_MATMULS}: 219 ns for 96 columns "
                "and N=128, of which 46 streaming; continued to 128 columns"),
           165, f"{KERNEL_PROFILES}: MATMUL latency + 165 ns"),
    each("tensor_column", "cycles", "how much earlier for each column that is lacking",
         Fact(2.8 * _COLUMN_NS, MEAS, f"{_MATMULS}: 31 ns from 1 column to 96"),
         Fact(2.8 * _COLUMN_NS, ASSUMED, f"carried over from v2: {_MATMULS}"),
         Fact(2.8 * _COLUMN_NS, ASSUMED, f"carried over from v2: {_MATMULS}")),
    _drain("tensor_transpose_drain_ns", "the same with is_transpose=true, whatever the columns",
           Fact(195 - 128 / 2.8, MEAS, f"{PERF_GUIDE}, figure 26: 195 ns for a transpose of 128 by "
                "128, of which 46 streaming"),
           165, "Neuron Explorer device profiles: 272 ns for a float32 transpose, 107 streaming"),
    _drain("load_drain_ns", "from the end of a load's interval to its completion; a matmul "
           "need not wait for it",
           Fact(67 - 1 / 2.8, MEAS, f"{PERF_GUIDE}, figure 20: 67 ns for an LDWEIGHTS of one "
                "column, 41 ns of them in parallel with the MATMUL after it"),
           185 - 64 / 2.4, f"{KERNEL_PROFILES}: 180 to 190 ns for an LDWEIGHTS of 128 float32 "
           "columns, of which 27 taken to be loading"),
    _drain("vector_drain_ns", "from the end of an interval on Vector to its results",
           _doc(100 / 1.12, f"{PERF_GUIDE}: about 100 cycles of static overhead per instruction"),
           155, f"{TRN2_PROBES}: DVE completion 155 ns + streaming", 0.96 / 1.2),
    _drain("scalar_drain_ns", "the same on Scalar, functions that need a table", _CHAIN, 290,
           f"{TRN2_PROBES}: table functions 276 to 296 ns + streaming"),
    _drain("scalar_copy_drain_ns", "the same on Scalar, copies that are no activation functions",
           _CHAIN, 190, f"{TRN2_PROBES}: copies 190 ns + streaming"),
    _drain("scalar_psum_copy_drain_ns", "the same, copies out of PSUM", _CHAIN, 166,
           f"{TRN2_PROBES}: copies out of PSUM 159 to 174 ns + streaming"),
    _drain("scalar_identity_drain_ns", "the same on Scalar, op=copy of an activation", _CHAIN, 202,
           f"{TRN2_PROBES}: copy and identity as activation functions 202 ns + streaming"),
    each("table_load_ns", "ns", "loading a table of activation functions, which Scalar's datapath "
         "does",
         Fact(368, ASSUMED, "ACT_TABLE_LOAD in a published sample profile of unnamed platform"),
         Fact(1283, MEAS, _TABLE), Fact(1283, ASSUMED, f"carried over from v3: {_TABLE}")),
    _drain("silu_psum_drain_ns", "the same on Scalar, silu out of PSUM", _CHAIN, 260, _SILU),
    each("silu_psum_per_element", "cycles", "silu out of PSUM, per element of a partition",
         _doc(1, f"{NKI_COSTS}: max(64, N)"), Fact(1.6, MEAS, _SILU),
         Fact(1.6, ASSUMED, f"carried over from v3: {_SILU}")),
    _drain("gpsimd_drain_ns", "the same on GpSimd",
           Fact(50, ASSUMED, f"carried over from v3: {TRN2_PROBES}"), 50,
           f"{TRN2_PROBES}: affine_select completion against issue"),
    Figure("exponential_per_element", "cycles", "nki.isa.exponential, per element of a partition",
           {"v4": _doc(0.25, "Trainium3 guide: exponential at 4 times Scalar's throughput")}),
    each("reciprocal_per_element", "cycles", "a reciprocal on Vector, per element of a partition",
         _doc(8, f"{NKI_COSTS}: reciprocal 8N"), Fact(6, MEAS, _RECIPROCAL),
         Fact(6, ASSUMED, _RECIPROCAL)),
    each("memset_per_element", "cycles", "filling on Vector, per element of a partition",
         _doc(1, f"{NKI_COSTS}: memset N"), Fact(0.8, MEAS, _MEMSET), Fact(0.8, ASSUMED, _MEMSET)),
    _drain("memset_drain_ns", "from the end of filling's interval on Vector to its results",
           _doc(100 / 1.12, f"{PERF_GUIDE}: about 100 cycles of static overhead per instruction"),
           58, f"{TRN2_PROBES}: DVE memset 58 ns + 0.83 ns per element", 0.96 / 1.2),
    each("copy_bf16_to_f32", "cycles", "copying on Vector in SBUF, per bfloat16 into float32",
         _doc(1, f"{NKI_COSTS}: max(64, N)"), Fact(0.77, MEAS, _WIDENING),
         Fact(0.77, ASSUMED, _WIDENING)),
    each("copy_int32", "cycles", "copying on Vector in SBUF, per int32 into int32",
         _doc(1, f"{NKI_COSTS}: max(64, N)"), Fact(0.64, MEAS, _WORDS),
         Fact(0.64, ASSUMED, _WORDS)),
    each("copy_f32_to_uint8", "cycles", "copying on Vector in SBUF, per float32 into uint8",
         _doc(1, f"{NKI_COSTS}: max(64, N)"), Fact(0.547, MEAS, _BYTES),
         Fact(0.547, ASSUMED, _BYTES)),
    each("predicated_number", "cycles", "choosing a number by a predicate, per element of a "
         "partition",
         _doc(1, f"{NKI_COSTS}: N"), Fact(1.066, MEAS, _NUMBER), Fact(1.066, ASSUMED, _NUMBER)),
    each("dynamic_copy_min", "cycles", "least interval of a copy that starts at a register",
         _doc(600, _DYNAMIC), _doc(600, _DYNAMIC),
         Fact(600, ASSUMED, f"carried over from v2 and v3: {_DYNAMIC}")),
    each("scalar_tensor_tensor", "cycles", "a scalar with two tiles, per element of a partition",
         _doc(2, f"{NKI_COSTS}: 2N"), Fact(1, ASSUMED, _TWO_OPS), Fact(1, ASSUMED, _TWO_OPS)),
    carried("vector_operand_ns", "ns", "what an operand of one value per partition adds to an "
            "interval of Vector, if a tile holds it", 60,
            f"{TRN2_PROBES}: 60 ns for a tile as the first state of a scan"),
    each("scalar_operand_ns", "ns", "the same on Scalar",
         Fact(0, MEAS, f"{PERF_GUIDE}, figure 16: ACTIVATEs that read a tile as bias, 264 cycles "
              "apart"),
         Fact(91, MEAS, _APART), Fact(91, ASSUMED, f"carried over from v3: {_APART}")),
    carried("scan_seed_ns", "ns", "how much later a scan's results are if a tile holds its "
            "initial value", 60,
            f"{TRN2_PROBES}: scan completion with a tensor as initial value"),
    _drain("shuffle_drain_ns", "from the end of a shuffle's interval on Vector to its results",
           _doc(100 / 1.12, f"{PERF_GUIDE}: about 100 cycles of static overhead per instruction"),
           143, f"{TRN2_PROBES}: DVE stream shuffle 143 ns + 1.045 ns per element", 0.96 / 1.2),
    carried("mask_load_ns", "ns", "loading a shuffle mask", 13,
            f"{TRN2_PROBES}: shuffle-mask load"),
    each("transpose_min", "cycles", "least interval of a transpose on Vector",
         _doc(64, f"{NKI_COSTS}: nc_transpose max(64, N)"),
         Fact(90, MEAS, f"{_BLOCK} issue every 93 ns"),
         Fact(90, ASSUMED, f"v3's cycles: {_BLOCK} issue every 93 ns")),
    Figure("transpose_change", "cycles", "what is added for a transpose on Vector between other "
           "quadrants than the last",
           {"v3": Fact(135, MEAS, _CHANGE), "v4": Fact(135, ASSUMED, f"v3's cycles: {_CHANGE}")}),
    _drain("transpose_drain_ns", "from the end of a transpose's interval on Vector to its results",
           _doc(100 / 1.12, f"{PERF_GUIDE}: about 100 cycles of static overhead per instruction"),
           140, f"{_BLOCK} complete in 233 ns, issue every 93", 0.96 / 1.2),
    each("random_per_cycle", "words per cycle", "random numbers that Vector makes in each lane",
         _ONE, _ONE,
         _doc(4, "Trainium3 architecture guide, 'XORWOW-based PRNG': 4 values per lane and cycle"),
         use=RATE),
    everywhere("gather_fixed", "cycles", "nki.isa.local_gather: fixed part of the cycles of an "
               "index", 28, DOC, f"{NKI_COSTS}: local_gather"),
    everywhere("gather_per_element", "cycles", "nki.isa.local_gather: part for each element of an "
               "index", 4, DOC, f"{NKI_COSTS}: local_gather", RATE),
    everywhere("gather_group", "elements", "nki.isa.nc_n_gather: elements of data in a "
               "group of instructions", 512, DOC, "nki.isa.nc_n_gather", RATE),
    everywhere("topk_per_element", "cycles", "nki.isa.topk, per element of the snake", 4, DOC,
               "nki.isa.topk: 4n + K"),
    each("moving_max", "elements", "columns of a moving tile",
         *(_doc(most, MATMUL_LIMITS) for most in (512, 512, 4096)), use=LIMIT),
    each("moving_max_bf16", "elements", "columns of a moving tile, into bfloat16",
         *(_doc(most, MATMUL_LIMITS) for most in (512, 512, 8192)), use=LIMIT),
    each("tile_min", "rows, columns", "smallest tile of the array",
         *(_doc(least, "nki.isa.nc_matmul, 'Tiling mode'") for least in (64, 32, 32)), use=LIMIT),
    everywhere("tile_max", "rows, columns", "largest tile of the array: all of it", ARRAY_SIDE,
               DOC, _ARRAY, LIMIT),
    everywhere("block_max", "rows, columns", "largest block that Vector transposes", QUADRANT,
               DOC, "nki.isa.nc_transpose", LIMIT),
    everywhere("stats_max", "elements", "data of nki.isa.bn_stats, in each partition", STATS_MOST,
               DOC, "nki.isa.bn_stats", LIMIT),
    everywhere("array_flops", "flops per cycle", "peak: products and sums of the array in 16 bits",
               2 * ARRAY_SIDE * ARRAY_SIDE, DOC, _ARRAY, RATE),
    everywhere("flops_float32", "times", "peak: how much longer a float32 product takes", 4, DOC,
               f"{SUMMARY}: adjusted flops", RATE),
    each("flops_float8", "times", "peak: the same of 8-bit floats",
         *(_doc(times, f"{SUMMARY}: adjusted flops") for times in (1, 0.5, 0.5)), use=RATE),
    Figure("flops_mx", "times", "peak: the same of MX values",
           {"v4": _doc(0.25, f"{SUMMARY}: adjusted flops")}, RATE),
    each("memory_bytes_per_ns", "bytes per ns", "peak: HBM, one stack",
         Fact(410, ASSUMED, "Trainium/Inferentia2 architecture guide: 820 GB/s, in two stacks"),
         Fact(716, MEAS, f"{SUMMARY} of Trainium2: 109.84 flops a byte at 78.64 Tflops"),
         Fact(1175, ASSUMED, "Trainium3 architecture guide: 4.7 TB/s, in four stacks"), use=RATE),
    everywhere("descriptor_bytes", "bytes", "advice: a shorter descriptor wastes its DMA engine",
               512, ASSUMED, "rule of thumb, no source names one: 3 times what 7 ns move", LIMIT),
    each("dma_peak_bytes_per_ns", "bytes per ns", "peak: one DMA engine",
         *(_doc(rate, f"{DMA_INTRO}: theoretical rate of one DMA engine")
           for rate in (27.2, 27.2, 38.4)), use=RATE),
    *COLLECTIVES,
)
# fmt: on
"""Every number of every generation. A row that is added here is in the tables of the manual."""

_V3, _V4 = "Trainium2 architecture guide", "Trainium3 architecture guide"

# fmt: off
SWITCHES = (
    Switch("fast_vector", "Vector has its 2x and 4x modes", "v3",
           f"{_V3}, 'Vector Engine performance mode'"),
    Switch("early_results", "results of less work than the least interval come sooner", "v3",
           f"{TRN2_PROBES}: completion linear in N; profiles on Trainium2: 285 to 320 ns for N = 1 "
           "on Scalar"),
    Switch("fast_vector_fp8", "these take 8-bit floats too", "v4", f"{_V4}, Vector Engine"),
    Switch("fast_scalar", "Scalar copies and scales 16-bit tiles at twice the rate", "v4",
           f"{_V4}, Scalar Engine"),
    Switch("scalar_literal_bias", "the bias of an activation may be a number", "v3",
           "nki.isa.activation"),
    Switch("transpose_exact", "transpose mode of Tensor moves bits", "v3", f"{_V3}, 'Transpose'"),
    Switch("double_row", "perf_mode=double_row: K = 256 in fp8", "v3", f"{_V3}, 'Double FP8'"),
    Switch("psum_bf16", "PSUM can hold bfloat16 results", "v4", f"{_V4}, Tensor Engine"),
    Switch("psum_adds_to_any", "a matmul may add to what another kind of instruction wrote", "v4",
           "nki.isa.nc_matmul, 'Accumulation mode': undefined on v2 and v3"),
    Switch("background_transpose", "a transpose runs during a matmul or another transpose", "v4",
           f"{_V4}, 'Background Transpose'"),
    Switch("wide_psum", "a matmul's output may cross PSUM banks", "v4", MATMUL_LIMITS),
    Switch("dma_transpose", "DMA engines transpose in hardware, not element by element", "v3",
           f"{_V3}, 'DMA Transpose'"),
    Switch("sbuf_add", "SBUF adds what a DMA writes to what it holds", "v4",
           f"{_V4}, 'SBUF Read-Add-Write'"),
    Switch("dma_rows", "a tile names the rows of HBM that a DMA gathers or scatters", "v3",
           "NKI Descriptor Generation Engine reference: swdge, indirect"),
    Switch("tensor_indirection", "an index tile picks the columns of an operand", "v4",
           f"nki.language.NkiTensor.indirect; {_V4}, 'SBUF/PSUM indirect access'"),
    Switch("hardware_dge", "Sync and Scalar have dge_mode=hwdge", "v3",
           f"{_V3}, 'Descriptor Generation Engine'"),
    Switch("vector_xorwow", "Vector draws random numbers from XORWOW, not from an LFSR", "v4",
           f"{_V4}, 'XORWOW-based PRNG'"),
)
# fmt: on
"""What a generation has or lacks, one row each."""


def numbers(version: str) -> Mapping[str, Fact]:
    """The figures of one generation."""
    return {f.name: f.facts[version] for f in FIGURES if version in f.facts}


def switches(version: str) -> Mapping[str, bool]:
    """What one generation has."""
    return {s.name: version >= s.since for s in SWITCHES}
