# needs: torch
"""The terminal that torchrun was started from is closed."""
import os
import signal
import subprocess
import sys
import tempfile
import time

import torch.distributed as dist


def rank(started):
    dist.init_process_group("gloo")
    open(started + os.environ["RANK"], "w").close()
    time.sleep(3)
    dist.destroy_process_group()


def terminal(new_session):
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    with tempfile.TemporaryDirectory() as folder:
        started = os.path.join(folder, "rank")
        command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc_per_node", "2"]
        launcher = subprocess.Popen(command + [__file__, started], start_new_session=new_session)
        deadline = time.monotonic() + 60
        while len(os.listdir(folder)) < 2 and launcher.poll() is None and time.monotonic() < deadline:
            time.sleep(0.1)
        os.killpg(os.getpgrp(), signal.SIGHUP)
        sys.exit(launcher.wait())


if __name__ == "__main__":
    if "RANK" in os.environ:
        rank(sys.argv[1])
    elif sys.argv[1:] == ["terminal"]:
        terminal(new_session=False)
    else:
        os.environ["OMP_NUM_THREADS"] = "1"
        sys.exit(subprocess.run([sys.executable, __file__, "terminal"], start_new_session=True).returncode)
