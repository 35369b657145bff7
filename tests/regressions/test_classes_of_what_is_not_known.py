"""Of what an opaque function gives the class is not known: a test of it is asked when it runs."""

import os
import platform
import time

import laws
import pytest


def pick(key, x):
    if isinstance(key, int):
        return x * 2.0
    return x * x


def given_by_the_system(x):
    return pick(os.getpid(), x)


def in_a_list(x):
    return pick([os.getpid()][0], x)


def of_a_quotient(x):
    first, _ = divmod(os.getpid(), 3)
    return pick(first, x)


def a_text(x):
    return pick(platform.system(), x)


def a_float(x):
    found = time.time()
    return x * 3.0 if isinstance(found, float) else x * x


def none_or_a_number(x):
    found = os.cpu_count()
    if found is None or isinstance(found, str):
        return x
    return x * x * x if isinstance(found, int) else x


@pytest.mark.parametrize(
    "f", [given_by_the_system, in_a_list, of_a_quotient, a_text, a_float, none_or_a_number]
)
def test_a_class_that_is_not_known(f):
    laws.check_function(f, (2.0,), smooth=True)
