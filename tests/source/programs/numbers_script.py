#!/usr/bin/env python3
from concurrent.futures import ProcessPoolExecutor
import multiprocessing
import sys

CTX = multiprocessing.get_context("spawn")
N = 4


def fib(n):
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    return a


class Report:
    def __init__(self, title):
        self.title = title
        self.rows = []

    def add(self, n, value):
        self.rows.append((n, value))


report = Report("fib")
with ProcessPoolExecutor(max_workers=2, mp_context=CTX) as executor:  # object
    for n, value in zip(range(N), executor.map(fib, range(N))):
        report.add(n, value)

if report.rows != [(0, 0), (1, 1), (2, 1), (3, 2)]:
    sys.exit("wrong")
