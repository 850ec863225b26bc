"""The parent is killed before it has sent anything to its new child."""
import multiprocessing
import os
import signal
from multiprocessing import popen_spawn_posix, resource_tracker, util


def start_and_die(*args):
    spawn(*args)
    os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    resource_tracker.ensure_running()
    spawn, popen_spawn_posix.util.spawnv_passfds = util.spawnv_passfds, start_and_die
    multiprocessing.get_context("spawn").Process(target=print, args=("sent",)).start()
