# needs: pyspark
"""The function that runs on the workers uses plain values."""
from pyspark.sql import SparkSession

if __name__ == "__main__":
    spark = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
    sc = spark.sparkContext
    count = sc.parallelize([5]).count()
    print(sc.parallelize([1, 2]).map(lambda x: count * x).collect())
