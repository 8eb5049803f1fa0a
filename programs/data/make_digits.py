"""Make digits.npz: the handwritten digits and the trained network of digits.nasm.

Needs scikit-learn, which carries the images; nothing else in the project does. Training is
plain NumPy with fixed seeds and a fixed number of epochs, and never sees a held-out image.

    python programs/data/make_digits.py
"""

import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_digits

Floats = NDArray[np.float64]
Parameters = dict[str, Floats]

TARGET = Path(__file__).with_name("digits.npz")
HELD_OUT = 7 * 128  # seven tiles of 128 images
SIDE, HIDDEN, DIGITS = 8, 32, 10
PIXEL_MAX = 16  # each pixel counts the ink in a block of 4x4 dots: 0 to 16

# Epochs, decay and shift were chosen by five-fold cross-validation within the training images.
SPLIT_SEED, TRAIN_SEED = 0, 1
EPOCHS, BATCH = 600, 53  # 901 training images are 17 batches of 53
RATE, MOMENTUM, SQUARES, TINY = 5e-3, 0.9, 0.999, 1e-8
DECAY = 0.2  # of the weights, times the rate, at each step
SHIFT = 0.3  # pixels, at most, along each axis


def split(count: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the rows held out and the rows to train on, by a fixed shuffle."""
    order = np.random.Generator(np.random.PCG64(SPLIT_SEED)).permutation(count)
    return order[:HELD_OUT], order[HELD_OUT:]


def shifted(images: Floats, rng: np.random.Generator) -> Floats:
    """Move each image [n, 64] by its own fraction of a pixel, blank coming in at the edge."""
    moved = images.reshape(-1, SIDE, SIDE)
    for axis in (1, 2):
        amount = rng.uniform(-SHIFT, SHIFT, size=(len(moved), 1, 1))
        blank = np.zeros_like(moved.take([0], axis=axis))
        padded = np.concatenate([blank, moved, blank], axis=axis)
        before = padded.take(range(SIDE), axis=axis)
        after = padded.take(range(2, SIDE + 2), axis=axis)
        share = np.abs(amount)
        moved = (1 - share) * moved + share * np.where(amount > 0, before, after)
    return moved.reshape(len(images), -1)


def batches(
    images: Floats, labels: NDArray[np.int64], rng: np.random.Generator
) -> Iterator[tuple[Floats, NDArray[np.int64]]]:
    """Yield one epoch of shuffled, shifted batches."""
    order = rng.permutation(len(images))
    for start in range(0, len(order), BATCH):
        rows = order[start : start + BATCH]
        yield shifted(images[rows], rng), labels[rows]


def scores(weights: Parameters, images: Floats) -> Floats:
    """Return the ten scores of each image [n, 64]: a ReLU layer, then a linear one."""
    hidden = np.maximum(images @ weights["w1"] + weights["b1"], 0)
    return hidden @ weights["w2"] + weights["b2"]


def gradients(weights: Parameters, images: Floats, labels: NDArray[np.int64]) -> Parameters:
    """Return the gradient of the mean cross-entropy by each parameter."""
    hidden = np.maximum(images @ weights["w1"] + weights["b1"], 0)
    logits = hidden @ weights["w2"] + weights["b2"]
    error = np.exp(logits - logits.max(axis=1, keepdims=True))
    error /= error.sum(axis=1, keepdims=True)
    error[np.arange(len(labels)), labels] -= 1
    error /= len(labels)
    back = (error @ weights["w2"].T) * (hidden > 0)
    return {
        "w1": images.T @ back,
        "b1": back.sum(axis=0),
        "w2": hidden.T @ error,
        "b2": error.sum(axis=0),
    }


def initial(rng: np.random.Generator) -> Parameters:
    """Return the network before training: He's scale for the weights, biases at 0."""
    pixels = SIDE * SIDE
    return {
        "w1": rng.normal(0, np.sqrt(2 / pixels), (pixels, HIDDEN)),
        "b1": np.zeros(HIDDEN),
        "w2": rng.normal(0, np.sqrt(2 / HIDDEN), (HIDDEN, DIGITS)),
        "b2": np.zeros(DIGITS),
    }


def train(images: Floats, labels: NDArray[np.int64]) -> Parameters:
    """Return weights trained by Adam, the rate falling to 0 along a half cosine."""
    rng = np.random.Generator(np.random.PCG64(TRAIN_SEED))
    weights = initial(rng)
    mean = {name: np.zeros_like(value) for name, value in weights.items()}
    square = {name: np.zeros_like(value) for name, value in weights.items()}
    step = 0
    for epoch in range(EPOCHS):
        rate = RATE * (1 + np.cos(np.pi * epoch / EPOCHS)) / 2
        for batch, names in batches(images, labels, rng):
            step += 1
            for name, slope in gradients(weights, batch, names).items():
                mean[name] += (1 - MOMENTUM) * (slope - mean[name])
                square[name] += (1 - SQUARES) * (slope**2 - square[name])
                spread = np.sqrt(square[name] / (1 - SQUARES**step)) + TINY
                if name.startswith("w"):
                    weights[name] *= 1 - rate * DECAY
                weights[name] -= rate * mean[name] / (1 - MOMENTUM**step) / spread
    return weights


def bfloat16_bits(values: Floats) -> NDArray[np.uint16]:
    """Return the bits of the nearest bfloat16 of each float32, ties to even; .npy lacks it."""
    bits = values.astype(np.float32).view(np.uint32)
    even = (bits >> 16) & 1
    return ((bits + 0x7FFF + even) >> 16).astype(np.uint16)


def arrays(
    images: Floats, labels: NDArray[np.int64], rows: NDArray[np.int64], weights: Parameters
) -> dict[str, NDArray[np.generic]]:
    """Return what is stored: the program's inputs, and the float reference beside them."""
    stored = {name: value.astype(np.float32) for name, value in weights.items()}
    reference = scores({name: value.astype(np.float64) for name, value in stored.items()}, images)
    return {
        "images": bfloat16_bits(images.T),
        "labels": labels.astype(np.int32)[:, np.newaxis],
        "rows": rows.astype(np.int32)[:, np.newaxis],
        "w1": bfloat16_bits(weights["w1"]),
        "b1": stored["b1"][:, np.newaxis],
        "w2": bfloat16_bits(weights["w2"]),
        "b2": stored["b2"][np.newaxis, :],
        "w1_float": stored["w1"],
        "w2_float": stored["w2"],
        "scores_float": reference.astype(np.float32),
        "predicted_float": reference.argmax(axis=1).astype(np.int32)[:, np.newaxis],
    }


def main() -> None:
    """Train, write digits.npz and say how well the float network reads the held-out digits."""
    pixels, labels = load_digits(return_X_y=True)
    images = pixels / PIXEL_MAX
    held_out, training = split(len(images))
    weights = train(images[training], labels[training])
    content = arrays(images[held_out], labels[held_out], held_out, weights)
    # NumPy's stub takes every keyword for its flag.
    np.savez_compressed(TARGET, **content)  # type: ignore[arg-type]
    accuracy = np.mean(content["predicted_float"] == content["labels"])
    sys.stdout.write(f"{TARGET.name}: {accuracy:.4f} of {HELD_OUT} held-out digits read\n")


if __name__ == "__main__":
    main()
