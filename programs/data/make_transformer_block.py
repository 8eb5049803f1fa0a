"""Make transformer_block.npz: what transformer_block.nasm computes, in float32 with NumPy.

Inputs are those of the program's initialisers: NumPy's PCG64 with the same seeds.

    python programs/data/make_transformer_block.py
"""

import math
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

TARGET = Path(__file__).with_name("transformer_block.npz")
EPSILON = 1e-6

Floats = NDArray[np.float32]


def normal(seed: int, *shape: int) -> Floats:
    """Return the values of ``normal(seed=…)``."""
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def bfloat16(values: Floats) -> Floats:
    """Return the nearest bfloat16 of each float32, ties to even, as float32."""
    bits = values.view(np.uint32)
    return ((bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF0000).view(np.float32)


def weight(seed: int, *shape: int) -> Floats:
    """Return the values of a weight of bfloat16, scaled as the program scales its product."""
    return bfloat16(normal(seed, *shape)) * np.float32(shape[0] ** -0.5)


def rmsnorm(x: Floats, gain: Floats) -> Floats:
    """Return each row over the root of the mean of its squares."""
    mean = np.mean(x * x, axis=1, keepdims=True)
    scaled: Floats = x / np.sqrt(mean + np.float32(EPSILON)) * gain
    return scaled


def softmax(x: Floats) -> Floats:
    """Return the softmax of each row."""
    powers = np.exp(x - x.max(axis=1, keepdims=True))
    shares: Floats = powers / powers.sum(axis=1, keepdims=True)
    return shares


def gelu(x: Floats) -> Floats:
    """Return x times the chance that a normal variable is below x."""
    erf = np.array([math.erf(v / math.sqrt(2)) for v in x.ravel()], np.float32)
    return np.float32(0.5) * x * (1 + erf.reshape(x.shape))


def attend(x: Floats, heads: int) -> Floats:
    """Return what the heads make of normalised rows, projected."""
    width = x.shape[1]
    q, k, v = (x @ weight(seed, width, width) for seed in (3, 4, 5))
    made = []
    for columns in np.split(np.arange(width), heads):
        scores = q[:, columns] @ k[:, columns].T * np.float32(len(columns) ** -0.5)
        made.append(softmax(scores) @ v[:, columns])
    return np.concatenate(made, axis=1) @ weight(6, width, width)


def block(rows: int = 256, width: int = 128, heads: int = 2, hidden: int = 512) -> Floats:
    """Return the rows behind the block; S, D, H and F of the program."""
    x = normal(1, rows, width)
    gains = np.random.default_rng(2).random((2, width)).astype(np.float32)
    middle = x + attend(rmsnorm(x, gains[0]), heads)
    bias = normal(8, hidden // 128, 128).reshape(hidden)
    inner = gelu(rmsnorm(middle, gains[1]) @ weight(7, width, hidden) + bias)
    return middle + inner @ weight(9, hidden, width)


def main() -> None:
    """Write the golden values."""
    y = block()
    np.savez_compressed(TARGET, y=y)
    print(f"{TARGET.name}: {len(y)} rows of {y.shape[1]}")


if __name__ == "__main__":
    main()
