"""Reads sentences with all-MiniLM-L6-v2 on a simulated core: how alike are they?

    make model
    python programs/models/minilm.py "A first sentence." "Another one."
    python programs/models/minilm.py --library CHECKOUT

Every layer runs on the kernels in programs/nki; tensors stay in HBM between them. The host looks up
embeddings, and takes the mean of the tokens in the end. Sentences are packed into blocks of 128
tokens, and a mask keeps them apart. With ``--library`` what projects and attends are kernels of a
checkout of AWS's nki-library. The exit code is 0 if each sentence's vector is that of the model in
NumPy, and if the cosines of the usual sentences are those that are published.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import minilm_library
import minilm_reference
import ml_dtypes
import numpy as np
from minilm_tokens import Tokenizer
from minilm_weights import Weights, load

import nasm.nki
from nasm.nki.model_report import ModelReport

KERNELS = Path(__file__).resolve().parents[1] / "nki"
BLOCK = 128
"""Tokens of a block: the partitions of a tile."""

APART = -1e4
"""What is added to the score of a token that another one must not see."""

SENTENCES = ("The weather is lovely today.", "It's so sunny outside!", "He drove to the stadium.")
PUBLISHED = {(0, 1): 0.6660, (0, 2): 0.1046, (1, 2): 0.1411}
"""Their cosines by the documentation of sentence-transformers (README, 2024), run on PyTorch."""

DTYPES = {"bf16": ml_dtypes.bfloat16, "f32": np.float32}
LIMITS = {"bf16": (0.9995, 0.01), "f32": (0.999999, 0.0001)}
"""Of a dtype the least cosine with the reference, and how far a published cosine may be off."""

Array = np.ndarray[Any, Any]


def kernel(name: str) -> Any:
    """A kernel of programs/nki."""
    return getattr(nasm.nki.module(str(KERNELS / f"{name}.py")), name)


# ---------------------------------------------------------------- what goes in


@dataclass(frozen=True)
class Packed:
    """Sentences in blocks: rows of the embedding, the mask, and which rows each sentence has.

    ``bounds`` are the first row of each row's sentence, and the one after its last.
    """

    rows: Array
    mask: Array
    bounds: Array
    places: tuple[slice, ...]


def packed(weights: Weights, sentences: Sequence[Sequence[int]]) -> Packed:
    """Put each sentence into the first block that has room for it."""
    used: list[int] = []
    places = []
    for tokens in sentences:
        block = next((n for n, size in enumerate(used) if size + len(tokens) <= BLOCK), len(used))
        if block == len(used):
            used.append(0)
        first = BLOCK * block + used[block]
        places.append(slice(first, first + len(tokens)))
        used[block] += len(tokens)
    tables = [
        weights.arrays[f"embeddings.{kind}_embeddings.weight"]
        for kind in ("word", "position", "token_type")
    ]
    rows = np.zeros((BLOCK * len(used), weights.config.hidden), np.float32)
    owner = np.full(len(rows), -1)
    bounds = np.arange(len(rows))[:, None] + [0, 1]
    for number, (place, tokens) in enumerate(zip(places, sentences, strict=True)):
        rows[place] = tables[0][list(tokens)] + tables[1][: len(tokens)] + tables[2][0]
        owner[place] = number
        bounds[place] = place.start, place.stop
    same = owner.reshape(-1, BLOCK, 1) == owner.reshape(-1, 1, BLOCK)
    mask = np.where(same, 0, APART).astype(np.float32).reshape(len(rows), BLOCK)
    return Packed(rows, mask, bounds.astype(np.float32), tuple(places))


class Layers:
    """The weights as the kernels take them, in the HBM of a model."""

    def __init__(self, weights: Weights, model: nasm.nki.Model, dtype: str) -> None:
        self._arrays, self._model, self._dtype = weights.arrays, model, DTYPES[dtype]
        self.first = self._norm("embeddings")
        self.layers = [self._layer(f"encoder.layer.{n}") for n in range(weights.config.layers)]

    def _layer(self, name: str) -> dict[str, tuple[Any, ...]]:
        parts = [f"{name}.attention.self.{part}" for part in ("query", "key", "value")]
        narrow, column = self._dense([f"{name}.intermediate.dense"], column=True)
        return {
            "qkv": self._dense(parts),
            "out": self._dense([f"{name}.attention.output.dense"]),
            "norm1": self._norm(f"{name}.attention.output"),
            "mlp": (narrow, column, *self._dense([f"{name}.output.dense"])),
            "norm2": self._norm(f"{name}.output"),
        }

    def _dense(self, names: Sequence[str], column: bool = False) -> tuple[Any, Any]:
        """The weights [inner, columns] and biases of linear layers side by side."""
        matrix = np.concatenate([self._arrays[f"{name}.weight"] for name in names]).T
        bias = np.concatenate([self._arrays[f"{name}.bias"] for name in names])
        shape = (-1, 1) if column else (1, -1)
        return self._put(matrix.astype(self._dtype)), self._put(bias.reshape(shape))

    def _norm(self, name: str) -> tuple[Any, Any]:
        gain, bias = (self._arrays[f"{name}.LayerNorm.{part}"] for part in ("weight", "bias"))
        return self._put(gain.reshape(1, -1)), self._put(bias.reshape(1, -1))

    def _put(self, array: Array) -> Any:
        return self._model.put(np.ascontiguousarray(array), "weights")


# ---------------------------------------------------------------- the model


def encode(
    weights: Weights,
    sentences: Sequence[Sequence[int]],
    model: nasm.nki.Model,
    *,
    dtype: str = "bf16",
    cores: int = 1,
    fused: bool = False,
    library: minilm_library.LibraryKernels | None = None,
) -> Array:
    """A vector of length 1 for each list of tokens, by kernels that run within ``model``."""
    config, given = weights.config, packed(weights, sentences)
    layers = Layers(weights, model, dtype)
    if library is not None:
        layer, mask = by_library(cores, library), given.bounds
    else:
        layer = kernel("transformer_layer")[cores] if fused else by_kernels(cores)
        mask = model.put(given.mask, "mask")
    x = kernel("layernorm")[cores](given.rows, *layers.first, eps=config.eps)
    products = {"bf16": "bfloat16", "f32": "float32"}[dtype]
    for each in layers.layers:
        x = layer(x, mask, config.heads, each, config.eps, products)
    rows = np.asarray(x)
    means = np.stack([rows[place].mean(axis=0) for place in given.places])
    return means / np.linalg.norm(means, axis=1, keepdims=True)


def by_kernels(cores: int) -> Any:
    """What the kernel transformer_layer does, in six launches."""
    names = "projection", "attention", "layernorm", "mlp"
    projection, attention, layernorm, mlp = (kernel(name)[cores] for name in names)

    def layer(x: Any, mask: Any, heads: int, weights: Any, eps: float, dtype: str) -> Any:
        attended = attention(projection(x, *weights["qkv"]), mask, heads, dtype)
        x = layernorm(projection(attended, *weights["out"]), *weights["norm1"], x, eps)
        return layernorm(mlp(x, *weights["mlp"]), *weights["norm2"], x, eps)

    return layer


def by_library(cores: int, kernels: minilm_library.LibraryKernels) -> Any:
    """The same with the library's kernels where it has them."""
    attending = minilm_library.attending(kernels)
    layernorm, mlp = (kernel(name)[cores] for name in ("layernorm", "mlp"))

    def layer(x: Any, bounds: Any, heads: int, weights: Any, eps: float, dtype: str) -> Any:
        x = layernorm(attending(x, bounds, heads, weights), *weights["norm1"], x, eps)
        return layernorm(mlp(x, *weights["mlp"]), *weights["norm2"], x, eps)

    return layer


