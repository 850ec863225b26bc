from concurrent.futures import ProcessPoolExecutor

from client.api import get_user
from client.errors import ApiError


def main():
    with ProcessPoolExecutor(1) as pool:
        future = pool.submit(get_user, 404)
        try:
            future.result()
        except ApiError as error:
            assert error.status == 404
            print("no such user")


if __name__ == "__main__":
    main()
