"""Tracebacks show the user's frames and the generated line; the tool's frames on demand only."""

import os
import subprocess
import sys
import traceback

import numpy as np
import pytest

import tapeless as tl
from tapeless.origins import is_of_the_tool

X = np.ones(3)


def squared(x):
    if x.shape[0] > 3:
        raise ValueError("too long")
    return x * x


def loss(x):
    return np.sum(squared(x))


def refused(x):
    return np.sum(np.intersect1d(x, 2.0) * squared(x))


def frames_of(call):
    try:
        call()
    except Exception as error:
        frames = traceback.extract_tb(error.__traceback__)
        while error is not None:
            assert not [f for f in traceback.extract_tb(error.__traceback__) if own(f)]
            error = error.__context__
        return frames
    raise AssertionError("nothing was raised")


def own(frame):
    return is_of_the_tool(frame.filename)


REFUSALS = {
    "grad": lambda: tl.grad(refused)(X),
    "value_and_grad": lambda: tl.value_and_grad(refused)(X),
    "vjp": lambda: tl.vjp(refused, X),
    "jvp": lambda: tl.jvp(refused, (X,), (X,)),
    "jacobian": lambda: tl.jacobian(refused)(X),
    "hessian": lambda: tl.hessian(refused)(X),
    "hvp": lambda: tl.hvp(refused)(X, X),
    "source": lambda: tl.source(refused, like=(X,)),
    "made": lambda: tl.grad(loss, wrt="y"),
    "keyword": lambda: tl.grad(loss, argnums=0),
    "arguments": lambda: tl.grad(loss)(X, X, X),
}


@pytest.mark.parametrize("way", REFUSALS)
def test_a_refusal_shows_no_frame_of_the_tool(way):
    frames = frames_of(REFUSALS[way])
    assert [f.filename for f in frames] == [__file__, __file__]


def test_an_exception_of_the_users_code_shows_the_generated_line():
    gradient = tl.grad(loss)
    for _ in range(2):  # the first call writes the derivative, the second one finds it
        frames = frames_of(lambda: gradient(np.ones(5)))
        assert [f.filename == __file__ for f in frames[:2]] == [True, True]
        assert frames[-1].line == 'raise ValueError("too long")'
        assert all(f.filename.startswith("<tapeless ") for f in frames[2:])


def test_another_kind_shows_no_line_of_the_derivative_made_before():
    gradient = tl.grad(loss)
    gradient(X)
    frames = frames_of(lambda: gradient("text"))
    assert [f.filename for f in frames] == [__file__, __file__]


def test_a_pullback_and_a_callback_of_the_users():
    _, pullback = tl.vjp(loss, X)
    assert len(frames_of(lambda: pullback(np.ones(7)))) == 2

    @tl.custom_gradient
    def failing(x):
        def grad(upstream):
            raise KeyError("mine")

        return x * 1.0, grad

    frames = frames_of(lambda: tl.grad(lambda x: np.sum(failing(x)))(X))
    assert frames[-1].line == 'raise KeyError("mine")'


def test_all_frames_are_shown_on_demand():
    code = "import tapeless as tl; tl.grad(3)"
    for value, shown in (("full", True), ("", False)):
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True,
            env={**os.environ, "TAPELESS_TRACEBACK": value},
        )  # fmt: skip
        assert ("in target_of" in done.stderr) is shown


def test_other_names_of_wrt():
    for operator in (tl.grad, tl.value_and_grad, tl.jacobian, tl.hessian, tl.hvp):
        for name in ("argnums", "argnum"):
            with pytest.raises(tl.GradientError, match=f"no argument `{name}`") as caught:
                operator(loss, **{name: 0})
            assert caught.value.fix == "use wrt="
            assert caught.value.filename == __file__


def test_a_refusal_in_a_callee_says_where_it_is_called_from():
    def inner(x):
        return np.sum(np.intersect1d(x, 2.0) * x)

    def middle(x):
        return inner(x) + 1.0

    def outer(x):
        return middle(x) * 2.0

    for call in (lambda: tl.grad(outer)(X), lambda: tl.jvp(outer, (X,), (X,))):
        with pytest.raises(tl.TapelessError) as caught:
            call()
        lines = str(caught.value).splitlines()
        assert lines[1].strip() == "return np.sum(np.intersect1d(x, 2.0) * x)"
        called = [line.split(": ", 1)[1] for line in lines if "called from" in line]
        assert called == ["return inner(x) + 1.0", "return middle(x) * 2.0"]


def test_a_refusal_in_a_library_says_the_users_line():
    import queue

    waiting = queue.Queue()

    def handed_over(x):
        waiting.put(x)
        return x * x

    for call in (lambda: tl.grad(handed_over)(2.0), lambda: tl.jvp(handed_over, (2.0,), (1.0,))):
        with pytest.raises(tl.TapelessError) as caught:
            call()
        called = [line for line in str(caught.value).splitlines() if "called from" in line]
        assert len(called) == 1 and __file__ in called[0] and "waiting.put" in called[0]
