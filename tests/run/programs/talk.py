"""A bar, a prompt, a password, colours."""
import getpass
import sys
import time

print("\x1b[1;31mred\x1b[0m and \x1b[38;5;42mgreen\x1b[0m")
for n in range(0, 101, 5):
    sys.stderr.write("\r%3d%%|%-20s|" % (n, "#" * (n // 5)))
    sys.stderr.flush()
    time.sleep(0.01)
sys.stderr.write("\n")
name = input("Name: ")
secret = getpass.getpass()
print("hello", name, len(secret))
print("bye")
sys.exit(7)
