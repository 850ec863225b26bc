from concurrent.futures import ProcessPoolExecutor
import multiprocessing


def encode(word):
    return vocabulary.index(word)


def main():
    global vocabulary
    words = ["to", "be", "or", "not"]
    vocabulary = sorted(words)  # object
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(2, mp_context=context) as executor:
        assert list(executor.map(encode, words)) == [3, 0, 2, 1]


if __name__ == "__main__":
    main()
