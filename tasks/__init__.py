"""The benchmarks: dataset, prompt and protocol; one file each, plus what they share."""
