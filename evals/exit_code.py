"""What an exit code means, and which error ends a command with which."""

from enum import IntEnum


class ExitCode(IntEnum):
    """The documented exit codes; pipelines rely on them."""

    DONE = 0  # pass
    REGRESSION = 1  # gate: criteria failed
    USAGE = 2
    INCONCLUSIVE = 3
    INVALID = 4  # not comparable, or an invalid run
    ENDPOINT_OR_DATA = 5
    INTERRUPTED = 130


# Errors that a command foresees, by the module that raises them. By name, so that this table imports nothing:
# a command must not wait for the libraries of another.
FORESEEN: dict[str, ExitCode] = {
    "tasks.spec.SpecError": ExitCode.USAGE,
    "evals.budget.BudgetError": ExitCode.USAGE,
    "evals.looks.declared_run.DeclarationError": ExitCode.USAGE,
    "tasks.rows.DataError": ExitCode.ENDPOINT_OR_DATA,
    "evals.endpoint.BaseUrlError": ExitCode.USAGE,
    "evals.fleet.endpoints_file.EndpointsFileError": ExitCode.USAGE,
    "evals.commands.campaign_file.CampaignError": ExitCode.USAGE,
    "evals.prompts.tokenizer_files.ChatTemplateError": ExitCode.ENDPOINT_OR_DATA,
    "evals.endpoint.EndpointError": ExitCode.ENDPOINT_OR_DATA,
    "evals.storage.journal.JournalError": ExitCode.ENDPOINT_OR_DATA,
    "reports.divergence.records.RecordError": ExitCode.INVALID,
    "evals.storage.object_store.StoreError": ExitCode.ENDPOINT_OR_DATA,
    "reports.log_members.LogError": ExitCode.INVALID,
    "reports.score_columns.ScoreFileError": ExitCode.INVALID,
    "reports.vendor_table.VendorReportError": ExitCode.USAGE,
    "reports.run_files.AmbiguousRunError": ExitCode.INVALID,
    "reports.comparability.NotComparableError": ExitCode.INVALID,
    "reports.report_reader.ReportFileError": ExitCode.INVALID,
    "reports.pairing.ScoreError": ExitCode.INVALID,
    "reports.pairing.NoCommonItemsError": ExitCode.INVALID,
}


def foreseen_code(error: BaseException) -> ExitCode | None:
    """Return the exit code of a foreseen error, ``None`` for one that is a bug."""
    for kind in type(error).__mro__:
        if code := FORESEEN.get(f"{kind.__module__}.{kind.__qualname__}"):
            return code
    return None


class CommandError(Exception):
    """A command that ends with one line of explanation and a documented exit code."""

    def __init__(self, message: str, code: ExitCode) -> None:
        super().__init__(message)
        self.code = code
