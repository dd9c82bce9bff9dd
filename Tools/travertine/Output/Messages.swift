import ArgumentParser
import Synchronization

/// Whether messages about what was done are wanted. Errors and warnings always are.
enum Messages {
    private static let isQuiet = Atomic(false)

    /// Whether `--quiet` was given.
    static var areOff: Bool { isQuiet.load(ordering: .relaxed) }

    /// Turns them off.
    static func turnOff() { isQuiet.store(true, ordering: .relaxed) }

    /// The option that turns them off, of every command that has such messages.
    struct Arguments: ParsableArguments {
        @Flag(
            name: .shortAndLong,
            help: "Print no summary and no progress, only results, warnings and errors.")
        var quiet = false

        mutating func validate() throws {
            if quiet { turnOff() }
        }
    }
}
