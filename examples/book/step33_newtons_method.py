"""Steps 29 and 33: Newton's method, with the second derivative by hand and by double backward.

    python examples/book/step33_newtons_method.py

prints x of each iteration, both ways, for y = x**4 - 2 x**2 from x = 2. Expect the same numbers
both ways, and the minimum x = 1 after seven iterations.
"""

import numpy as np

from dezero_nn import Variable


def f(x):
    return x**4 - 2 * x**2


def gx2(x):
    return 12 * x**2 - 4


def newton_by_hand(iters):
    x = Variable(np.array(2.0))
    values = [x.item()]
    for _ in range(iters):
        y = f(x)
        x.cleargrad()
        y.backward()
        x.data -= x.grad / gx2(x.data)
        values.append(x.item())
    return values


def newton(iters):
    x = Variable(np.array(2.0))
    values = [x.item()]
    for _ in range(iters):
        y = f(x)
        x.cleargrad()
        y.backward(create_graph=True)
        gx = x.grad  # a Variable: create_graph keeps how it was computed
        x.cleargrad()
        gx.backward()
        x.data -= gx.data / x.grad
        values.append(x.item())
    return values


def main():
    for i, (by_hand, automatic) in enumerate(zip(newton_by_hand(7), newton(7), strict=True)):
        print(f"{i}: {by_hand:.12f} by hand, {automatic:.12f} automatic")


if __name__ == "__main__":
    main()
