from app.jobs import JobRunner

if __name__ == "__main__":
    runner = JobRunner()
    assert runner.run(["ab", "cd"]) == ["ba", "dc"]
