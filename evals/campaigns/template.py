"""The text of a first campaign file: commented, and valid as it stands."""

TEMPLATE = """\
# Campaign of quantcheck: every checkpoint on every task, then each candidate against the baseline.
# quantcheck campaign run THIS        the same command again resumes
# Keys are the flags of `quantcheck run` with _ for -. Unknown keys are errors. Paths are relative to where
# the command is called.
schema = 1
baseline = "int4"           # the checkpoint that the others are compared with
runs_dir = "runs"
out = "campaign"            # campaign.json, and a report for each candidate
# parallel = 1              # runs at a time; else as many as there are different endpoints
confidence = 0.95
allow_mismatch = []         # protocol fields that may differ between checkpoints; better none

[run]                       # of every run; tasks and checkpoints may say otherwise
seed = 0
max_connections = 64
# max_error_rate = 0.0
# thinking = true

[tasks.aime25]
# epochs = 32
# margin = 0.014            # the largest tolerated loss; else the task's default

[tasks.gpqa_diamond]
# presets = ["sglang"]      # each preset is a run of its own; else the first

[checkpoints.int4]
base_url = "http://127.0.0.1:8000/v1"
# base_url = ["http://n1:8000", "http://n2:8000"]    # replicas of one checkpoint
# endpoints_file = "int4.txt"                        # the same, one URL a line
# runs = "baselines/int4"                            # or runs made before: nothing is asked
# model = "moonshotai/Kimi-K2.6"
# api_key_env = "OPENAI_API_KEY"
# think_mode = "opensource"

[checkpoints.nvfp4]
base_url = "http://127.0.0.1:8001/v1"
"""
