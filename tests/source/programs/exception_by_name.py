import multiprocessing


class ValidationError(Exception):
    def __init__(self, message, *, field, value):  # object
        super().__init__(message)
        self.field = field
        self.value = value


def validate(row):
    if row["age"] < 0:
        raise ValidationError("negative", field="age", value=row["age"])
    return row


def main():
    with multiprocessing.Pool(2) as pool:
        res = pool.map_async(validate, [{"age": 4}, {"age": -1}])
        try:
            res.get(timeout=10)
            raise SystemExit("nothing was raised")
        except ValidationError as err:
            assert (err.field, err.value, str(err)) == ("age", -1, "negative")


if __name__ == "__main__":
    main()
