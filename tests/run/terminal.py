"""Runs programs in a real terminal (tmux), with and without `pickfix run`, and compares the screens.

    python3 tests/run/terminal.py target/debug/pickfix [NAME...]

Needs tmux and the shells; what is missing is said and skipped. Standard library only.
"""
import concurrent.futures
import os
import pty
import re
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAMS = os.path.join(HERE, "programs")
PATIENCE = 120


class Failed(Exception):
    pass


class Terminal:
    """A shell in a tmux window of its own server."""

    def __init__(self, folder, columns=100, rows=30, shell="bash --norc --noprofile", env=(), prompt=""):
        self.folder = folder
        self.tmux("-f", "/dev/null", "new-session", "-d", "-s", "t", "-c", folder, "-x", str(columns), "-y", str(rows),
                  "env", "PS1=$ ", "LC_ALL=C.UTF-8", "TERM=screen-256color", "HISTFILE=", *env, *shell.split())
        self.tmux("set", "-g", "status", "off")
        if prompt is None:
            time.sleep(0.5)
        else:
            self.wait("$")

    def tmux(self, *words):
        done = subprocess.run(["tmux", "-S", os.path.join(self.folder, "tmux"), *words],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=PATIENCE)
        return done.stdout.decode("utf-8", "replace")

    def type(self, *keys):
        self.tmux("send-keys", "-t", "t", *keys)

    def line(self, text):
        self.tmux("send-keys", "-t", "t", "-l", text)
        self.type("Enter")

    def screen(self, colours=False):
        text = self.tmux("capture-pane", "-p", "-t", "t", *(["-e"] if colours else []))
        return text.rstrip("\n")

    def wait(self, text, count=1):
        """Waits until the screen shows a text so often."""
        end = time.time() + PATIENCE
        while time.time() < end:
            if self.screen().count(text) >= count:
                return
            time.sleep(0.05)
        raise Failed(f"{text!r} did not come, {count} times; the screen is\n{self.screen()}")

    def empty(self):
        """Waits until the screen shows nothing but the prompt."""
        end = time.time() + PATIENCE
        while self.screen().strip() != "$":
            if time.time() > end:
                raise Failed(f"the screen was not cleared:\n{self.screen()}")
            time.sleep(0.05)

    def settle(self):
        """Waits until the screen has not changed for a while."""
        before, same = None, 0
        while same < 4:
            now = self.screen(colours=True)
            same = same + 1 if now == before else 0
            before = now
            time.sleep(0.08)
        return before

    def resize(self, columns, rows):
        self.tmux("resize-window", "-t", "t", "-x", str(columns), "-y", str(rows))

    def close(self):
        self.tmux("kill-server")


def both(steps, **how):
    """Takes the same steps without and with pickfix; gives both lists of screens."""
    seen = []
    for before in ("env ", RUN):
        folder = tempfile.mkdtemp()
        terminal = Terminal(folder, **how)
        screens = []
        try:
            terminal.line(f"alias p='{before}'")
            terminal.line("clear; stty -a | sed 1d > stty.before")
            terminal.empty()
            terminal.tmux("clear-history", "-t", "t")
            steps(terminal, lambda: screens.append(terminal.settle()))
            terminal.settle()
            terminal.line("stty -a | sed 1d > stty.after; cmp stty.before stty.after && echo restored")
            terminal.wait("restored", 2)
        finally:
            terminal.close()
            shutil.rmtree(folder, ignore_errors=True)
        seen.append(screens)
    return seen


def same(steps, tries=3, **how):
    """Compares the screens; on a busy machine a screen may be looked at too early, so tries again."""
    bare, run = both(steps, **how)
    assert bare and len(bare) == len(run)
    for number, (a, b) in enumerate(zip(bare, run)):
        if a != b and tries == 1:
            raise Failed(f"screen {number} without pickfix:\n{a}\n\nand with it:\n{b}")
    if bare != run:
        same(steps, tries - 1, **how)


def program(name):
    return f"python3 {os.path.join(PROGRAMS, name)}"


# Each function is a test; its name is a claim.


