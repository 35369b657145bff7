"""An estimator with a loss of one's own: the contract of scikit-learn, and known results."""

import pickle

import numpy as np
import pytest

import tapeless as tl

sklearn = pytest.importorskip("sklearn", reason="scikit-learn is not installed")

from sklearn.base import clone  # noqa: E402
from sklearn.linear_model import Ridge  # noqa: E402
from sklearn.model_selection import GridSearchCV  # noqa: E402
from sklearn.pipeline import make_pipeline  # noqa: E402
from sklearn.preprocessing import StandardScaler  # noqa: E402
from sklearn.utils.estimator_checks import check_estimator  # noqa: E402

from tapeless.interop.sklearn import LossRegressor  # noqa: E402


def huber(predicted, y):
    r = np.abs(predicted - y)
    return np.mean(np.where(r < 1.35, 0.5 * r**2, 1.35 * (r - 0.675)))


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(200, 3))
    return x, x @ np.array([1.0, -2.0, 0.5]) + 3.0 + rng.standard_t(2.0, size=200)


def test_the_contract_of_scikit_learn():
    check_estimator(LossRegressor(huber))


def test_known_results(data):
    x, y = data
    ridge = Ridge(alpha=0.1 * len(x)).fit(x, y)
    found = LossRegressor(alpha=0.1, tol=1e-9).fit(x, y)
    np.testing.assert_allclose(found.coef_, ridge.coef_, rtol=1e-5)
    np.testing.assert_allclose(found.intercept_, ridge.intercept_, rtol=1e-5)
    robust = LossRegressor(huber, tol=1e-9).fit(x, y)
    assert np.max(np.abs(robust.coef_ - [1.0, -2.0, 0.5])) < 0.3
    assert robust.score(x, y) > 0.2


def test_in_a_search(data):
    x, y = data
    model = make_pipeline(StandardScaler(), LossRegressor(huber))
    grid = {"lossregressor__alpha": [0.0, 10.0]}
    search = GridSearchCV(model, grid, cv=2).fit(x, y)
    assert search.best_params_["lossregressor__alpha"] == 0.0
    again = pickle.loads(pickle.dumps(search.best_estimator_))
    np.testing.assert_array_equal(again.predict(x), search.predict(x))
    assert clone(model[-1]).loss is huber


def test_what_is_no_loss_is_refused(data):
    with pytest.raises(tl.GradientError, match="loss is a str"):
        LossRegressor("huber").fit(*data)
    with pytest.raises(tl.GradientError, match="only a real scalar has a gradient"):
        LossRegressor(lambda predicted, y: predicted - y).fit(*data)
