"""The kernels of nki-library: stages 2 and 3."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

import ml_dtypes
import numpy as np

from tests.nki.published.tested import COMMON, In, Kernel

BF16 = ml_dtypes.bfloat16


def compiled(_: Any, given: dict[str, Any], lnc: int) -> Mapping[str, Any]:
    """For a test that wants to know for how many cores."""
    arguments = importlib.import_module(COMMON).CompilerArgs(logical_nc_config=lnc)
    return {"compiler_args": arguments, **given}


def on_cores(word: str) -> Any:
    """For a test that has a parameter for how many cores."""
    return lambda _, given, lnc: {word: lnc, **given}


cumsum = Kernel(2, "cumsum", "core.cumsum.test_cumsum", "TestCumsumKernel.test_cumsum_fast",
                {"dtype": np.float32, "seq_len": 1})  # fmt: skip
rope = Kernel(2, "RoPE", "core.embeddings.test_rope", "TestRopeKernel.test_rope_fast",
              {"contiguous_layout": False, "relayout_in_sbuf": False})  # fmt: skip
rmsnorm_tkg = Kernel(
    2, "rmsnorm_tkg", "core.subkernels.test_rmsnorm_tkg",
    "TestRmsNormTKGKernel.test_rmsnorm_tkg_unit",
    {"hidden_actual": None, "hidden_dim_tp": False, "shard_on_h": False, "dtype": np.float16},
    on_cores("lnc_degree"),
)  # fmt: skip


def generated(module: Any, given: dict[str, Any], lnc: int) -> Mapping[str, Any]:
    """With normally distributed tensors."""
    return {"lnc_degree": lnc, "tensor_gen": module.gaussian_tensor_generator(), **given}


rmsnorm_quant = Kernel(
    2, "rmsnorm_quant_kernel", "core.rmsnorm.test_rmsnorm_quant",
    "TestRmsNormQuantKernel.test_rmsnorm_quant_lnc_unit",
    {"quant_only": False, "tpbSgCyclesSum": None, "lower_bound": 0.0, "batch": 1}, generated,
)  # fmt: skip
find_nonzero = Kernel(
    2, "find_nonzero_indices", "core.subkernels.test_find_nonzero_indices",
    "TestFindNonzeroIndicesKernel.test_find_nonzero_indices_fast", {"E": 128, "top_k": 8},
)  # fmt: skip
find_some = Kernel(
    2, "find_nonzero_indices", "core.subkernels.test_find_nonzero_indices",
    "TestFindNonzeroIndicesKernel.test_find_nonzero_indices_with_col_start_fast",
    {"E": 128, "top_k": 8},
)  # fmt: skip
router_topk = Kernel(
    2, "router_topk", "core.router_topk.test_router_topk", "TestRouterTopkKernel.test_router_topk",
    {
        "E": 128, "act_fn": In("RouterActFnType.SOFTMAX"), "has_bias": True,
        "router_pre_norm": False, "norm_topk_prob": False, "use_column_tiling": False,
        "use_indirect_dma_scatter": False, "use_PE_broadcast_w_bias": False,
        "shard_on_tokens": False, "output_in_sbuf": False, "x_input_in_sb": False,
        "x_hbm_layout": In("XHBMLayout_T_H__1"), "x_sb_layout": In("XSBLayout_tp102__0"),
    },
)  # fmt: skip
gen_mask = Kernel(2, "gen_mask_tkg", "core.attention.test_gen_mask_tkg",
                  "TestGenMaskTkgHbm.test_flat_kv", arrange=on_cores("lnc"))  # fmt: skip


def flagged(module: Any, given: dict[str, Any], lnc: int) -> Mapping[str, Any]:
    """Flags under the names that the test has for them."""
    flags = {
        module.CAUSAL_MASK_DIM_NAME: given.pop("causal"), module.TP_Q_DIM_NAME: True,
        module.TP_OUT_DIM_NAME: False, module.TP_K_DIM_NAME: False, module.SINK_DIM_NAME: False,
    }  # fmt: skip
    length, batch = given["seqlen_q"], given["bs"]
    return {
        "bool_dims": flags, "bs_kv": batch, "seqlen_kv": length, **compiled(module, given, lnc)
    }  # fmt: skip


attention_cte = Kernel(
    2, "attention_cte", "core.attention.test_attention_cte",
    "TestRangedAttentionCTEKernels.run_attention_cte_test",
    {
        "causal": True, "cache_softmax": False, "cp_degree": None, "dtype": In("nl.bfloat16"),
        "seqlen_kv_prior": None, "sliding_window": 0, "softmax_scale": 1.0, "cp_rank_id": None,
        "use_cp": False,
    },
    flagged,
)  # fmt: skip


def configured(module: Any, given: dict[str, Any], lnc: int) -> Mapping[str, Any]:
    """Records of the test's own."""
    config = module.AttnTKGConfig(*given.pop("shape"), **given.pop("flags"))
    return {"attn_cfg": config, "test_cfg": module.AttnTKGTestParams(**given), "lnc": lnc}