def a_program_with_bar_prompt_password_and_colours_looks_the_same():
    def steps(terminal, look):
        terminal.line("p " + program("talk.py"))
        terminal.wait("Name:")
        look()
        terminal.line("Ada")
        terminal.wait("Password:")
        terminal.line("secret")
        terminal.wait("bye")
        terminal.settle()
        look()
        assert "secret" not in terminal.screen()
        terminal.line("echo status $?")
        terminal.wait("status 7")
        look()

    same(steps)


def a_change_of_the_window_reaches_the_program():
    def steps(terminal, look):
        terminal.line("p " + program("size.py"))
        terminal.wait("100x30")
        terminal.resize(60, 20)
        terminal.wait("60x20")
        terminal.resize(90, 25)
        terminal.wait("90x25")
        look()
        terminal.type("C-c")
        terminal.wait("over")

    same(steps)


def ctrl_z_stops_the_program_and_fg_goes_on_with_it():
    def steps(terminal, look):
        terminal.line("p " + program("ask.py"))
        terminal.wait("first:")
        terminal.type("C-z")
        terminal.wait("Stopped")
        terminal.line("stty -a | sed 1d > stty.stopped; cmp stty.before stty.stopped && echo shell is itself")
        terminal.wait("shell is itself", 2)
        terminal.line("fg")
        terminal.settle()
        terminal.line("one")
        terminal.wait("second:")
        terminal.type("C-z")
        terminal.wait("Stopped", 2)
        terminal.line("fg %1")
        terminal.settle()
        terminal.line("two")
        terminal.wait("one and two")
        terminal.settle()
        terminal.line("echo status $?")
        terminal.wait("status 0")

    both(steps)


def a_job_in_the_background_prints_and_stops_when_it_reads():
    def steps(terminal, look):
        terminal.line("p " + program("ask.py") + " &")
        terminal.wait("first:")
        terminal.settle()
        terminal.line("")
        terminal.wait("Stopped")
        terminal.line("fg")
        terminal.settle()
        terminal.line("one")
        terminal.wait("second:")
        terminal.line("two")
        terminal.wait("one and two")

    both(steps)


def ctrl_c_and_ctrl_backslash_end_it_as_without():
    def steps(terminal, look):
        for key, status in (("C-c", 130), ("C-\\", 131)):
            terminal.line("clear")
            terminal.line("p " + program("sleep.py"))
            terminal.wait("sleeping")
            terminal.type(key)
            terminal.settle()
            terminal.line("echo status $?")
            terminal.wait(f"status {status}")
            look()

    same(steps, rows=40)


def a_loop_of_the_shell_ends_with_ctrl_c():
    def steps(terminal, look):
        terminal.line(f"for n in 1 2 3; do p {program('sleep.py')}; done")
        terminal.wait("sleeping")
        terminal.type("C-c")
        terminal.settle()
        terminal.line("echo after")
        terminal.wait("after", 2)
        assert terminal.screen().count("sleeping") == 1, terminal.screen()

    both(steps)


def the_debugger_works():
    def steps(terminal, look):
        terminal.line("p " + program("debug.py"))
        terminal.wait("(Pdb)")
        terminal.line("p x")
        terminal.wait("41")
        terminal.type("x", " ", "=", " ", "5", "BSpace", "6", "Left", "4", "Enter")
        terminal.wait("(Pdb)", 3)
        terminal.line("c")
        terminal.wait("x is 46")
        look()

    same(steps)


def vim_draws_the_same_and_its_text_is_not_read():
    def steps(terminal, look):
        terminal.line(f"cp {os.path.join(PROGRAMS, 'traceback.txt')} . && clear")
        terminal.settle()
        terminal.line("p vim -u NONE -i NONE -n traceback.txt")
        terminal.wait("TypeError")
        look()
        terminal.type("i", "new", "Escape")
        terminal.settle()
        terminal.resize(80, 24)
        look()
        terminal.line(":wq")
        # The prompt behind the command that was typed: what is typed ahead of the end is lost.
        terminal.wait("$", 2)
        terminal.line("head -c3 traceback.txt; echo")
        terminal.wait("new")
        look()

    needs("vim")
    same(steps)


