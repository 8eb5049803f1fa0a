"""A layer of an encoder in one launch, made of the other kernels here.

A kernel that calls others has their instructions: what is between them goes through HBM, in the
order that the calls have, and no launch is in between.
"""

import nki
import nki.language as nl
from attention import attention
from layernorm import layernorm
from mlp import mlp
from projection import projection


@nki.jit
def transformer_layer(x, mask, heads, weights, eps=1e-12, dtype=nl.bfloat16):
    """Attention and an MLP, each with a residual and a norm after it.

    ``weights`` are the arrays of the layer by name: ``qkv``, ``out``, ``norm1`` and ``norm2`` are
    pairs, and ``mlp`` is what :func:`mlp` takes after x.
    """
    attended = attention(projection(x, *weights["qkv"]), mask, heads, dtype)
    x = layernorm(projection(attended, *weights["out"]), *weights["norm1"], x, eps)
    return layernorm(mlp(x, *weights["mlp"]), *weights["norm2"], x, eps)
