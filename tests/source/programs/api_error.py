import multiprocessing as mp


class ApiError(Exception):
    def __init__(self, status, url, detail=None):  # object
        message = "%d for %s" % (status, url)
        super(ApiError, self).__init__(message)
        self.status = status
        self.url = url


def call(url):
    raise ApiError(503, url)


def main():
    pool = mp.Pool(1)
    job = pool.apply_async(call, ("/x",))
    try:
        job.get(timeout=5)
    except ApiError as e:
        assert e.status == 503
        print("ok")
    pool.terminate()


if __name__ == "__main__":
    main()