def less_draws_the_same():
    def steps(terminal, look):
        terminal.line(f"p less {os.path.join(PROGRAMS, 'talk.py')}")
        terminal.wait("import")
        terminal.type("Space")
        look()
        terminal.type("q")
        look()

    needs("less")
    same(steps, rows=12)


def an_annotation_waits_until_the_full_screen_is_left():
    terminal = Terminal(tempfile.mkdtemp())
    try:
        terminal.line(f"clear; {RUN}{program('full_screen.py')}")
        terminal.wait("full screen")
        time.sleep(0.5)
        assert "pickfix:" not in terminal.screen(), terminal.screen()
        terminal.type("Enter")
        terminal.wait("▎ pickfix: a lock cannot be copied")
        terminal.wait("left")
    finally:
        terminal.close()


def an_annotation_comes_above_a_bar_which_goes_on_below():
    terminal = Terminal(tempfile.mkdtemp(), rows=45)
    try:
        terminal.line(f"clear; {RUN}{program('bar.py')}")
        terminal.wait("100%")
        screen = terminal.screen()
        assert screen.count("▎ pickfix:") == 2, screen
        assert "▎⏎" not in screen, screen
        lines = [line for line in screen.splitlines() if "%" in line]
        assert len(lines) == 1, screen
        assert screen.index("same failure again") < screen.index("100%"), screen
    finally:
        terminal.close()


def an_annotation_has_whole_lines_on_a_terminal_without_a_size():
    pid, fd = pty.fork()
    if pid == 0:
        code = "import pickle, threading; pickle.dumps(threading.Lock())"
        os.execv(PICKFIX, [PICKFIX, "run", "--no-state", sys.executable, "-c", code])
    text = b""
    try:
        while chunk := os.read(fd, 65536):
            text += chunk
    except OSError:
        pass
    os.close(fd)
    os.waitpid(pid, 0)
    assert "▎".encode() in text and text.count(b"\n") == text.count(b"\r\n"), text


def a_signal_sent_to_pickfix_reaches_the_program():
    def steps(terminal, look):
        for signal in ("TERM", "HUP", "USR1", "INT"):
            terminal.line("clear")
            terminal.line("p " + program("signals.py"))
            terminal.wait("ready")
            pid = int(re.search(r"parent (\d+)", terminal.screen()).group(1))
            subprocess.run(["kill", f"-{signal}", str(target(pid, terminal))], check=True)
            terminal.wait(f"got {signal}")
            terminal.settle()
            terminal.line("echo status $?")
            terminal.wait("status 5")

    both(steps)


def target(parent, terminal):
    """Whom a user would send a signal: pickfix, the parent of the session's leader, or the program."""
    with open(f"/proc/{parent}/comm") as comm:
        if comm.read().strip() != "pickfix":
            return int(re.search(r"own (\d+)", terminal.screen()).group(1))
    return pickfix_of(parent)


def pickfix_of(leader):
    with open(f"/proc/{leader}/stat") as stat:
        return int(stat.read().rpartition(")")[2].split()[1])


def the_terminal_is_itself_after_pickfix_is_killed():
    folder = tempfile.mkdtemp()
    terminal = Terminal(folder)
    try:
        terminal.line("clear; stty -a > stty.before")
        terminal.line(f"{RUN}{program('signals.py')}")
        terminal.wait("ready")
        parent = int(re.search(r"parent (\d+)", terminal.screen()).group(1))
        subprocess.run(["kill", "-KILL", str(pickfix_of(parent))], check=True)
        terminal.wait("Killed")
        terminal.settle()
        terminal.line("stty -a > stty.after; cmp stty.before stty.after && echo restored")
        terminal.wait("restored", 2)
    finally:
        terminal.close()


def what_is_left_behind_does_not_hold_the_terminal():
    terminal = Terminal(tempfile.mkdtemp())
    try:
        terminal.line(f"clear; {RUN}sh -c 'sleep 40 & echo started $!'; echo status $?")
        start = time.time()
        terminal.wait("status 0", 1)
        assert time.time() - start < 5
        terminal.wait("what it left running still holds its output: sleep")
        sleeper = int(re.search(r"started (\d+)", terminal.screen()).group(1))
        os.kill(sleeper, 0)  # It lives on, as it does without pickfix.
        os.kill(sleeper, 9)
    finally:
        terminal.close()