attention_tkg = Kernel(2, "attention_tkg", "core.attention.test_attention_tkg",
                       "TestAttentionTkgKernel.test_attn_tkg_fast", arrange=configured)  # fmt: skip
IN_SBUF = {"qk_in_sb": True, "k_out_in_sb": True, "out_in_sb": True}
FUSED = {"tp_k_prior": True, "use_pos_id": True, "fuse_rope": True}
BLOCKS = {"tp_k_prior": True, "strided_mm1": False}

output_cte = Kernel(
    2, "output_projection_cte", "core.output_projection.test_output_proj_cte",
    "TestOutputProjCteKernel.test_output_proj_cte_bf16_unit", {"batch": 1},
)  # fmt: skip
output_cte_fp8 = Kernel(
    2, "output_projection_cte", "core.output_projection.test_output_proj_cte",
    "TestOutputProjCteKernel.test_output_proj_cte_static_fp8_unit", {"batch": 1},
)  # fmt: skip


def counted(module: Any, given: dict[str, Any], lnc: int) -> Mapping[str, Any]:
    """For a test that wants to know twice."""
    return {"lnc_degree": lnc, **compiled(module, given, lnc)}


output_tkg = Kernel(
    2, "output_projection_tkg", "core.output_projection.test_output_proj_tkg",
    "TestOutputProjTkgKernel.run_output_proj_tkg_test",
    {
        "dtype": In("nl.bfloat16"), "quantization_type": In("QuantizationType.NONE"),
        "test_bias": True, "transpose_out": False,
    },
    counted,
)  # fmt: skip
qkv_cte = Kernel(
    2, "qkv (CTE)", "core.qkv.test_qkv_cte", "TestQkvCteKernel.test_qkv_cte_accuracy_unit",
    {
        "batch": 1, "hidden_actual": None, "dtype": In("nl.bfloat16"), "fused_add": False,
        "norm_type": In("NormType.RMS_NORM"), "norm_bias": False, "eps": 1e-6,
    },
    on_cores("vnc_degree"),
)  # fmt: skip
conv1d = Kernel(
    2, "conv1d", "experimental.conv.test_conv1d", "TestConv1DKernel.test_conv1d_basic",
    {"use_bias": True, "activation_fn": None, "dtype": In("nl.bfloat16")},
    lambda _, given, lnc: {"lnc_shard": lnc > 1, **given},
)  # fmt: skip
copy_across = Kernel(2, "cross_partition_copy", "core.utils.test_cross_partition_copy",
                     "TestCrossPartitionCopy.test_cross_partition_copy")  # fmt: skip


def listed(module: Any, given: dict[str, Any], lnc: int) -> Mapping[str, Any]:
    """Sizes under the names that the test has for them."""
    config = {getattr(module, f"{name}_DIM"): value for name, value in given.items()}
    options = SimpleNamespace(tensors={module.CE_CONFIG: config})
    return compiled(module, {"test_options": options}, lnc)


cross_entropy = Kernel(2, "cross_entropy_forward", "experimental.loss.test_cross_entropy_forward",
                       "TestCrossEntropyForwardSweep.prepare_test_parametrized",
                       arrange=listed)  # fmt: skip