# ---------------------------------------------------------------- the verdict


@dataclass(frozen=True)
class Answer:
    """What came out, and how far it is from what it is judged by."""

    sentences: tuple[str, ...]
    cosines: Array
    reference: Array
    published: float | None
    dtype: str
    weights: Weights
    report: ModelReport

    @property
    def right(self) -> bool:
        """Whether all is within the limits of the dtype, and no kernel did anything wrong."""
        least, off = LIMITS[self.dtype]
        close = self.published is None or self.published <= off
        return bool(self.reference.min() >= least) and close and self.report.ok


def answered(given: argparse.Namespace, model: nasm.nki.Model) -> Answer:
    """Encode the sentences in both ways."""
    weights, sentences = load(given.random), tuple(given.sentences or SENTENCES)
    tokenizer = Tokenizer(weights)
    tokens = [tokenizer.tokens(sentence, BLOCK) for sentence in sentences]
    how = {"dtype": given.dtype, "cores": given.lnc}
    checkout = given.library
    library = None if checkout is None else minilm_library.kernels_of(checkout, given.lnc)
    how |= {"fused": given.fused, "library": library}
    with model:
        found = encode(weights, tokens, model, **how)
    wanted = minilm_reference.embeddings(weights, tokens)
    cosines = found @ found.T
    off = None
    if weights.published and sentences == SENTENCES:
        off = max(abs(float(cosines[pair]) - value) for pair, value in PUBLISHED.items())
    against = (found * wanted).sum(axis=1)
    return Answer(sentences, cosines, against, off, given.dtype, weights, model.report)


