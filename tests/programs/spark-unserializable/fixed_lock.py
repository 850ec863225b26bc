# needs: pyspark
"""The worker makes a lock of its own, once for each partition."""
from pyspark.sql import SparkSession


def double_all(rows):
    import threading

    lock = threading.Lock()
    for x in rows:
        with lock:
            yield 2 * x


if __name__ == "__main__":
    spark = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
    print(spark.sparkContext.parallelize([1, 2]).mapPartitions(double_all).collect())
