"""Kinetics of a network of reactions that are written as text, with rates by Arrhenius."""

import re
from typing import Dict, List, Tuple

import numpy as np

from programs.common.integrators import integrate

R_GAS = 8.314e-3
PATTERN = re.compile(r"^\s*(\d*)\s*([A-Z][A-Za-z0-9]*)\s*$")


def parse_side(text: str) -> Dict[str, int]:
    side: Dict[str, int] = {}
    for term in text.split("+"):
        match = PATTERN.match(term)
        if match is None:
            raise ValueError(f"cannot read {term!r}")
        count, species = match.groups()
        side[species] = side.get(species, 0) + int(count or 1)
    return side


def parse_reaction(line: str) -> Tuple[Dict[str, int], Dict[str, int]]:
    left, right = line.split("->")
    return parse_side(left), parse_side(right)


class Reaction:
    def __init__(self, equation, prefactor, barrier):
        self.equation = equation
        self.reactants, self.products = parse_reaction(equation)
        self.prefactor = prefactor
        self.barrier = barrier

    def rate_constant(self, temperature):
        return self.prefactor * np.exp(-self.barrier / (R_GAS * temperature))

    def __repr__(self):
        return f"Reaction({self.equation})"


class Network:
    def __init__(self, reactions: List[Reaction], temperature=300.0):
        self.reactions = reactions
        self.temperature = temperature
        species = {s for r in reactions for s in (*r.reactants, *r.products)}
        self.species = sorted(species)
        self.index = {s: i for i, s in enumerate(self.species)}
        self.stoichiometry = np.zeros((len(self.species), len(reactions)))
        for j, reaction in enumerate(reactions):
            for s, n in reaction.reactants.items():
                self.stoichiometry[self.index[s], j] -= n
            for s, n in reaction.products.items():
                self.stoichiometry[self.index[s], j] += n

    def rates(self, c):
        r = np.zeros(len(self.reactions))
        for j, reaction in enumerate(self.reactions):
            rate = reaction.rate_constant(self.temperature)
            for s, n in reaction.reactants.items():
                rate = rate * c[self.index[s]] ** n
            r[j] = rate
        return r

    def __call__(self, t, c):
        return self.stoichiometry @ self.rates(c)


def objective(prefactors, barriers, temperature):
    network = Network(
        [
            Reaction("A + B -> C", prefactors[0], barriers[0]),
            Reaction("C -> A + B", prefactors[1], barriers[1]),
            Reaction("2C -> D", prefactors[2], barriers[2]),
        ],
        temperature,
    )
    c0 = np.zeros(len(network.species))
    c0[network.index["A"]] = 1.0
    c0[network.index["B"]] = 0.8
    times, c = integrate(network, c0, 0.0, 1.0, 5)
    produced = c[-1, network.index["D"]]
    mass = c @ np.array([1.0, 1.0, 2.0, 4.0])
    return -np.log(produced) + np.sum((mass - mass[0]) ** 2) + np.trapezoid(c[:, 2] ** 2, times)


ARGUMENTS = (np.array([4.0, 2.0, 3.0]), np.array([1.0, 2.0, 1.5]), 310.0)
