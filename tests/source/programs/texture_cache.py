import weakref
from multiprocessing import Pool


class Texture:
    def __init__(self, n):
        self.n = n


class Renderer:
    def __init__(self):
        self._cache = weakref.WeakValueDictionary()  # object

    def texture(self, n):
        t = self._cache.get(n)
        if t is None:
            t = self._cache[n] = Texture(n)
        return t

    def draw(self, n):
        return self.texture(n).n


if __name__ == "__main__":
    with Pool(2) as pool:
        assert pool.map(Renderer().draw, [1, 2]) == [1, 2]
