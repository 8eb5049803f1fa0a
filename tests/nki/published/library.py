"""The kernels of nki-library, each as one of the library's own tests calls it.

A test is called with parameters of ours: it makes the inputs, names the reference and the tolerance,
and asks for an execution, which is recorded instead.
"""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import ml_dtypes
import numpy as np

from nasm.nki.library_tests import judging, stand_ins
from tests.nki.published.cases import Asked, error, on_path

TESTS = "test.integration.nkilib"

Parameters = Callable[[Any], Mapping[str, Any]]


@dataclass(frozen=True)
class Tested:
    """One call of a test of the library.

    ``test`` is its class and method, ``parameters`` makes what it is called with from its module,
    ``lacks`` names what the module uses and does not import, with the module that has it. ``lnc``
    is on how many cores, where the test does not say so.
    """

    stage: int
    name: str
    module: str
    test: str
    parameters: Parameters
    target: str = "trn2"
    lnc: int = 0
    published: float | None = None
    long: bool = False
    values: bool = True
    root: str = "library"
    lacks: tuple[tuple[str, str], ...] = ()

    def ask(self, roots: Mapping[str, Path]) -> Asked:
        """The call that the test asks for."""
        stand_ins.install()
        with on_path(roots[self.root], roots[self.root] / "src"):
            module = load(f"{TESTS}.{self.module}", self.lacks)
            platforms = sys.modules["test.utils.common_dataclasses"].Platforms  # type: ignore[attr-defined]
            given = dict(self.parameters(module))
            recorder = Recorder()
            beside = {
                "test_manager": recorder,
                "collector": Unheard(),
                "platform_target": platforms(self.target),
                "is_negative_test_case": False,
                "request": SimpleNamespace(node=SimpleNamespace(callspec=SimpleNamespace(id=""))),
            }
            owner, _, method = self.test.partition(".")
            test = getattr(getattr(module, owner)(), method)
            wanted = inspect.signature(test).parameters
            given |= {name: value for name, value in beside.items() if name in wanted}
            test(**given)
            (asked,) = recorder.asked
            return self._asked(asked)

    def _asked(self, asked: Any) -> Asked:
        given = judging.plain(asked.kernel_input)
        bound = inspect.signature(asked.kernel_func).bind(**given)
        bound.apply_defaults()
        said = asked.compiler_input
        return Asked(
            asked.kernel_func,
            tuple(map(copied, bound.args)),
            {},
            str(said.platform_target),
            self.lnc or said.logical_nc_config,
            judge(asked.validation_args),
        )


class Recorder:
    """Keeps what a test asks to have executed."""

    def __init__(self) -> None:
        self.asked: list[Any] = []

    def execute(self, arguments: Any) -> None:
        """Keep it."""
        self.asked.append(arguments)


class Unheard:
    """Somebody who is told of a test, and does nothing."""

    def __getattr__(self, name: str) -> Any:
        return lambda *_, **__: None


def copied(value: Any) -> Any:
    """An array that the reference does not share with the kernel."""
    return value.copy() if isinstance(value, np.ndarray) else value


def judge(said: Any) -> Callable[[Any], float] | None:
    """How far off an output is, as a test has it; none if it does not say."""
    golden = said.golden_output
    if isinstance(golden, dict):
        validators = [entry.validator(None) for entry in golden.values()]
        return lambda found: max(
            0.0 if validator.validate(part) else float("inf")
            for part, validator in zip(judging.outputs(found), validators, strict=True)
        )
    wanted = golden.golden
    if wanted is None:
        return None
    names, allowed = list(golden.output_ndarray), (said.relative_accuracy, said.absolute_accuracy)

    def judged(found: Any) -> float:
        named = dict(zip(names, judging.outputs(found), strict=True))
        return error([named[name] for name in wanted], wanted, *allowed)

    return judged


def load(name: str, lacks: tuple[tuple[str, str], ...]) -> ModuleType:
    """A module of tests, with the names that it uses and does not import."""
    if name in sys.modules or not lacks:
        return importlib.import_module(name)
    spec = importlib.util.find_spec(name)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    for word, home in lacks:
        setattr(module, word, getattr(importlib.import_module(home), word))
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def of(
    stage: int, kernel: str, module: str, test: str, says: str, parameters: Parameters, **more: Any
) -> Tested:
    """A case, named after its kernel and what tells it from others."""
    return Tested(stage, f"{kernel} [{says}]", module, test, parameters, **more)