dynamic_add = Kernel(
    2, "dynamic_elementwise_add", "experimental.dynamic_shapes.test_dynamic_elementwise_add",
    "TestDynamicElementwiseAdd.test_dynamic_elementwise_add_fast",
)  # fmt: skip
bwmm = Kernel(
    3, "bwmm_shard_on_I", "core.moe.moe_cte.test_moe_cte",
    "TestMoeBlockwiseMatMulLnc2.test_moe_blockwise_mm_kernel_lnc2",
    {
        "bwmm_func": In("BWMMFunc.SHARD_ON_INTERMEDIATE"), "block_size": 256, "top_k": 2,
        "dtype": In("nl.bfloat16"), "skip": 0, "bias": True, "training": False, "quantize": None,
        "act_fn": In("ActFnType.SiLU"),
        "expert_affinities_scaling_mode": In("ExpertAffinityScaleMode.POST_SCALE"),
        "gate_cl_upper": None, "gate_cl_lower": None, "up_cl_upper": None, "up_cl_lower": None,
        "expert_affinity_multiply_on_I": False,
    },
)  # fmt: skip


def named(module: Any, given: dict[str, Any], _: int) -> Mapping[str, Any]:
    """Sizes under the names that the test has for them."""
    config = {getattr(module, f"{name}_DIM"): value for name, value in given.items()}
    return {"range_test_options": SimpleNamespace(tensors={module.BWMM_H_CONFIG: config})}


bwmm_hidden = Kernel(
    3, "blockwise_mm_baseline_shard_hidden", "experimental.moe.test_bwmm_shard_on_H",
    "TestMoeBlockwiseMatMulShardH.test_moe_blockwise_mm_shard_h_lnc2",
    {
        "BLOCK_SIZE": 128, "DTYPE": In("nl.bfloat16"), "SKIP": 0,
        "SCALING_MODE": In("ExpertAffinityScaleMode.POST_SCALE"), "CHECKPOINT_ACTIVATION": False,
    },
    named,
)  # fmt: skip
moe_block = Kernel(
    3, "moe_block_tkg", "core.moe_block.test_moe_block_tkg",
    "TestMoEBlockTkgKernel.test_moe_block_kernel_unit",
    {
        "seqlen": 1, "hidden_actual": None, "num_global_experts": 16, "top_k": 2,
        "router_fn": In("RouterActFnType.SOFTMAX"), "hidden_act_fn": In("ActFnType.SiLU"),
        "expert_affinities_scaling_mode": In("ExpertAffinityScaleMode.POST_SCALE"),
        "moe_weight_dtype": In("nl.bfloat16"), "input_dtype": In("nl.bfloat16"),
        "has_shared_expert": False, "has_bias": False, "has_clamp": False,
        "router_act_first": True, "norm_topk_prob": True, "skip_router_logits": False,
        "router_mm_dtype": In("nl.bfloat16"),
    },
    lambda _, given, lnc: {"lnc": lnc, **given},
)  # fmt: skip


def in_heads(_: Any, given: dict[str, Any], lnc: int) -> Mapping[str, Any]:
    """With the width that heads make."""
    heads = given["n_q_heads"] + 2 * given["n_kv_heads"]
    return {"lnc_degree": lnc, "fused_qkv_dim": heads * given["d_head"], **given}


qkv_tkg = Kernel(
    3, "qkv_tkg", "core.qkv.test_qkv_tkg", "TestQkvTkgKernel.test_qkv_tkg_accuracy_unit",
    {
        "batch": 1, "hidden_actual": None, "d_head": 128, "norm_type": In("NormType.RMS_NORM"),
        "quantization_type": In("QuantizationType.NONE"), "fused_add": False, "norm_bias": False,
        "qkv_bias": False, "eps": 1e-6, "output_layout": In("QKVOutputLayout.BSD"),
    },
    in_heads,
    (("Platforms", COMMON),),
)  # fmt: skip

ROW, STATIC = In("QuantizationType.ROW"), In("QuantizationType.STATIC")

