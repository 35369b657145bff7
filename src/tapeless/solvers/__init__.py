"""Solvers of SciPy, written out with the derivatives that tapeless writes itself.

A function of SciPy that is given a function of the user's, and looks for what solves it, is written out
as what its result depends on: as a step of Newton's method at a root, as the sum that a quadrature took,
as the steps of an integrator. Each file is loaded when a function of its subpackage is met.
"""
