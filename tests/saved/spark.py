"""Maps pickfix over a folder of logs with PySpark in local mode, in the two ways that docs/logs.md shows.

Its argument is the folder; it prints one JSON object a line, those of the first way and those of the
second with the way as a word in front.
"""
import json
import os
import subprocess
import sys

try:
    from pyspark.sql import SparkSession
except ImportError:
    print("no pyspark")
    sys.exit(77)

folder = os.path.abspath(sys.argv[1])
spark = (
    SparkSession.builder.master("local[2]")
    .config("spark.ui.enabled", "false")
    .config("spark.driver.bindAddress", "127.0.0.1")
    .config("spark.driver.host", "127.0.0.1")
    .getOrCreate()
)
log_names = sorted(
    os.path.join(where, name) for where, _, names in os.walk(folder) for name in names
)

names = spark.sparkContext.parallelize(log_names, 7)
pickfix = r"xargs -r -d '\n' pickfix check --format jsonl --exit-zero"
for line in names.pipe(pickfix, env={"PATH": os.environ["PATH"]}, checkCode=True).collect():
    json.loads(line)
    print("names", line)


def failures(log):
    name, data = log
    command = ["pickfix", "check", "--format", "jsonl", "--exit-zero", "-"]
    lines = subprocess.run(command, input=bytes(data), stdout=subprocess.PIPE, check=True).stdout
    return [{**json.loads(line), "file": name} for line in lines.splitlines()]


pattern = "file://" + folder + "/*/*"
for failure in spark.sparkContext.binaryFiles(pattern, 5).flatMap(failures).collect():
    failure["file"] = failure["file"].replace("file:", "", 1)
    print("texts", json.dumps(failure))
spark.stop()
