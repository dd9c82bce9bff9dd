import ArgumentParser

/// What every command prints, or not; `travertine` has the same option.
struct OutputArguments: ParsableArguments {
    @Flag(
        name: .shortAndLong,
        help: "Print no summary and no progress, only results, warnings and errors.")
    var quiet = false
}
