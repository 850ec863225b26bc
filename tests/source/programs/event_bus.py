import logging
import multiprocessing

logging.basicConfig()
log = logging.getLogger("bus")


class EventBus:
    def __init__(self):
        self._handlers = {}

    def subscribe(self, event, handler):
        self._handlers.setdefault(event, []).append(handler)

    def publish(self, event, payload):
        for handler in self._handlers.get(event, []):
            handler(payload)


class Service:
    def __init__(self, bus):
        self.bus = bus
        self.seen = []
        self.bus.subscribe("done", lambda item: self.seen.append(item))  # object

    def handle(self, item):
        self.bus.publish("done", item)
        return len(self.seen)

    def handle_all(self, items):
        with multiprocessing.Pool(2) as pool:
            return pool.map(self.handle, items, chunksize=1)


def main():
    service = Service(EventBus())
    assert all(n >= 1 for n in service.handle_all([1, 2]))


if __name__ == "__main__":
    main()
