"""The worker ends before it has sent what the parent waits for."""
import multiprocessing
import sys

METHOD = sys.argv[1] if len(sys.argv) > 1 else "spawn"


def work(connection):
    connection.send(1)
    connection.close()


if __name__ == "__main__":
    context = multiprocessing.get_context(METHOD)
    ours, theirs = context.Pipe()
    process = context.Process(target=work, args=(theirs,))
    process.start()
    theirs.close()
    print(ours.recv())
    print(ours.recv())
    process.join()
