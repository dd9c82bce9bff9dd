import Synchronization

/// Whether messages about what was done are wanted. Errors and warnings always are.
enum Messages {
    private static let isQuiet = Atomic(false)

    /// Whether `--quiet` was given.
    static var areOff: Bool { isQuiet.load(ordering: .relaxed) }

    /// Turns them off.
    static func turnOff() { isQuiet.store(true, ordering: .relaxed) }
}
