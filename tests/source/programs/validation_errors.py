import sys
from concurrent.futures import ProcessPoolExecutor


class AppError(Exception):
    code = 500


class ValidationError(AppError):
    code = 422

    def __init__(self, field, reason, *, value=None):  # object
        super().__init__(f"{field}: {reason}")
        self.field = field
        self.reason = reason
        self.value = value


def validate(row):
    if not row["email"].count("@") == 1:
        raise ValidationError("email", "not an address", value=row["email"])
    return row["email"].lower()


def main(rows):
    bad = []
    with ProcessPoolExecutor(2) as pool:
        futures = [pool.submit(validate, r) for r in rows]
        for future in futures:
            try:
                print(future.result())
            except ValidationError as error:
                bad.append(error.field)
    return bad


if __name__ == "__main__":
    bad = main([{"email": "A@b.c"}, {"email": "nobody"}])
    sys.exit(bad != ["email"])
