import multiprocessing as mp

from app import Application


def main():
    app = Application("ticks")
    app.start_ticker()
    try:
        with mp.get_context("spawn").Pool(1) as pool:
            assert pool.map(app.describe, [1]) == ["ticks 1"]
    finally:
        app.stop_ticker()


if __name__ == "__main__":
    main()
