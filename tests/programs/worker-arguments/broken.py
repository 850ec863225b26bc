"""`map` gives each tuple as one argument."""
import multiprocessing


def area(width, height):
    return width * height


if __name__ == "__main__":
    items = [(1, 2), (3, 4)]
    with multiprocessing.Pool(2) as pool:
        print(pool.map(area, items))
