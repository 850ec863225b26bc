from .errors import ApiError


def get_user(number):
    if number == 404:
        raise ApiError(number, "not found")
    return {"id": number}
