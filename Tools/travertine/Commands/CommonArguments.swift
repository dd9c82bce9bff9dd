import ArgumentParser

/// The options of every command for a store.
struct CommonArguments: ParsableArguments {
    @Flag(
        name: .shortAndLong,
        help: "Print no summary and no progress, only results, warnings and errors.")
    var quiet = false

    @OptionGroup var key: KeyArguments

    mutating func validate() throws {
        if quiet { Messages.turnOff() }
    }
}
