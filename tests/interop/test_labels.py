"""Gradients with the labels of pandas and xarray."""

import numpy as np
import pytest

import tapeless as tl


def cost(w, x, y, scale=1.0):
    r = x @ w["slope"] + w["offset"] - y
    return scale * np.mean(r**2)


def with_aux(x, y):
    return np.sum(x * y), "aux"


def test_pandas():
    pd = pytest.importorskip("pandas", reason="pandas is not installed")
    from tapeless.interop.pandas import labelled

    x = pd.DataFrame({"a": [1.0, 2.0, 4.0], "b": [0.0, 1.0, -1.0]}, index=list("xyz"))
    y = pd.Series([1.0, 0.0, 2.0], index=list("xyz"), name="y")
    w = {"slope": pd.Series([0.5, -1.0], index=["a", "b"]), "offset": 0.1}
    plain = {"slope": w["slope"].to_numpy(), "offset": 0.1}
    wanted = tl.value_and_grad(cost, wrt=(0, "x"))(plain, x.to_numpy(), y.to_numpy(), 2.0)
    value, (w_bar, x_bar) = labelled(tl.value_and_grad(cost, wrt=(0, "x")))(w, x, y=y, scale=2.0)
    assert value == wanted[0] and w_bar["offset"] == wanted[1][0]["offset"]
    pd.testing.assert_series_equal(w_bar["slope"], pd.Series(wanted[1][0]["slope"], ["a", "b"]))
    pd.testing.assert_frame_equal(x_bar, pd.DataFrame(wanted[1][1], x.index, x.columns))
    y_bar, aux = labelled(tl.grad(with_aux, has_aux=True))(y, y)
    pd.testing.assert_series_equal(y_bar, y)
    assert aux == "aux"
    with pytest.raises(tl.GradientError, match="'x' of 'with_aux' is"):
        labelled(tl.grad(with_aux, has_aux=True))(pd.Series(["a", "b"]), y)
    with pytest.raises(tl.GradientError, match="labelled takes a derivative, not 'cost'"):
        labelled(cost)


def test_xarray():
    xr = pytest.importorskip("xarray", reason="xarray is not installed")
    from tapeless.interop.xarray import labelled

    u = xr.DataArray(
        np.arange(6.0).reshape(2, 3),
        dims=("time", "place"),
        coords={"place": list("abc")},
        name="u",
    )
    found = labelled(tl.grad(lambda parts: np.sum(parts[0] ** 3)))([u])
    assert type(found) is list
    xr.testing.assert_identical(found[0], 3.0 * u**2)
