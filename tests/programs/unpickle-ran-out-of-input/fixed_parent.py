"""The parent lives until its child has everything."""
import multiprocessing

if __name__ == "__main__":
    process = multiprocessing.get_context("spawn").Process(target=print, args=("sent",))
    process.start()
    process.join()
