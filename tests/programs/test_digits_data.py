"""The committed digits and their network: layout, origin, and how well the network reads."""

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from ml_dtypes import bfloat16
from numpy.typing import NDArray

FOLDER = Path(__file__).parents[2] / "programs" / "data"
Data = dict[str, NDArray[Any]]

LAYOUT = {
    "images": ("uint16", (64, 896)),
    "labels": ("int32", (896, 1)),
    "rows": ("int32", (896, 1)),
    "w1": ("uint16", (64, 32)),
    "b1": ("float32", (32, 1)),
    "w2": ("uint16", (32, 10)),
    "b2": ("float32", (1, 10)),
    "w1_float": ("float32", (64, 32)),
    "w2_float": ("float32", (32, 10)),
    "scores_float": ("float32", (896, 10)),
    "predicted_float": ("int32", (896, 1)),
}

# Row 2 of the UCI set's 1,797 images, as scikit-learn lists it: a 2.
A_TWO = [
    [0, 0, 0, 4, 15, 12, 0, 0],
    [0, 0, 3, 16, 15, 14, 0, 0],
    [0, 0, 8, 13, 8, 16, 0, 0],
    [0, 0, 1, 6, 15, 11, 0, 0],
    [0, 1, 8, 13, 15, 1, 0, 0],
    [0, 9, 16, 16, 5, 0, 0, 0],
    [0, 3, 13, 16, 16, 11, 5, 0],
    [0, 0, 0, 3, 11, 16, 9, 0],
]


@pytest.fixture(scope="module")
def data() -> Data:
    """Every array of the committed file."""
    with np.load(FOLDER / "digits.npz") as stored:
        return {key: stored[key] for key in stored.files}


def from_bits(bits: NDArray[Any]) -> NDArray[Any]:
    """The values that bfloat16 bits stand for."""
    return bits.view(bfloat16).astype(np.float64)


def float_scores(data: Data) -> NDArray[Any]:
    """The network before rounding, in float64 throughout, scores [896, 10]."""
    wide = {key: value.astype(np.float64) for key, value in data.items()}
    hidden = np.maximum(wide["w1_float"].T @ from_bits(data["images"]) + wide["b1"], 0)
    return hidden.T @ wide["w2_float"] + wide["b2"]


def bfloat16_scores(data: Data) -> NDArray[Any]:
    """The network as the core computes it: bfloat16 operands, float32 sums, scores [896, 10]."""
    pixels, first, second = (
        from_bits(data[key]).astype(np.float32) for key in ("images", "w1", "w2")
    )
    hidden = np.maximum(first.T @ pixels + data["b1"], 0).astype(bfloat16).astype(np.float32)
    return hidden.T @ second + data["b2"]


def named(scores: NDArray[Any]) -> NDArray[Any]:
    """The digit with the highest score, one per image, [896, 1]."""
    return scores.argmax(axis=1, keepdims=True)


def test_the_file_holds_what_its_readme_lists(data: Data) -> None:
    assert {key: (value.dtype.name, value.shape) for key, value in data.items()} == LAYOUT
    readme = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert [key for key in LAYOUT if f"`{key}`" not in readme] == []


def test_the_file_is_small_enough_to_commit() -> None:
    assert (FOLDER / "digits.npz").stat().st_size < 100_000


def test_pixels_are_sixteenths_from_0_to_1(data: Data) -> None:
    ink = from_bits(data["images"]) * 16
    assert set(np.unique(ink)) == set(range(17))


def test_held_out_images_are_896_different_rows_of_1797(data: Data) -> None:
    rows = data["rows"][:, 0].tolist()
    assert len(set(rows)) == 896
    assert min(rows) >= 0
    assert max(rows) < 1797


def test_labels_stay_within_the_published_count_of_each_digit(data: Data) -> None:
    # optdigits.names, class distribution of the 1,797: digits 0 to 9 in this order.
    published = [178, 182, 177, 183, 181, 182, 181, 179, 174, 180]
    counts = Counter(data["labels"][:, 0].tolist())
    assert sorted(counts) == list(range(10))
    assert all(counts[digit] <= limit for digit, limit in enumerate(published))


def test_a_column_is_one_image_row_by_row_with_its_label(data: Data) -> None:
    column = data["rows"][:, 0].tolist().index(2)
    image = from_bits(data["images"][:, column : column + 1]).reshape(8, 8) * 16
    assert image.tolist() == A_TWO
    assert data["labels"][column, 0] == 2


@pytest.mark.parametrize("name", ["w1", "w2"])
def test_weights_are_the_trained_ones_rounded_once_to_bfloat16(data: Data, name: str) -> None:
    rounded = data[f"{name}_float"].astype(bfloat16)
    np.testing.assert_array_equal(data[name], rounded.view(np.uint16))


def test_the_float_reference_follows_from_the_stored_weights(data: Data) -> None:
    scores = float_scores(data)
    np.testing.assert_array_equal(named(scores), data["predicted_float"])
    # Rounded once to float32: at most half a unit in the last place, 2**-24 of the value. The
    # absolute part allows for another order of the float64 sums where a score is close to 0.
    np.testing.assert_allclose(data["scores_float"], scores, rtol=2**-24, atol=1e-12)


def test_the_float_network_reads_at_least_95_in_100(data: Data) -> None:
    assert np.mean(data["predicted_float"] == data["labels"]) >= 0.95


def test_bfloat16_reads_as_well_as_float_within_half_a_point(data: Data) -> None:
    right = np.mean(named(bfloat16_scores(data)) == data["labels"])
    reference = np.mean(data["predicted_float"] == data["labels"])
    assert right >= 0.95
    assert abs(right - reference) <= 0.005


def test_the_two_networks_agree_as_the_readme_says(data: Data) -> None:
    readme = (FOLDER / "README.md").read_text(encoding="utf-8")
    right = int(np.sum(data["predicted_float"] == data["labels"]))
    assert readme.count(f"names {right} rightly") == 2
    np.testing.assert_array_equal(named(bfloat16_scores(data)), data["predicted_float"])
