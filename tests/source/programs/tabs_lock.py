import multiprocessing
import threading


class Counter(object):
	def __init__(self):
		self.n = 0
		self.lock = threading.Lock()  # object

	def bump(self, by):
		with self.lock:
			self.n += by
		return self.n


if __name__ == "__main__":
	c = Counter()
	pool = multiprocessing.Pool(1)
	print(pool.map(c.bump, [1]))
	pool.close()
	pool.join()
