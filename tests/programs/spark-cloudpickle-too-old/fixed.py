# needs: pyspark>=3.4
"""The same program with a PySpark that knows this Python."""
from pyspark.sql import SparkSession

if __name__ == "__main__":
    spark = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
    print(spark.sparkContext.parallelize([1, 2]).map(lambda x: 2 * x).collect())
