import multiprocessing

from core.spider import Spider


def main():
    spider = Spider(["/a", "/bb"])
    pool = multiprocessing.Pool(processes=2)
    try:
        assert spider.crawl(pool) == [10, 11]
    finally:
        pool.close()
        pool.join()


if __name__ == "__main__":
    main()