bf16 = ml_dtypes.bfloat16


def cumsum(*shape: int, dtype: Any = np.float32) -> Tested:
    batch, length, hidden = shape if len(shape) == 3 else (shape[0], 1, shape[1])
    return of(
        2, "cumsum", "core.cumsum.test_cumsum", "TestCumsumKernel.test_cumsum_fast",
        f"{'x'.join(map(str, shape))} {np.dtype(dtype).name}",
        lambda _: dict(batch=batch, hidden=hidden, ndim=len(shape), seq_len=length, dtype=dtype),
    )  # fmt: skip


def rope(d_head: int, b: int, heads: int, s: int, contiguous: bool, sbuf: bool, lnc: int) -> Tested:
    return of(
        2, "RoPE", "core.embeddings.test_rope", "TestRopeKernel.test_rope_fast",
        f"{d_head}x{b}x{heads}x{s}{' contiguous' if contiguous else ''}{' relayout' if sbuf else ''}",
        lambda _: dict(d_head=d_head, B=b, n_heads=heads, S=s, contiguous_layout=contiguous,
                       relayout_in_sbuf=sbuf), lnc=lnc,
    )  # fmt: skip


def rmsnorm_tkg(
    lnc: int, b: int, s: int, h: int, actual: Any = None, tp: bool = False, sh: bool = False
) -> Tested:
    return of(
        2, "rmsnorm_tkg", "core.subkernels.test_rmsnorm_tkg",
        "TestRmsNormTKGKernel.test_rmsnorm_tkg_unit", f"{b}x{s}x{h}",
        lambda _: dict(lnc_degree=lnc, batch=b, seqlen=s, hidden=h, hidden_actual=actual,
                       hidden_dim_tp=tp, shard_on_h=sh, dtype=np.float16),
    )  # fmt: skip


def rmsnorm_quant(lnc: int, s: int, h: int, kind: str, bound: float = 0.0) -> Tested:
    return of(
        2, "rmsnorm_quant_kernel", "core.rmsnorm.test_rmsnorm_quant",
        "TestRmsNormQuantKernel.test_rmsnorm_quant_lnc_unit", f"1x{s}x{h} {kind}",
        lambda m: dict(seqlen=s, quant_only=False, quant_type=m.QuantizationType[kind],
                       tpbSgCyclesSum=None, tensor_gen=m.gaussian_tensor_generator(),
                       lower_bound=bound, lnc_degree=lnc, batch=1, hidden=h),
    )  # fmt: skip


def find_nonzero(t: int, e: int, k: int, chunk: int, dtype: str, lnc: int = 2) -> Tested:
    return of(
        2, "find_nonzero_indices", "core.subkernels.test_find_nonzero_indices",
        "TestFindNonzeroIndicesKernel.test_find_nonzero_indices_fast", f"{t}x{e} {dtype}",
        lambda _: dict(T=t, E=e, top_k=k, chunk_size=chunk, in_dtype=dtype), lnc=lnc,
    )  # fmt: skip


def find_some(t: int, e: int, k: int, first: int, count: int, dtype: str) -> Tested:
    return of(
        2, "find_nonzero_indices", "core.subkernels.test_find_nonzero_indices",
        "TestFindNonzeroIndicesKernel.test_find_nonzero_indices_with_col_start_fast",
        f"{t}x{e} {dtype}, {count} columns",
        lambda _: dict(T=t, E=e, top_k=k, E_offset=first, E_local=count, chunk_size=t, in_dtype=dtype),
    )  # fmt: skip


def router_topk(t: int, h: int, e: int, k: int, act: str, lnc: int = 2, **more: Any) -> Tested:
    flags = {
        "has_bias": True, "router_pre_norm": False, "norm_topk_prob": False,
        "use_column_tiling": False, "use_indirect_dma_scatter": False,
        "use_PE_broadcast_w_bias": False, "shard_on_tokens": False, "output_in_sbuf": False,
        "x_input_in_sb": False, **more,
    }  # fmt: skip
    says = "".join(f" {name}" for name in more)
    return of(
        2, "router_topk", "core.router_topk.test_router_topk",
        "TestRouterTopkKernel.test_router_topk", f"{t}x{h}x{e}, {k} {act}{says}",
        lambda m: dict(T=t, H=h, E=e, k=k, act_fn=m.RouterActFnType[act],
                       x_hbm_layout=m.XHBMLayout_T_H__1 if not flags["x_input_in_sb"] else m.XHBMLayout_H_T__0,
                       x_sb_layout=m.XSBLayout_tp102__0, **flags), lnc=lnc,
    )  # fmt: skip