ENDINGS = [
    "true", "false", "exit 2", "exit 42", "exit 126", "exit 127", "exit 255",
    "kill -TERM $$", "kill -KILL $$", "kill -HUP $$", "kill -INT $$", "kill -QUIT $$", "kill -SEGV $$",
    "kill -BUS $$", "kill -ABRT $$", "kill -FPE $$", "kill -PIPE $$", "kill -USR1 $$", "kill -ALRM $$",
    "exec no-such-command", "exec /etc/passwd",
]


def twenty_endings_have_the_status_of_the_bare_command():
    seen = []
    for run in ("env ", RUN):
        terminal = Terminal(tempfile.mkdtemp(), rows=100)
        try:
            terminal.line(f"alias p='{run}'; ulimit -c 0; PS1='status $? '")
            terminal.wait("status 0")
            terminal.settle()
            for number, ending in enumerate(ENDINGS, 3):
                terminal.line(f"p sh -c '{ending}' 2>&1")
                terminal.wait("status ", number)
            seen.append(re.findall(r"^status (\d+)", terminal.screen(), re.M)[1:])
        finally:
            terminal.close()
    bare, with_pickfix = seen
    assert bare == with_pickfix and len(bare) == len(ENDINGS), (bare, with_pickfix)


SHELLS = {
    "bash": ("bash --norc --noprofile", 'eval "$(pickfix init bash{})"', "$?"),
    "zsh": ("zsh -f", 'eval "$(pickfix init zsh{})"', "$?"),
    "fish": ("fish --no-config", "pickfix init fish{} | source", "$status"),
}


def in_shell(shell, options=""):
    command, init, status = SHELLS[shell]
    needs(shell)
    folder = tempfile.mkdtemp()
    path = os.path.dirname(PICKFIX) + ":" + os.environ["PATH"]
    terminal = Terminal(folder, rows=50, shell=command, prompt="" if shell == "bash" else None,
                        env=("PATH=" + path, "XDG_STATE_HOME=" + folder, "PYTHONSTARTUP="))
    if shell == "fish":
        terminal.line("function fish_prompt; echo '$ '; end")
    elif shell == "zsh":
        terminal.line("PS1='$ '")
    terminal.settle()
    terminal.line(init.format(options))
    terminal.settle()
    return terminal, status


def wrapped_in(shell):
    """The wrapper of `pickfix init`: what is wrapped, what is not, and with which status."""
    terminal, status = in_shell(shell)
    fails = program("fails.py")
    try:
        steps = [
            (fails, "▎ pickfix: a lock cannot", "status 1"),
            ("command " + fails, None, "status 1"),
            (fails + " 2>&1 | cat", None, "status"),
            (f"python3 -u -W ignore {os.path.join(PROGRAMS, 'fails.py')}", "▎ pickfix: a lock cannot", "status 1"),
            ("python3 -c 'import sys; print(sys.stdout.isatty()); sys.exit(9)'", "True", "status 9"),
            ("python3 -c 'import os; os.kill(os.getpid(), 15)'", None, "status 143"),
            ("python3 no-such-file.py", "No such file", "status 2"),
        ]
        for line, shown, end in steps:
            terminal.line("clear")
            terminal.settle()
            terminal.line(line)
            terminal.settle()
            if shown:
                terminal.wait(shown)
            else:
                assert "▎" not in terminal.screen(), terminal.screen()
            terminal.line(f"echo status {status}")
            terminal.wait(end, 2 if end == "status" else 1)
        # A session is not wrapped: its parent is the shell.
        terminal.line("clear")
        terminal.settle()
        for line in ("python3", "python3 -i -c 'x = 1'"):
            terminal.line(line)
            terminal.wait(">>>")
            terminal.line("import os; print('parent', open(f'/proc/{os.getppid()}/comm').read())")
            terminal.wait("parent " + shell)
            terminal.line("exit()")
            terminal.settle()
            terminal.line("clear")
            terminal.settle()
        # A virtual environment that is activated afterwards is the one that is used.
        terminal.line(f"python3 -m venv --without-pip {terminal.folder}/venv && echo made")
        terminal.wait("made", 2)
        terminal.line(f". {terminal.folder}/venv/bin/activate" + (".fish" if shell == "fish" else ""))
        terminal.settle()
        terminal.line("python3 -c 'import sys; print(\"prefix\", sys.prefix)'")
        terminal.wait(f"prefix {terminal.folder}/venv")
    finally:
        terminal.close()


