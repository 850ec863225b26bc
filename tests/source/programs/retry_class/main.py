import sys

from jobs.tasks import run_all


def main(argv):
    assert run_all([1, 2]) == ["ok:1", "ok:2"]
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