def gen_mask(b: int, q: int, ctx: int, active: int, strided: bool, lnc: int) -> Tested:
    return of(
        2, "gen_mask_tkg", "core.attention.test_gen_mask_tkg", "TestGenMaskTkgHbm.test_flat_kv",
        f"{b}x{q}x{ctx}x{active}{' strided' if strided else ''}",
        lambda _: dict(batch=b, q_head=q, s_ctx=ctx, s_active=active, strided_mm1=strided, lnc=lnc),
    )  # fmt: skip


def attention_cte(
    b: int, s: int, d: int, lnc: int, causal: bool = True, dtype: Any = bf16, **more: Any
) -> Tested:
    return of(
        2, "attention_cte", "core.attention.test_attention_cte",
        "TestRangedAttentionCTEKernels.run_attention_cte_test",
        f"{b}x{s}x{d}{' causal' if causal else ''}",
        lambda m: dict(
            compiler_args=m.CompilerArgs(logical_nc_config=lnc), bs=b, bs_kv=b,
            bool_dims={m.CAUSAL_MASK_DIM_NAME: causal, m.TP_Q_DIM_NAME: True,
                       m.TP_OUT_DIM_NAME: False, m.TP_K_DIM_NAME: False, m.SINK_DIM_NAME: False},
            cache_softmax=False, cp_degree=None, d=d, dtype=m.nl.bfloat16, seqlen_kv=s,
            seqlen_kv_prior=None, seqlen_q=s, sliding_window=0, softmax_scale=1.0, cp_rank_id=None,
            use_cp=False), **more,
    )  # fmt: skip


def attention_tkg(
    lnc: int,
    b: int,
    q: int,
    active: int,
    prior: int,
    full: int,
    d: int,
    block: int = 0,
    fp8: bool = False,
    **flags: Any,
) -> Tested:
    return of(
        2, "attention_tkg", "core.attention.test_attention_tkg",
        "TestAttentionTkgKernel.test_attn_tkg_fast",
        f"{b}x{q}x{active} over {prior} of {full}, {d}{', blocks' if block else ''}{', fp8' if fp8 else ''}",
        lambda m: dict(attn_cfg=m.AttnTKGConfig(b, q, active, prior, full, d, block, **flags),
                       test_cfg=m.AttnTKGTestParams(fp8_kv=fp8), lnc=lnc),
    )  # fmt: skip


def output_cte(
    lnc: int, b: int, s: int, h: int, n: int, d: int, bias: bool, kind: str = "bf16"
) -> Tested:
    return of(
        2, "output_projection_cte", "core.output_projection.test_output_proj_cte",
        f"TestOutputProjCteKernel.test_output_proj_cte_{kind}_unit", f"{b}x{s}x{h}, {n}x{d} {kind}",
        lambda _: dict(batch=b, seqlen=s, hidden=h, n_head=n, d_head=d, test_bias=bias), lnc=lnc,
    )  # fmt: skip


def output_tkg(lnc: int, b: int, s: int, h: int, n: int, d: int, kind: str = "NONE") -> Tested:
    return of(
        2, "output_projection_tkg", "core.output_projection.test_output_proj_tkg",
        "TestOutputProjTkgKernel.run_output_proj_tkg_test", f"{b}x{s}x{h}, {n}x{d} {kind}",
        lambda m: dict(compiler_args=sys.modules["test.utils.common_dataclasses"].CompilerArgs(logical_nc_config=lnc),
                       B=b, H=h, S_tkg=s, d_head=d, dtype=m.nl.bfloat16, lnc_degree=lnc, n_heads=n,
                       quantization_type=m.QuantizationType[kind], test_bias=True, transpose_out=False),
    )  # fmt: skip