def the_wrapper_works_in_bash():
    wrapped_in("bash")


def the_wrapper_works_in_zsh():
    wrapped_in("zsh")


def the_wrapper_works_in_fish():
    wrapped_in("fish")


def the_wrapper_with_a_pipe_keeps_the_status():
    for shell in SHELLS:
        terminal, status = in_shell(shell, " --pipe")
        try:
            terminal.line(program("fails.py"))
            terminal.wait("▎ pickfix: a lock cannot")
            terminal.settle()
            terminal.line(f"echo status {status}")
            terminal.wait("status 1")
        finally:
            terminal.close()


def the_wrapper_stays_out_of_scripts():
    for shell, (command, init, _) in SHELLS.items():
        if not shutil.which(shell):
            continue
        path = os.path.dirname(PICKFIX) + ":" + os.environ["PATH"]
        script = init.format("") + f"; type _pickfix_wrap && echo wrapped; {program('fails.py')}"
        done = subprocess.run([*command.split(), "-c", script], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, env={**os.environ, "PATH": path})
        text = done.stdout.decode()
        assert "TypeError" in text and "▎" not in text and "wrapped" not in text, (shell, text)
        assert done.returncode == 1, shell


def needs(name):
    if not shutil.which(name):
        raise Skipped(name)


class Skipped(Exception):
    pass


def main():
    global PICKFIX, RUN
    PICKFIX = os.path.abspath(sys.argv[1])
    RUN = f"{PICKFIX} run --no-state "
    if not shutil.which("tmux"):
        print("SKIPPED: there is no tmux here")
        return 0
    wanted = sys.argv[2:]
    chosen = [t for t in TESTS if not wanted or any(word in t.__name__ for word in wanted)]
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        results = list(pool.map(result, chosen))
    return 0 if all(results) else 1


def result(test, tries=2):
    """Runs a test, again if it fails, and says how it went; returns whether it holds.

    The shell, tmux and the program each take their time, and on a busy machine a key comes too early.
    """
    start = time.time()
    try:
        test()
        print(f"ok      {test.__name__} ({time.time() - start:.1f} s)", flush=True)
    except Skipped as missing:
        print(f"SKIPPED {test.__name__}: there is no {missing} here", flush=True)
    except (Failed, AssertionError, AttributeError) as error:
        if tries > 1:
            return result(test, tries - 1)
        print(f"FAILED  {test.__name__}\n{error}\n", flush=True)
        return False
    return True


TESTS = [
    a_program_with_bar_prompt_password_and_colours_looks_the_same,
    a_change_of_the_window_reaches_the_program,
    ctrl_z_stops_the_program_and_fg_goes_on_with_it,
    a_job_in_the_background_prints_and_stops_when_it_reads,
    ctrl_c_and_ctrl_backslash_end_it_as_without,
    a_loop_of_the_shell_ends_with_ctrl_c,
    the_debugger_works,
    vim_draws_the_same_and_its_text_is_not_read,
    less_draws_the_same,
    an_annotation_waits_until_the_full_screen_is_left,
    an_annotation_comes_above_a_bar_which_goes_on_below,
    an_annotation_has_whole_lines_on_a_terminal_without_a_size,
    a_signal_sent_to_pickfix_reaches_the_program,
    the_terminal_is_itself_after_pickfix_is_killed,
    what_is_left_behind_does_not_hold_the_terminal,
    twenty_endings_have_the_status_of_the_bare_command,
    the_wrapper_works_in_bash,
    the_wrapper_works_in_zsh,
    the_wrapper_works_in_fish,
    the_wrapper_with_a_pipe_keeps_the_status,
    the_wrapper_stays_out_of_scripts,
]

if __name__ == "__main__":
    sys.exit(main())
