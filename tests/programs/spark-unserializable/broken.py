# needs: pyspark
"""A function that runs on the workers uses the SparkContext."""
from pyspark.sql import SparkSession

if __name__ == "__main__":
    spark = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
    sc = spark.sparkContext
    print(sc.parallelize([1, 2]).map(lambda x: sc.parallelize([x]).count()).collect())
