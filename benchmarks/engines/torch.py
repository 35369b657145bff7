"""PyTorch, eager: a tape of tensors."""

import numpy as np
import torch

from benchmarks.engines import with_numpy

ARRAYS_ARE_NUMPY = False
torch.set_num_threads(1)
torch.set_default_dtype(torch.float64)

OTHER_NAMES = {"max": "amax", "concatenate": "cat", "power": "pow"}
OF_NUMBERS = {"sqrt", "exp", "log", "sin", "cos", "tanh", "abs", "logaddexp", "maximum"}


def array(rows):
    """Make a tensor of nested lists of numbers and tensors."""
    if isinstance(rows, list):
        return torch.stack([array(row) for row in rows])
    return torch.as_tensor(rows, dtype=torch.float64)


class TorchAsNumpy:
    """The functions of PyTorch by the names that NumPy gives them."""

    pi, inf = np.pi, np.inf
    array = staticmethod(array)

    def __getattr__(self, name):
        function = getattr(torch, OTHER_NAMES.get(name, name))
        if name in OF_NUMBERS:
            return lambda *args: function(*map(torch.as_tensor, args))
        return function


def version():
    return f"PyTorch {torch.__version__}"


def gradient(workload, args):
    primal = with_numpy(workload, TorchAsNumpy()).primal
    tensors = list(args)
    for i, x in enumerate(args):
        if isinstance(x, np.ndarray):
            tensors[i] = torch.from_numpy(x.copy())
        if i in workload.WRT:
            tensors[i] = torch.as_tensor(tensors[i], dtype=torch.float64).requires_grad_()
    leaves = [tensors[i] for i in workload.WRT]

    def call():
        return [x.numpy() for x in torch.autograd.grad(primal(*tensors), leaves)]

    return call
