"""Sums, means and spreads of an image over the regions that labels say, written out.

Which sample is of which region is constant; so is the region of a single one.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import ndimage

from tapeless.kinds import UNKNOWN, Integer, Tuple
from tapeless.ranks import dims_of, literal
from tapeless.rules.declare import built_in_zero, written_out
from tapeless.rules.results.call import Call
from tapeless.runtime.regions import regions_of


def numbers_of_regions(call: Call) -> Any:
    """Return the kind of the regions of all samples, their count, and those that are asked for."""
    index = call.argument(2, "index")
    dims = () if literal(index) is None else dims_of(index)
    asked = UNKNOWN if dims is None else call.array(dims, "i") if dims else Integer()
    return Tuple((call.array((call.size("samples"),), "i"), Integer(), asked))


built_in_zero(regions_of, kind=numbers_of_regions)


def totals(values: Any, regions: Any, count: Any) -> Any:
    """Return the sum of some values over each region."""
    return np.bincount(regions, weights=np.ravel(values), minlength=count + 1)[:count]


def ndimage_sum_labels(input: Any, labels: Any = None, index: Any = None) -> Any:
    x = np.asarray(input)
    regions, count, asked = regions_of(np.shape(x), labels, index)
    if np.ndim(index) == 0:
        return np.sum(np.ravel(x)[regions == asked])
    return totals(x, regions, count)[asked]


def means_of(x: Any, regions: Any, count: Any) -> Any:
    """Return the mean over each region, and how many samples each has."""
    sizes = np.bincount(regions, minlength=count + 1)[:count]
    return totals(x, regions, count) / sizes, sizes


def ndimage_mean(input: Any, labels: Any = None, index: Any = None) -> Any:
    x = np.asarray(input)
    regions, count, asked = regions_of(np.shape(x), labels, index)
    return means_of(x, regions, count)[0][asked]


def ndimage_variance(input: Any, labels: Any = None, index: Any = None) -> Any:
    x = np.asarray(input)
    regions, count, asked = regions_of(np.shape(x), labels, index)
    means, sizes = means_of(x, regions, count)
    apart = np.ravel(x) - np.concatenate([means, np.zeros(1)])[regions]
    return (totals(apart**2, regions, count) / sizes)[asked]


def ndimage_standard_deviation(input: Any, labels: Any = None, index: Any = None) -> Any:
    return np.sqrt(ndimage_variance(input, labels, index))


def ndimage_center_of_mass(input: Any, labels: Any = None, index: Any = None) -> Any:
    """One tuple of coordinates, or a list of them where several regions are asked for."""
    x = np.asarray(input)
    regions, count, asked = regions_of(np.shape(x), labels, index)
    mass = totals(x, regions, count)
    grids = np.indices(np.shape(x))
    places = [totals(x * grids[k], regions, count) / mass for k in range(np.ndim(x))]
    if labels is None or np.ndim(index) == 0:
        return tuple([place[asked] for place in places])
    return [tuple([place[k] for place in places]) for k in asked]


for _function in (
    ndimage_sum_labels, ndimage_mean, ndimage_variance, ndimage_standard_deviation,
    ndimage_center_of_mass,
):  # fmt: skip
    written_out(
        getattr(ndimage, _function.__name__.removeprefix("ndimage_")), _function, of_arrays=True
    )
written_out(ndimage.sum, ndimage_sum_labels, of_arrays=True)
