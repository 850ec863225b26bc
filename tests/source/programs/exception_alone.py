from concurrent.futures import ProcessPoolExecutor


class Invalid(ValueError):
    def __init__(self, field, value, hint=None):  # object
        self.field = field
        self.value = value
        self.hint = hint

    def __str__(self):
        return f"{self.field}={self.value} ({self.hint})"


def check(n):
    if n > 1:
        raise Invalid(field="n", value=n, hint="small")
    return n


def main():
    with ProcessPoolExecutor(1) as pool:
        try:
            list(pool.map(check, [1, 3]))
            raise SystemExit("nothing was raised")
        except Invalid as err:
            assert (str(err), err.args, err.value) == ("n=3 (small)", (), 3)


if __name__ == "__main__":
    main()
