import tapeless as tl

sample = (1.0,)


@tl.custom_gradient
def square(x):
    def grad(upstream):
        return upstream * x

    return x * x, grad


def energy(x):
    return 0.5 * square(x)


def stored_again(x):
    table = {}
    total = 0.0
    for power in range(3):
        table["pair"] = [x**power, 1.0]
        total += table["pair"][0] * x
    return total
