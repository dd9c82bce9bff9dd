import ArgumentParser

/// The option that names an earlier commit to read.
struct CommitArgument: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            Read the newest commit with this log sequence number or an earlier one, if the log \
            still has it. `tail` and `stat` print the numbers. (default: the newest)
            """, valueName: "lsn"))
    var asOf: UInt64?
}