def qkv_cte(lnc: int, b: int, s: int, h: int, wide: int, norm: str, add: bool) -> Tested:
    return of(
        2, "qkv (CTE)", "core.qkv.test_qkv_cte", "TestQkvCteKernel.test_qkv_cte_accuracy_unit",
        f"{b}x{s}x{h}, {wide} {norm}{' add' if add else ''}",
        lambda m: dict(vnc_degree=lnc, batch=b, seqlen=s, hidden_dim=h, hidden_actual=None,
                       fused_qkv_dim=wide, dtype=m.nl.bfloat16, norm_type=m.NormType[norm],
                       fused_add=add, norm_bias=False, eps=1e-6),
    )  # fmt: skip


def conv1d(
    lnc: int,
    b: int,
    cin: int,
    cout: int,
    length: int,
    k: int,
    stride: int,
    pad: int,
    dilation: int,
    act: str = "",
) -> Tested:
    return of(
        2, "conv1d", "experimental.conv.test_conv1d", "TestConv1DKernel.test_conv1d_basic",
        f"{b}x{cin}x{length}, {cout}x{k} / {stride}, {dilation}{' ' + act if act else ''}",
        lambda m: dict(batch=b, in_channels=cin, out_channels=cout, sequence_length=length,
                       filter_size=k, stride=stride, pad_left=pad, pad_right=pad, dilation=dilation,
                       use_bias=True, activation_fn=m.ActFnType[act] if act else None,
                       lnc_shard=lnc > 1, dtype=m.nl.bfloat16), lnc=lnc,
    )  # fmt: skip


def copy_across(first: int, to: int, count: int, wide: int, total: int) -> Tested:
    return of(
        2, "cross_partition_copy", "core.utils.test_cross_partition_copy",
        "TestCrossPartitionCopy.test_cross_partition_copy", f"{first} to {to}, {count}x{wide} of {total}",
        lambda _: dict(src_start=first, dst_start=to, num_partitions=count, free_dim_size=wide,
                       total_partitions=total),
    )  # fmt: skip


def cross_entropy(lnc: int, b: int, t: int, v: int, dtype: str, pb: int, chunk: int) -> Tested:
    def parameters(m: Any) -> Mapping[str, Any]:
        config = {
            m.B_DIM: b,
            m.T_DIM: t,
            m.V_DIM: v,
            m.DTYPE_DIM: dtype,
            m.PB_DIM: pb,
            m.CS_DIM: chunk,
        }
        return dict(compiler_args=m.CompilerArgs(logical_nc_config=lnc),
                    test_options=SimpleNamespace(tensors={m.CE_CONFIG: config}))  # fmt: skip

    return of(
        2, "cross_entropy_forward", "experimental.loss.test_cross_entropy_forward",
        "TestCrossEntropyForwardSweep.prepare_test_parametrized", f"{b}x{t}x{v} {dtype}", parameters,
    )  # fmt: skip


def dynamic_add(m_dim: int, h_dim: int, lnc: int) -> Tested:
    return of(
        2, "dynamic_elementwise_add", "experimental.dynamic_shapes.test_dynamic_elementwise_add",
        "TestDynamicElementwiseAdd.test_dynamic_elementwise_add_fast", f"{m_dim}x{h_dim}",
        lambda _: dict(m_dim=m_dim, h_dim=h_dim), lnc=lnc,
    )  # fmt: skip


def bwmm(
    lnc: int,
    h: int,
    t: int,
    e: int,
    block: int,
    k: int,
    wide: int,
    skip: int = 0,
    bias: bool = True,
    act: str = "SiLU",
    scale: str = "POST_SCALE",
) -> Tested:
    return of(
        3, "bwmm_shard_on_I", "core.moe.moe_cte.test_moe_cte",
        "TestMoeBlockwiseMatMulLnc2.test_moe_blockwise_mm_kernel_lnc2",
        f"{t}x{h}x{wide}, {e} experts, {k} of {block} {act} {scale}",
        lambda m: dict(bwmm_func=m.BWMMFunc.SHARD_ON_INTERMEDIATE, hidden=h, tokens=t, expert=e,
                       block_size=block, top_k=k, intermediate=wide, dtype=m.nl.bfloat16, skip=skip,
                       bias=bias, training=False, quantize=None, act_fn=m.ActFnType[act],
                       expert_affinities_scaling_mode=m.ExpertAffinityScaleMode[scale],
                       gate_cl_upper=None, gate_cl_lower=None, up_cl_upper=None, up_cl_lower=None,
                       expert_affinity_multiply_on_I=False), lnc=lnc,
    )  # fmt: skip


