"""What a shell offers for names behind a command."""

import pytest
from click.shell_completion import ShellComplete

from evals.cli import cli


@pytest.mark.parametrize(
    ("words", "begun", "offered"),
    [
        (["run"], "gp", ["gpqa_diamond"]),
        (["run"], "", ["smoke", "aime25", "gpqa_diamond", "ocrbench", "mmmu_pro", "k2_tool_calls"]),
        (["plan", "aime25"], "mm", ["mmmu_pro"]),
        (["score"], "k2", ["k2_tool_calls"]),
        (["compare", "a", "b", "--task"], "o", ["ocrbench"]),
        (["run", "aime25", "--preset"], "nv", ["nvidia"]),
        (["run", "mmmu_pro", "--variant"], "vis", ["vision"]),
        (["run"], "nothing", []),
    ],
)
def test_names_are_completed(words, begun, offered):
    found = ShellComplete(cli, {}, "quantcheck", "_QUANTCHECK_COMPLETE").get_completions(words, begun)
    assert [item.value for item in found] == offered
