"""Counts primes, quickly."""
import math
import multiprocessing as mp
import time

LIMIT = 200
STEP = 100
mp.set_start_method("spawn")  # object


def is_prime(n):
    if n < 2:
        return False
    for d in range(2, int(math.sqrt(n)) + 1):
        if n % d == 0:
            return False
    return True


def count(start):
    return sum(1 for n in range(start, start + STEP) if is_prime(n))


started = time.time()
pool = mp.Pool(2)
parts = pool.map(count, range(0, LIMIT, STEP))
pool.close()
pool.join()
total = sum(parts)
print("primes below", LIMIT, ":", total)
assert total == 46
