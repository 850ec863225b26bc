from multiprocessing import Pool

from scene import Scene, bounding_box


def build():
    scene = Scene()
    root = scene.root
    for n in range(2):
        root.add("child%d" % n, size=n + 1)
    return scene


if __name__ == "__main__":
    scene = build()
    with Pool(2) as pool:
        assert pool.map(bounding_box, [scene]) == [3]
