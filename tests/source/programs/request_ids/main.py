from concurrent.futures import ProcessPoolExecutor

from web.handlers import UserHandler


def main():
    handler = UserHandler()
    with ProcessPoolExecutor(1) as pool:
        assert pool.submit(handler.handle, "ann").result() == "hello ann"


if __name__ == "__main__":
    main()
