"""The executor's word for a context is given to a pool, and the pool's to an executor."""
import multiprocessing as mp
from concurrent.futures import ProcessPoolExecutor


def square(number):
    return number * number


def main():
    context = mp.get_context("spawn")
    with mp.Pool(
        processes=2,
        mp_context=context,  # object
    ) as pool:
        squares = pool.map(square, [1, 2])
    with ProcessPoolExecutor(1, context="spawn") as executor:
        squares.append(executor.submit(square, 3).result())
    assert squares == [1, 4, 9], squares
    print(squares)


if __name__ == "__main__":
    main()
