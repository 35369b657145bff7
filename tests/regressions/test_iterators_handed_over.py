"""Objects, dicts and arrays reach a function by an iterator that it makes a list of, or gives back.

The function names their memory as it names that of other arguments: what they hold is read there, and later
stores into them are seen by who has the list.
"""

import numpy as np
import pytest

import tapeless as tl
from tests import laws

Q = np.array([0.3, -0.5, 0.8])
TABLE = ((0.4, 1), (0.3, 1), (0.2, 1))


class Joint:
    def __init__(self, length):
        self.length = length
        self.value = 0.5


class Arm:
    def __init__(self, joints):
        self.joints = list(joints)

    @classmethod
    def from_table(cls, table):
        return cls(Joint(*row[:1]) for row in table)

    def total(self, q):
        total = 0.0
        for joint, angle in zip(self.joints, q, strict=True):
            total += joint.length * np.cos(angle) * joint.value
        return total


def listed(things):
    return list(things)


def made():
    for row in TABLE:
        yield Joint(row[0])


def filled(joints, q):
    result = []
    for joint, angle in zip(joints, q, strict=True):
        joint.value = angle * 2.0
        result.append(joint)
    return result


def again(things):
    return iter(things)


def in_a_constructor(q):
    return Arm(Joint(row[0]) for row in TABLE).total(q)


def in_a_class_method(q):
    return Arm.from_table(TABLE).total(q)


def by_a_generator_function(q):
    return Arm(made()).total(q)


def by_a_function(q):
    total = 0.0
    for joint, angle in zip(listed(Joint(row[0]) for row in TABLE), q, strict=True):
        total += joint.length * angle
    return total


def dicts(q):
    total = 0.0
    for entry, angle in zip(listed({"a": row[0]} for row in TABLE), q, strict=True):
        total += entry["a"] * angle
    return total


def stored_into_later(q):
    arm = Arm(Joint(row[0]) for row in TABLE)
    for joint, angle in zip(arm.joints, q, strict=True):
        joint.value = angle * angle
    return arm.total(q)


def stored_into_there(q):
    joints = filled((Joint(row[0]) for row in TABLE), q)
    return sum(joint.length * joint.value**2 for joint in joints)


def views(q):
    row = np.zeros(3)
    for part, angle in zip(listed(row[k : k + 1] for k in range(3)), q, strict=True):
        part[0] = angle * angle
    return row @ q


def mapped(q):
    joints = listed(map(Joint, [1.0, 2.0, 3.0]))
    joints[0].value = q[1]
    return joints[0].value ** 2 + joints[2].length * q[0]


def chosen(q):
    joints = [Joint(1.0), Joint(-2.0), Joint(3.0)]
    positive = listed(filter(lambda joint: joint.length > 0, joints))
    positive[1].value = q[0]
    return joints[2].value * q[0]


def given_back(q):
    joints = [Joint(1.0), Joint(2.0)]
    same = listed(again(joints))
    same[1].value = q[0] * q[1]
    return joints[1].value * same[0].length * q[2]


def one_in_all_places(q):
    joint = Joint(0.5)
    joints = listed(joint for _ in range(3))
    joint.value = q[0]
    return joints[1].value * joints[2].value * q[1]


PROGRAMS = [
    in_a_constructor, in_a_class_method, by_a_generator_function, by_a_function, dicts, stored_into_later,
    stored_into_there, views, mapped, chosen, given_back, one_in_all_places,
]  # fmt: skip


@pytest.mark.parametrize("f", PROGRAMS)
def test_derivative(f):
    laws.check_function(f, (Q,))
    laws.check_orders(f, Q)


def pairs(q):
    joints = [Joint(1.0), Joint(-2.0)]
    numbered = listed(enumerate(joints))
    numbered[1][1].value = q[0]
    return joints[1].value * q[0]


def rows(q):
    table = np.zeros((3, 3))
    listed(iter(table))[1][:] = q
    return table.sum() * q[0]


@pytest.mark.parametrize("f", [pairs, rows])
def test_refused(f):
    with pytest.raises(tl.GradientError, match="stored into"):
        tl.grad(f)(Q)
