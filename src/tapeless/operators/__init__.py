"""The derivative operators, one file each, and what they make.

An operator makes `Gradients` of a function: an object that is called as the function is, and has a
derivative written for the kinds of the arguments that it meets. `target` finds the Python function behind
what it is given, `arguments` refuses what has no derivative, `remembered` keeps what is made of a function
with that function. Jacobian, Hessian and Hessian-vector product run several of these derivatives.
"""
