"""A long short-term memory with weights per unit, two layers, on a sequence."""

import numpy as np

WRT = (0, 1)
SIZES = {"test": (2, 3, 2), "14 units, 20 steps": (2, 14, 20), "256 units, 20 steps": (2, 256, 20)}


def make_inputs(rng, layers, units, length):
    main = 0.5 * rng.normal(size=(2 * layers, 4, units))
    extra = 0.5 * rng.normal(size=(3, units))
    sequence = np.abs(rng.normal(size=(length, units)))
    return main, extra, sequence


def sigmoid(x):
    return 1.0 / (1.0 + np.exp(-x))


def lstm_cell(weight, bias, hidden, cell, x):
    forget = sigmoid(x * weight[0] + bias[0])
    ingate = sigmoid(hidden * weight[1] + bias[1])
    outgate = sigmoid(x * weight[2] + bias[2])
    change = np.tanh(hidden * weight[3] + bias[3])
    cell = cell * forget + ingate * change
    return outgate * np.tanh(cell), cell


def predict(main, extra, hidden, cell, x):
    x = x * extra[0]
    for i in range(len(hidden)):
        hidden[i], cell[i] = lstm_cell(main[2 * i], main[2 * i + 1], hidden[i], cell[i], x)
        x = hidden[i]
    return x * extra[1] + extra[2]


def primal(main, extra, sequence):
    layers, units = len(main) // 2, main.shape[2]
    hidden = [np.zeros(units) for _ in range(layers)]
    cell = [np.zeros(units) for _ in range(layers)]
    total = 0.0
    for t in range(len(sequence) - 1):
        y = predict(main, extra, hidden, cell, sequence[t])
        log_p = y - np.log(2.0 + np.sum(np.exp(y)))
        total += np.sum(sequence[t + 1] * log_p)
    return -total / ((len(sequence) - 1) * units)


def hand(main, extra, sequence):
    layers, units = len(main) // 2, main.shape[2]
    hidden = [np.zeros(units) for _ in range(layers)]
    cell = [np.zeros(units) for _ in range(layers)]
    steps = len(sequence) - 1
    first, gain, offset = extra
    saved, outputs = [], []
    for t in range(steps):
        x = sequence[t] * first
        for i in range(layers):
            w, b, h = main[2 * i], main[2 * i + 1], hidden[i]
            forget = 1.0 / (1.0 + np.exp(-(x * w[0] + b[0])))
            ingate = 1.0 / (1.0 + np.exp(-(h * w[1] + b[1])))
            outgate = 1.0 / (1.0 + np.exp(-(x * w[2] + b[2])))
            change = np.tanh(h * w[3] + b[3])
            new = cell[i] * forget + ingate * change
            squashed = np.tanh(new)
            saved.append((x, h, cell[i], forget, ingate, outgate, change, squashed))
            cell[i] = new
            hidden[i] = x = outgate * squashed
        e = np.exp(x * gain + offset)
        outputs.append((x, e))
    scale = -1.0 / (steps * units)
    main_bar, extra_bar = np.zeros_like(main), np.zeros_like(extra)
    hidden_bar = [np.zeros(units) for _ in range(layers)]
    cell_bar = [np.zeros(units) for _ in range(layers)]
    for t in range(steps - 1, -1, -1):
        x, e = outputs[t]
        target = sequence[t + 1]
        y_bar = scale * target
        e *= np.sum(y_bar) / (2.0 + np.sum(e))
        y_bar -= e
        extra_bar[1] += y_bar * x
        extra_bar[2] += y_bar
        x_bar = y_bar * gain
        for i in range(layers - 1, -1, -1):
            w, w_bar, b_bar = main[2 * i], main_bar[2 * i], main_bar[2 * i + 1]
            x, h, c, forget, ingate, outgate, change, squashed = saved.pop()
            x_bar += hidden_bar[i]
            new_bar = x_bar * outgate * (1.0 - squashed * squashed) + cell_bar[i]
            out_bar = x_bar * squashed * outgate * (1.0 - outgate)
            forget_bar = new_bar * c * forget * (1.0 - forget)
            in_bar = new_bar * change * ingate * (1.0 - ingate)
            change_bar = new_bar * ingate * (1.0 - change * change)
            cell_bar[i] = new_bar * forget
            b_bar[0] += forget_bar
            b_bar[1] += in_bar
            b_bar[2] += out_bar
            b_bar[3] += change_bar
            w_bar[0] += forget_bar * x
            w_bar[1] += in_bar * h
            w_bar[2] += out_bar * x
            w_bar[3] += change_bar * h
            hidden_bar[i] = in_bar * w[1] + change_bar * w[3]
            x_bar = forget_bar * w[0] + out_bar * w[2]
        extra_bar[0] += x_bar * sequence[t]
    return main_bar, extra_bar
