"""Every instruction and mode on random register files, as the scalar model has it."""

from __future__ import annotations

import numpy as np

from nasm.targets.tensix.lanes.multiply_add import multiply_add
from tests.parts import part
from tests.tables import each
from tests.tensix.lanes.arithmetic import multiply_add as scalar
from tests.tensix.lanes.compare import FUNCTIONS, difference, words


@each("name", sorted(FUNCTIONS))
def test_random_register_files_agree_with_the_model(name: str) -> None:
    rng = np.random.default_rng(list(name.encode()))
    assert not [said for _ in part(range(200), 7) if (said := difference(rng, name))]


def test_random_triples_are_multiplied_and_added_as_the_model_does() -> None:
    rng = np.random.default_rng(5)
    a, b, c = words(rng, 3, 20_000)
    near = multiply_add(a, b, np.zeros_like(c)) ^ np.uint32(1 << 31)
    c[::4] = near[::4] + rng.integers(0, 9, 5_000).astype(np.uint32)  # much cancels
    wanted = [scalar(*(int(x) for x in triple)) for triple in zip(a, b, c, strict=True)]
    assert multiply_add(a, b, c).tolist() == wanted


def test_chunks_and_axes_make_no_difference() -> None:
    rng = np.random.default_rng(6)
    a, b, c = words(rng, 3, 5, 70, 32)
    whole = multiply_add(a, b, c)
    apart = [
        [multiply_add(*rows) for rows in zip(*some, strict=True)]
        for some in zip(a, b, c, strict=True)
    ]
    assert whole.shape == (5, 70, 32)
    assert np.array_equal(whole, apart)
    assert np.array_equal(
        multiply_add(a[0, 0, :1], b, c), multiply_add(np.full_like(b, a[0, 0, 0]), b, c)
    )