def bwmm_hidden(
    h: int, t: int, e: int, block: int, k: int, wide: int, skip: int = 0, scale: str = "POST_SCALE"
) -> Tested:
    def parameters(m: Any) -> Mapping[str, Any]:
        config = {
            m.TOKENS_DIM: t, m.HIDDEN_DIM: h, m.INTERMEDIATE_DIM: wide, m.EXPERT_DIM: e,
            m.BLOCK_SIZE_DIM: block, m.TOP_K_DIM: k, m.DTYPE_DIM: m.nl.bfloat16, m.SKIP_DIM: skip,
            m.SCALING_MODE_DIM: m.ExpertAffinityScaleMode[scale], m.CHECKPOINT_ACTIVATION_DIM: False,
        }  # fmt: skip
        return {"range_test_options": SimpleNamespace(tensors={m.BWMM_H_CONFIG: config})}

    return of(
        3, "blockwise_mm_baseline_shard_hidden", "experimental.moe.test_bwmm_shard_on_H",
        "TestMoeBlockwiseMatMulShardH.test_moe_blockwise_mm_shard_h_lnc2",
        f"{t}x{h}x{wide}, {e} experts, {k} of {block} {scale}", parameters,
    )  # fmt: skip


def moe_block(
    lnc: int,
    every: bool,
    b: int,
    s: int,
    h: int,
    wide: int,
    e: int,
    local: int,
    k: int,
    weights: str = "bfloat16",
    target: str = "trn2",
) -> Tested:
    return of(
        3, "moe_block_tkg", "core.moe_block.test_moe_block_tkg",
        "TestMoEBlockTkgKernel.test_moe_block_kernel_unit",
        f"{b}x{s}x{h}x{wide}, {local} of {e} experts, {k} {weights}{' all' if every else ''}",
        lambda m: dict(lnc=lnc, is_all_expert=every, batch=b, seqlen=s, hidden=h, hidden_actual=None,
                       intermediate=wide, num_global_experts=e, num_local_experts=local, top_k=k,
                       router_fn=m.RouterActFnType.SOFTMAX, hidden_act_fn=m.ActFnType.SiLU,
                       expert_affinities_scaling_mode=m.ExpertAffinityScaleMode.POST_SCALE,
                       moe_weight_dtype=getattr(m.nl, weights), input_dtype=m.nl.bfloat16,
                       has_shared_expert=False, has_bias=False, has_clamp=False,
                       router_act_first=True, norm_topk_prob=True, skip_router_logits=False,
                       router_mm_dtype=m.nl.bfloat16), target=target,
    )  # fmt: skip


def qkv_tkg(
    lnc: int,
    b: int,
    s: int,
    h: int,
    q: int,
    kv: int,
    d: int,
    norm: str,
    add: bool,
    layout: str,
    kind: str = "NONE",
) -> Tested:
    return of(
        3, "qkv_tkg", "core.qkv.test_qkv_tkg", "TestQkvTkgKernel.test_qkv_tkg_accuracy_unit",
        f"{b}x{s}x{h}, {q}+2*{kv} heads of {d} {norm} {kind}{' add' if add else ''} {layout}",
        lambda m: dict(lnc_degree=lnc, batch=b, seqlen=s, hidden_dim=h, hidden_actual=None,
                       fused_qkv_dim=(q + 2 * kv) * d, n_q_heads=q, n_kv_heads=kv, d_head=d,
                       norm_type=m.NormType[norm], quantization_type=m.QuantizationType[kind],
                       fused_add=add, norm_bias=False, qkv_bias=False, eps=1e-6,
                       output_layout=m.QKVOutputLayout[layout]),
        lacks=(("Platforms", "test.utils.common_dataclasses"),),
    )  # fmt: skip


