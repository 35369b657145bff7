"""Objects whose attributes are one array, and objects in two places."""

import numpy as np
X = np.array([0.6, -1.4, 2.3, 0.9])


class Box:
    def __init__(self, value):
        self.value = value
        self.count = 0

    def bump(self, c):
        self.value = self.value * c + self.count
        self.count += 1
        return self.value

    def content(self):
        return self.value


def attribute_overwritten_in_a_loop(x):
    box = Box(x[0])
    s = 0.0
    for v in x:
        box.value = box.value * v
        s = s + box.value**2
        s = s * box.bump(v)
    return s


def attribute_arrays_are_aliases(x):
    a, b = Box(x * 1.0), Box(None)
    b.value = a.value
    a.value += x[::-1]
    b.value[0] = a.value[1] * 2.0
    inner = a.content()
    inner *= 0.5
    b.value = b.value * 2.0
    return np.sum(a.value * x) + np.sum(b.value)


def one_object_in_two_places(x):
    box = Box(x)
    boxes = [box, box, Box(x * 2.0)]
    for b in boxes:
        b.value = b.value * x
    boxes[0].value += 1.0
    return boxes[0].value * boxes[1].value * boxes[2].value


def list_extended_in_place(x):
    a = [x]
    b = a
    a += [x * x]
    a = a + [3.0]
    b[0] = b[1] * 2.0
    return b[0] * b[1] * a[2] + a[0]


CASES = [
    ("attribute_overwritten_in_a_loop", attribute_overwritten_in_a_loop, (X,)),
    ("attribute_arrays_are_aliases", attribute_arrays_are_aliases, (X,)),
    ("one_object_in_two_places", one_object_in_two_places, (1.3,)),
    ("list_extended_in_place", list_extended_in_place, (1.3,)),
]
