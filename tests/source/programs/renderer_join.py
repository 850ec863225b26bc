from multiprocessing.pool import Pool


class Renderer:
    def __init__(self, workers):
        self.pool = Pool(workers)

    def render(self, frames):
        return [self.pool.apply_async(draw, (f,)) for f in frames]

    def finish(self):
        self.pool.join()  # object


def draw(frame):
    return frame * frame


if __name__ == "__main__":
    renderer = Renderer(2)
    jobs = renderer.render(range(4))
    renderer.finish()
    assert [j.get() for j in jobs] == [0, 1, 4, 9]
