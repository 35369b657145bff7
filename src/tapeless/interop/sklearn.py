"""Estimators of scikit-learn that minimize a loss of your own.

What is minimized is a function of the parameters, and its gradient is written by tapeless, loss included.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import numpy as np
from scipy.optimize import minimize
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from tapeless.errors import GradientError
from tapeless.operators.grad import value_and_grad


def _objective(theta: Any, x: Any, y: Any, loss: Any, alpha: Any) -> Any:
    coef = theta[1:]
    predicted = x @ coef + theta[0]
    penalty = 0.5 * alpha * np.sum(coef**2)
    if loss is None:
        return 0.5 * np.mean((predicted - y) ** 2) + penalty
    return loss(predicted, y) + penalty


class LossRegressor(RegressorMixin, BaseEstimator):
    """A linear model that minimizes a loss of your own.

    Parameters
    ----------
    loss
        A function ``loss(predicted, y)`` of two vectors with a scalar result, differentiable by
        tapeless. Left out, half the mean of the squared differences.
    alpha
        The weight of half the squared length of the coefficients, which is added.
    max_iter, tol
        When the optimizer, L-BFGS, stops: after so many steps, or where no entry of the gradient is
        larger than `tol`.

    Attributes
    ----------
    coef_, intercept_
        What the model found.
    n_iter_
        The number of steps.

    Examples
    --------
    >>> def quantile(predicted, y):
    ...     return np.mean(np.maximum(0.9 * (y - predicted), 0.1 * (predicted - y)))
    >>> x, y = np.zeros((11, 1)), np.arange(11.0)
    >>> print(round(LossRegressor(quantile).fit(x, y).intercept_, 1))
    9.0
    """

    def __init__(
        self, loss: Callable[[Any, Any], Any] | None = None, *, alpha: float = 0.0,
        max_iter: int = 1000, tol: float = 1e-6,
    ) -> None:  # fmt: skip
        self.loss = loss
        self.alpha = alpha
        self.max_iter = max_iter
        self.tol = tol

    def fit(self, X: Any, y: Any) -> Self:  # noqa: N803
        """Find the coefficients."""
        if self.loss is not None and not callable(self.loss):
            raise GradientError(
                f"loss is a {type(self.loss).__name__}", fix="give a function loss(predicted, y)"
            )
        x, y = validate_data(self, X, y, dtype=np.float64, y_numeric=True)
        found = minimize(
            value_and_grad(_objective), np.zeros(x.shape[1] + 1), jac=True, method="L-BFGS-B",
            args=(x, np.asarray(y, np.float64), self.loss, float(self.alpha)),
            options={"maxiter": self.max_iter, "gtol": self.tol},
        )  # fmt: skip
        self.intercept_, self.coef_ = float(found.x[0]), found.x[1:]
        self.n_iter_ = found.nit
        return self

    def predict(self, X: Any) -> Any:  # noqa: N803
        """Predict the values of some rows."""
        check_is_fitted(self)
        return validate_data(self, X, reset=False, dtype=np.float64) @ self.coef_ + self.intercept_
