import tapeless as tl

sample = (1.0,)


@tl.custom_gradient
def square(x):
    def grad(upstream):
        return upstream * x

    return x * x, grad


def energy(x):
    return 0.5 * square(x)


def grown(x):
    items = [x]
    grow = items.extend
    grow([x * x, x])
    return sum(items) ** 2
