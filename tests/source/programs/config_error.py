from concurrent.futures import ProcessPoolExecutor


class AppError(Exception):
    code = 1

    def __init__(self, message, code):
        super().__init__(message)
        self.code = code


class ConfigError(AppError):
    def __init__(self, key, code, source):  # object
        self.source = source
        super().__init__("no %s" % key, code)
        self.key = key


def load(key):
    raise ConfigError(key, 7, "file")


def main():
    with ProcessPoolExecutor(1) as pool:
        try:
            pool.submit(load, "db").result()
        except ConfigError as e:
            assert (e.key, e.code, e.source, str(e)) == ("db", 7, "file", "no db")
        else:
            raise SystemExit("no error")


if __name__ == "__main__":
    main()
