"""The parent takes the end of the stream for the end of the work."""
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
    while True:
        try:
            print(ours.recv())
        except EOFError:
            break
    process.join()
    assert process.exitcode == 0, "the worker failed: %s" % process.exitcode
