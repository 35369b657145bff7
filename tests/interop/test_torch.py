"""Functions of NumPy inside PyTorch: values, gradients, gradients of gradients."""

import numpy as np
import pytest

import tapeless as tl

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

from tapeless.interop.torch import function  # noqa: E402


def heat(u, steps, w):
    u = u.copy()
    for _ in range(steps):
        u[1:-1] += w["k"] * (u[2:] - 2.0 * u[1:-1] + u[:-2])
    return {"last": u, "mean": np.mean(u) * w["c"]}


def tensors(dtype=torch.float64):
    u = torch.tensor([0.0, 1.0, 4.0, 2.0, 0.5], dtype=dtype, requires_grad=True)
    k = torch.tensor(0.2, dtype=dtype, requires_grad=True)
    c = torch.tensor([1.0, -2.0], dtype=dtype, requires_grad=True)
    return u, k, c


def of_torch(u, k, c):
    y = function(heat)(u, 3, {"k": k, "c": c})
    return torch.sum(y["last"] ** 2) + torch.prod(y["mean"])


def of_numpy(u, k, c):
    y = heat(u, 3, {"k": k, "c": c})
    return np.sum(y["last"] ** 2) + np.prod(y["mean"])


def test_gradients():
    given = tensors()
    y = of_torch(*given)
    y.backward()
    plain = [x.detach().numpy()[()] for x in given]
    wanted = tl.value_and_grad(of_numpy, wrt=(0, 1, 2))(*plain)
    assert y.item() == wanted[0]
    for x, g in zip(given, wanted[1], strict=True):
        np.testing.assert_allclose(x.grad.numpy(), g, rtol=1e-12)


def test_by_the_checks_of_torch():
    assert torch.autograd.gradcheck(of_torch, tensors())
    x = torch.tensor([0.5, -1.2, 2.0], dtype=torch.float64, requires_grad=True)
    n = torch.tensor(2)

    def twice(x):
        return function(powers)(x, n)

    assert torch.autograd.gradcheck(twice, (x,))
    assert torch.autograd.gradgradcheck(twice, (x,))


def powers(x, n):
    y = x
    for _ in range(n):
        y = np.tanh(y) * x
    return y, np.sum(y)


def test_single_precision_and_no_gradient():
    u, k, c = tensors(torch.float32)
    (g,) = torch.autograd.grad(of_torch(u, k, c), u)
    assert g.dtype == torch.float32
    with torch.no_grad():
        y = function(heat)(u, 1, {"k": k, "c": c})
    assert not y["last"].requires_grad and y["last"].dtype == torch.float32


def test_a_step_of_an_optimizer():
    x = torch.nn.Parameter(torch.tensor([3.0, -2.0]))
    steps = torch.optim.SGD([x], lr=0.1)
    distance = function(lambda x: np.sum((x - 1.0) ** 2))
    for _ in range(50):
        steps.zero_grad()
        distance(x).backward()
        steps.step()
    np.testing.assert_allclose(x.detach().numpy(), 1.0, atol=1e-3)


def test_what_has_no_derivative_is_refused():
    x = torch.ones(2, dtype=torch.complex128, requires_grad=True)
    with pytest.raises(tl.GradientError, match="holds complex128"):
        function(lambda x: np.sum(np.abs(x)))(x).backward()
    with pytest.raises(tl.GradientError, match="no bfloat16"):
        function(np.sum)(torch.ones(2, dtype=torch.bfloat16))