CASES = (
    cumsum("1x256 fp32", 1, batch=1, hidden=256, ndim=2),
    cumsum("128x2048 fp32", 1, batch=128, hidden=2048, ndim=2),
    cumsum("64x4x1024 bf16", 1, batch=64, hidden=1024, ndim=3, seq_len=4, dtype=BF16),
    rope("128x1x8x128, contiguous", 1, d_head=128, B=1, n_heads=8, S=128, contiguous_layout=True),
    rope("64x2x4x128", 2, d_head=64, B=2, n_heads=4, S=128),
    rope("128x1x1x128, relayout", 2, d_head=128, B=1, n_heads=1, S=128, relayout_in_sbuf=True),
    rmsnorm_tkg("1x4x2048", 1, batch=1, seqlen=4, hidden=2048),
    rmsnorm_tkg("2x8x3072, 2880", 2, batch=2, seqlen=8, hidden=3072, hidden_actual=2880),
    rmsnorm_tkg("4x1x5120, on H", 2, batch=4, seqlen=1, hidden=5120, shard_on_h=True),
    rmsnorm_quant("1x128x1024 rows", 1, seqlen=128, hidden=1024, quant_type=ROW),
    rmsnorm_quant("1x160x2048 rows", 2, seqlen=160, hidden=2048, quant_type=ROW, lower_bound=0.5),
    rmsnorm_quant("1x2x16384 static", 2, seqlen=2, hidden=16384, quant_type=STATIC),
    find_nonzero("512x128 int32", 1, T=512, chunk_size=512, in_dtype="int32"),
    find_nonzero("1024x128 fp32", 2, T=1024, chunk_size=512, in_dtype="float32"),
    find_some("1024x128 fp32, 4 columns", 2, T=1024, E_offset=16, E_local=4, chunk_size=1024,
              in_dtype="float32"),
    router_topk("8x1024x128, 8 sigmoid, scatter", 1, T=8, H=1024, k=8,
                act_fn=In("RouterActFnType.SIGMOID"), use_indirect_dma_scatter=True),
    router_topk("32x1024x128, 4 softmax, norm", 2, T=32, H=1024, k=4, router_pre_norm=True,
                norm_topk_prob=True),
    router_topk("48x512x128, 4 softmax, sharded", 2, T=48, H=512, k=4, shard_on_tokens=True),
    gen_mask("4x1x256x1, strided", 1, batch=4, q_head=1, s_ctx=256, s_active=1, strided_mm1=True),
    gen_mask("4x1x1024x5", 1, batch=4, q_head=1, s_ctx=1024, s_active=5, strided_mm1=False),
    gen_mask("4x1x4096x5, strided", 2, batch=4, q_head=1, s_ctx=4096, s_active=5,
             strided_mm1=True),
    attention_cte("1x256x128, causal", 1, bs=1, seqlen_q=256, d=128),
    attention_cte("2x1024x64", 2, bs=2, seqlen_q=1024, d=64, causal=False),
    attention_cte("1x2048x128, causal", 2, bs=1, seqlen_q=2048, d=128),
    attention_cte("1x4096x128, causal", 1, bs=1, seqlen_q=4096, d=128),
    attention_tkg("4x1x5 on 1024, 128, RoPE", 1, shape=(4, 1, 5, 1024, 2048, 128, 0), flags=FUSED),
    attention_tkg("4x2x7 on 512, 64", 2, shape=(4, 2, 7, 512, 2048, 64, 0), flags=IN_SBUF),
    attention_tkg("4x1x5 on 2048, 128, blocks", 2, shape=(4, 1, 5, 2048, 2048, 128, 16),
                  flags={**BLOCKS, **IN_SBUF}),
    attention_tkg("4x1x5 on 1024, 128, fp8", 2, shape=(4, 1, 5, 1024, 2048, 128, 0), fp8_kv=True,
                  flags={"strided_mm1": False, "qk_in_sb": True}),
    output_cte("1x256x1024, 2x128", 1, seqlen=256, hidden=1024, n_head=2, d_head=128,
               test_bias=False),
    output_cte("1x576x1024, 3x64", 2, seqlen=576, hidden=1024, n_head=3, d_head=64, test_bias=True),
    output_cte_fp8("1x256x1024, 2x128 fp8", 2, seqlen=256, hidden=1024, n_head=2, d_head=128,
                   test_bias=True),
    output_tkg("4x2x1024, 2x128", 1, B=4, S_tkg=2, H=1024, n_heads=2, d_head=128),
    output_tkg("8x1x2048, 4x64", 2, B=8, S_tkg=1, H=2048, n_heads=4, d_head=64),
    output_tkg("4x2x1024, 2x128 rows", 2, B=4, S_tkg=2, H=1024, n_heads=2, d_head=128,
               quantization_type=ROW),
    qkv_cte("1x256x512, 384", 1, seqlen=256, hidden_dim=512, fused_qkv_dim=384),
    qkv_cte("1x512x1024, 512, add", 2, seqlen=512, hidden_dim=1024, fused_qkv_dim=512,
            fused_add=True),
    qkv_cte("1x512x1024, 512, no norm", 2, seqlen=512, hidden_dim=1024, fused_qkv_dim=512,
            norm_type=In("NormType.NO_NORM")),
    conv1d("1x64x256, 128x3", 1, batch=1, in_channels=64, out_channels=128, sequence_length=256,
           filter_size=3, stride=1, pad_left=1, pad_right=1, dilation=1),
    conv1d("2x128x300, 256x5 / 2, GELU", 2, batch=2, in_channels=128, out_channels=256,
           sequence_length=300, filter_size=5, stride=2, pad_left=2, pad_right=2, dilation=2,
           activation_fn=In("ActFnType.GELU")),
    copy_across("0 to 64, 32", src_start=0, dst_start=64, num_partitions=32, free_dim_size=8,
                total_partitions=128),
    copy_across("0 to 5, 10", src_start=0, dst_start=5, num_partitions=10, free_dim_size=8,
                total_partitions=128),
    copy_across("10 to 55, 30", src_start=10, dst_start=55, num_partitions=30, free_dim_size=8,
                total_partitions=96),
    cross_entropy("1x64x2048 fp32", 1, B=1, T=64, V=2048, DTYPE="float32", PB=64, CS=1024),
    cross_entropy("2x128x4096 bf16", 2, B=2, T=128, V=4096, DTYPE="bfloat16", PB=64, CS=4096),
    dynamic_add("256x512", 1, m_dim=256, h_dim=512),
    dynamic_add("1024x1024", 1, m_dim=1024, h_dim=1024),
    bwmm("512x512x256, 2 of 2 experts", 2, hidden=512, tokens=512, expert=2, intermediate=256),
    bwmm("256x1024x512, 2 of 4 experts, skip", 2, hidden=1024, tokens=256, expert=4,
         intermediate=512, skip=1, act_fn=In("ActFnType.Swish")),
    bwmm_hidden("256x1024x128, 1 of 2 experts", 2, HIDDEN=1024, TOKENS=256, EXPERT=2, TOP_K=1,
                INTERMEDIATE=128),
    bwmm_hidden("256x1024x256, 2 of 4 experts, skip", 2, HIDDEN=1024, TOKENS=256, EXPERT=4, TOP_K=2,
                INTERMEDIATE=256, SKIP=1, SCALING_MODE=In("ExpertAffinityScaleMode.PRE_SCALE")),
    moe_block("1x1x512x128, 2 of 16 experts", 2, is_all_expert=False, batch=1, hidden=512,
              intermediate=128, num_local_experts=16),
    moe_block("16x1x1024x256, 2 local experts", 2, is_all_expert=True, batch=16, hidden=1024,
              intermediate=256, num_local_experts=2),
    qkv_tkg("1x4x1024, 2+2x1 heads, add", 1, seqlen=4, hidden_dim=1024, n_q_heads=2, n_kv_heads=1,
            fused_add=True),
    qkv_tkg("1x1x2048, 2+2x2 heads", 2, seqlen=1, hidden_dim=2048, n_q_heads=2, n_kv_heads=2,
            norm_type=In("NormType.NO_NORM"), output_layout=In("QKVOutputLayout.NBSd")),
    qkv_tkg("1x5x2048, 8+2x1 heads, static", 2, seqlen=5, hidden_dim=2048, n_q_heads=8,
            n_kv_heads=1, quantization_type=STATIC),
)  # fmt: skip
"""Stages 2 and 3."""
