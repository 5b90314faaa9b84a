"""Every command by name: where it lives, and what a reader is told of it before it is run."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One command: the module that holds it, its usual arguments, one line of help, its page in docs/."""

    module: str
    text: str
    usage: str = ""
    page: str | None = None


# A module is imported only when its command is run, so that --help and compare never wait for Inspect. README's
# table and docs/commands.md are made of this one and of the commands' own help (evals.reference).
COMMANDS: dict[str, Entry] = {
    "list": Entry(module="evals.flags.list_tasks", text="Show the tasks, presets and budgets."),
    "check": Entry(
        module="evals.flags.check",
        usage="--base-url URL",
        text="Probe an endpoint before a run: what works, what to change.",
        page="troubleshooting.md",
    ),
    "plan": Entry(
        module="evals.flags.plan",
        usage="TASK...",
        text="Show requests, tokens, time, and what the budget can decide, before spending it.",
        page="statistics.md",
    ),
    "run": Entry(
        module="evals.flags.run",
        usage="TASK --base-url URL",
        text="Run one task against one endpoint; run again to resume.",
        page="tasks.md",
    ),
    "score": Entry(
        module="evals.flags.score",
        usage="TASK FILE",
        text="Grade responses recorded elsewhere with a task's verifier.",
        page="tasks.md",
    ),
    "campaign": Entry(
        module="evals.flags.campaign",
        usage="run FILE",
        text="Run checkpoints x tasks from one file and compare them.",
        page="fleet.md",
    ),
    "compare": Entry(
        module="evals.flags.compare",
        usage="BASELINE CANDIDATE",
        text="Compare two checkpoints: delta, interval, verdict, report.html.",
        page="comparing.md",
    ),
    "gate": Entry(
        module="evals.flags.gate",
        usage="--policy FILE ...",
        text="Judge a candidate by a policy file; fails closed; junit.xml.",
        page="gate.md",
    ),
    "policy": Entry(
        module="evals.flags.policy", usage="init", text="Write a commented policy file.", page="gate.md"
    ),
    "report": Entry(
        module="evals.flags.report",
        usage="DIR",
        text="Render a report.json again as HTML, markdown or JUnit, without the logs.",
        page="report.md",
    ),
    "export": Entry(
        module="evals.flags.export",
        usage="RUN",
        text="Write the score table of a run: one row a response.",
    ),
    "divergence": Entry(
        module="evals.flags.divergence",
        usage="--baseline URL --candidate URL --from RUN",
        text="Show how far a candidate's token probabilities moved, in minutes.",
        page="divergence.md",
    ),
    "speed": Entry(
        module="evals.flags.speed",
        usage="RUN...",
        text="Show speed and cost beside accuracy, for one run or several.",
        page="speed.md",
    ),
    "trend": Entry(
        module="evals.flags.trend",
        usage="DIR",
        text="Show accuracy over many runs: drift, slope, server versions.",
        page="trend.md",
    ),
    "verify": Entry(
        module="evals.flags.verify",
        usage="--base-url URL --profile P",
        text="Qualify endpoints by the vendor contract, and tool calls by a reference.",
        page="verify.md",
    ),
    "data": Entry(
        module="evals.flags.data", text="Show which data each task uses; verify it.", page="tasks.md"
    ),
    "simulate": Entry(
        module="evals.flags.simulate",
        text="Serve a simulated checkpoint with a known truth and faults on request.",
    ),
    "demo": Entry(module="evals.flags.demo", text="Run the main job against two simulated checkpoints."),
    "demo-real": Entry(
        module="evals.flags.demo_real",
        text="Quantize real weights here, run smoke on each variant, compare; no GPU.",
        page="real_weights.md",
    ),
}
