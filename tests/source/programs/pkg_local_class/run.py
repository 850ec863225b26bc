import multiprocessing

from shapes import make_shapes, area


def main():
    with multiprocessing.Pool(2) as pool:
        print(sum(pool.map(area, make_shapes(3))))


if __name__ == "__main__":
    main()