CASES = (
    cumsum(1, 256),
    cumsum(128, 2048),
    cumsum(64, 4, 1024, dtype=bf16),
    rope(128, 1, 8, 128, True, False, 1),
    rope(64, 2, 4, 128, False, False, 2),
    rope(128, 1, 1, 128, False, True, 2),
    rmsnorm_tkg(1, 1, 4, 2048),
    rmsnorm_tkg(2, 2, 8, 3072, 2880),
    rmsnorm_tkg(2, 4, 1, 5120, None, False, True),
    rmsnorm_quant(1, 128, 1024, "ROW"),
    rmsnorm_quant(2, 160, 2048, "ROW", 0.5),
    rmsnorm_quant(2, 2, 16384, "STATIC"),
    find_nonzero(512, 128, 8, 512, "int32", 1),
    find_nonzero(1024, 128, 8, 512, "float32"),
    find_some(1024, 128, 8, 16, 4, "float32"),
    router_topk(4, 512, 128, 4, "SOFTMAX", 1),
    router_topk(32, 1024, 128, 4, "SOFTMAX", router_pre_norm=True, norm_topk_prob=True),
    router_topk(8, 1024, 128, 8, "SIGMOID", use_indirect_dma_scatter=True),
    router_topk(48, 512, 128, 4, "SOFTMAX", shard_on_tokens=True),
    gen_mask(4, 1, 256, 1, True, 1),
    gen_mask(4, 1, 1024, 5, False, 1),
    gen_mask(4, 1, 4096, 5, True, 2),
    attention_cte(1, 256, 128, 1),
    attention_cte(2, 1024, 64, 2, False),
    attention_cte(1, 2048, 128, 2),
    attention_cte(1, 4096, 128, 1, long=True),
    attention_tkg(1, 4, 1, 5, 1024, 2048, 128, tp_k_prior=True, use_pos_id=True, fuse_rope=True),
    attention_tkg(2, 4, 2, 7, 512, 2048, 64, qk_in_sb=True, k_out_in_sb=True, out_in_sb=True),
    attention_tkg(
        2,
        4,
        1,
        5,
        2048,
        2048,
        128,
        16,
        tp_k_prior=True,
        strided_mm1=False,
        qk_in_sb=True,
        k_out_in_sb=True,
        out_in_sb=True,
    ),
    attention_tkg(2, 4, 1, 5, 1024, 2048, 128, 0, True, strided_mm1=False, qk_in_sb=True),
    output_cte(1, 1, 256, 1024, 2, 128, False),
    output_cte(2, 1, 512 + 64, 1024, 3, 64, True),
    output_cte(2, 1, 256, 1024, 2, 128, True, "static_fp8"),
    output_tkg(1, 4, 2, 1024, 2, 128),
    output_tkg(2, 8, 1, 2048, 4, 64),
    output_tkg(2, 4, 2, 1024, 2, 128, "ROW"),
    qkv_cte(1, 1, 256, 512, 384, "RMS_NORM", False),
    qkv_cte(2, 1, 512, 1024, 512, "RMS_NORM", True),
    qkv_cte(2, 1, 512, 1024, 512, "NO_NORM", False),
    conv1d(1, 1, 64, 128, 256, 3, 1, 1, 1),
    conv1d(2, 2, 128, 256, 300, 5, 2, 2, 2, "GELU"),
    copy_across(0, 64, 32, 8, 128),
    copy_across(0, 5, 10, 8, 128),
    copy_across(10, 55, 30, 8, 96),
    cross_entropy(1, 1, 64, 2048, "float32", 64, 1024),
    cross_entropy(2, 2, 128, 4096, "bfloat16", 64, 4096),
    dynamic_add(256, 512, 1),
    dynamic_add(512, 1024, 2),
    bwmm(2, 512, 512, 2, 256, 1, 256),
    bwmm(2, 1024, 256, 4, 256, 2, 512, 1, True, "Swish"),
    bwmm_hidden(1024, 256, 2, 128, 1, 128),
    bwmm_hidden(1024, 256, 4, 128, 2, 256, 1, "PRE_SCALE"),
    moe_block(2, False, 1, 1, 512, 128, 16, 16, 2),
    moe_block(2, True, 16, 1, 1024, 256, 16, 2, 2),
    qkv_tkg(1, 1, 4, 1024, 2, 1, 128, "RMS_NORM", True, "BSD"),
    qkv_tkg(2, 1, 1, 2048, 2, 2, 128, "NO_NORM", False, "NBSd"),
    qkv_tkg(2, 1, 5, 2048, 8, 1, 128, "RMS_NORM", False, "BSD", "STATIC"),
)
"""Stages 2 and 3."""
