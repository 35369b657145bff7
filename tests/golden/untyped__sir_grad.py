"""The grad of `sir` in primals/untyped.py, as printed."""

def sir_grad(beta, gamma, s0, i0, steps):
    # Forward sweep
    saved = []
    s = s0
    i = i0
    for _ in range(steps):
        infected = beta * s * i
        recovered = gamma * i
        saved.append((s, i))
        s = s - infected
        i = i + infected - recovered
    # Reverse sweep
    beta_bar = 0.0
    gamma_bar = 0.0
    i_bar = 0.0
    s_bar = 0.0
    for s, i in reversed(saved):
        i_bar += 1.0
        infected_bar = i_bar - s_bar
        gamma_bar -= i_bar * i
        beta_s_bar = infected_bar * i
        i_bar = i_bar - i_bar * gamma + infected_bar * (beta * s)
        beta_bar += beta_s_bar * s
        s_bar += beta_s_bar * beta
    return beta_bar, gamma_bar, s_bar, i_bar
