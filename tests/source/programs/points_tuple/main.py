from multiprocessing import Pool

from geometry import Vertex, norm


def main():
    vertices = [Vertex(3, 4), Vertex(6, 8)]
    with Pool(2) as pool:
        assert pool.map(norm, vertices) == [5.0, 10.0]


if __name__ == "__main__":
    main()
