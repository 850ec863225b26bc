from core.pipeline import Pipeline
from core.settings import load


def main():
    settings = load()
    pipeline = Pipeline(settings)
    print(pipeline.run([1, 2, 3]))


if __name__ == "__main__":
    main()
