import queue


class Broker:
    def __init__(self, maxsize=0):
        self.maxsize = maxsize
        self.items = queue.Queue(maxsize)  # object

    def publish(self, item):
        self.items.put(item)

    def drain(self):
        while not self.items.empty():
            yield self.items.get()
