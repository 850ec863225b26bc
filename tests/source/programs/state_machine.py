from concurrent.futures import ProcessPoolExecutor, as_completed


class Machine:
    START = "start"
    VALIDATORS = {"positive": lambda v: v > 0}

    def __init__(self, name):
        self.name = name
        self.state = self.START
        self.table = {
            "start": self.on_start,
            "middle": lambda value: ("end", value + 1),  # object
        }

    def on_start(self, value):
        return "middle", value * 2

    def feed(self, value):
        while self.state in self.table:
            self.state, value = self.table[self.state](value)
        return self.name, value


def main():
    machines = [Machine(n) for n in "ab"]
    results = {}
    with ProcessPoolExecutor() as executor:
        waiting = {executor.submit(m.feed, 1): m for m in machines}
        for future in as_completed(waiting):
            name, value = future.result()
            results[name] = value
    assert results == {"a": 3, "b": 3}


if __name__ == "__main__":
    main()