def told(answer: Answer) -> str:
    """The answer for a reader."""
    lines = [f"weights: {answer.weights.source}", "", "cosines:"]
    for number, (sentence, row) in enumerate(zip(answer.sentences, answer.cosines, strict=True)):
        lines.append(f"  {number}  {'  '.join(f'{value:7.4f}' for value in row)}  {sentence}")
    least, limit = LIMITS[answer.dtype]
    lines += ["", str(answer.report).rstrip(), ""]
    lines.append(
        f"against NumPy in float64: cosine {answer.reference.min():.7f}, wanted {least} or more"
    )
    if answer.published is not None:
        lines.append(
            f"against the published cosines: off by {answer.published:.4f}, allowed {limit}"
        )
    return "\n".join([*lines, "PASS" if answer.right else "FAIL"])


def document(answer: Answer) -> dict[str, Any]:
    """The answer for a program."""
    from nasm.show.json_model import model

    return {
        "weights": answer.weights.source,
        "sentences": answer.sentences,
        "cosines": answer.cosines.tolist(),
        "reference_cosines": answer.reference.tolist(),
        "published_error": answer.published,
        "right": answer.right,
        "model": model(answer.report),
    }


def arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    """What the command line says."""
    parser = argparse.ArgumentParser(description="Sentences by all-MiniLM-L6-v2 on kernels of NKI.")
    parser.add_argument("sentences", nargs="*", help="two or more; of each the first 128 tokens")
    parser.add_argument("--target", help="the core: trn1, trn2 (the usual one), trn3")
    parser.add_argument("--lnc", type=int, choices=(1, 2), default=1, help="how many cores")
    parser.add_argument("--dtype", choices=DTYPES, default="bf16", help="the dtype of products")
    parser.add_argument("--fused", action="store_true", help="a launch for a layer, not six")
    parser.add_argument(
        "--library", type=Path, metavar="CHECKOUT", help="AWS's nki-library, for its kernels"
    )
    parser.add_argument("--random", action="store_true", help="with made-up weights")
    parser.add_argument("--json", action="store_true", help="the answer as a document")
    parser.add_argument("--profile", action="store_true", help="where the time went, as well")
    parser.add_argument("--timeline", metavar="FILE", help="write a trace of it for Perfetto")
    found = parser.parse_args(argv)
    if found.library is not None:
        if found.fused or found.dtype != "bf16":
            parser.error("--library multiplies in bfloat16, with a launch for each kernel")
        if not (found.library / minilm_library.HOME).is_dir():
            parser.error(f"{found.library} is no checkout of nki-library")
    return found


def main(argv: Sequence[str] | None = None) -> int:
    """Run the model, print the answer; returns the exit code."""
    given = arguments(argv)
    try:
        with open(given.timeline, "wb") if given.timeline else nullcontext() as out:
            settings = {"target": given.target, "profile": given.profile, "timeline": out}
            model = nasm.nki.Model("all-MiniLM-L6-v2", **settings)
            answer = answered(given, model)
    except (nasm.Failure, OSError) as failure:
        print(failure, file=sys.stderr)
        return 2
    print(json.dumps(document(answer), indent=2) if given.json else told(answer))
    if given.profile and not given.json:
        print(f"\n{model.profile()}")
    return 0 if answer.right else 1


if __name__ == "__main__":
    sys.exit(main())
