# needs: pyspark
"""A function that runs on the workers uses a lock of the driver."""
import threading

from pyspark.sql import SparkSession

if __name__ == "__main__":
    spark = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
    lock = threading.Lock()

    def double(x):
        with lock:
            return 2 * x

    print(spark.sparkContext.parallelize([1, 2]).map(double).collect())
