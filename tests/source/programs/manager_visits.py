import multiprocessing


class Coordinator:
    def __init__(self):
        self.manager = multiprocessing.Manager()  # object
        self.state = self.manager.dict()

    def visit(self, key, n):
        self.state[key] = n

    def run(self):
        context = multiprocessing.get_context("spawn")
        ps = [context.Process(target=self.visit, args=a) for a in [("a", 1), ("b", 2)]]
        for p in ps:
            p.start()
        for p in ps:
            p.join()
        return dict(sorted(self.state.items()))


if __name__ == "__main__":
    assert Coordinator().run() == {"a": 1, "b": 2}
