"""A method of a test case as the task."""
import unittest
from multiprocessing import Pool


class WorkTest(unittest.TestCase):  # object
    def work(self, n):
        return n + 1

    def test_work(self):
        with Pool(1) as pool:
            self.assertEqual(pool.map(self.work, [1]), [2])


if __name__ == "__main__":
    unittest.main()
