/// How much is logged, and how important a message is: a level includes all levels before it.
public enum LogLevel: UInt, Sendable, CaseIterable {
    /// Nothing.
    case off
    /// Not used.
    case fatal
    /// What failed, such as a sync of the disk, and damage that was found.
    case error
    /// What was found and worked around, such as a damaged checkpoint.
    case warn
    /// What happens seldom and changes the files: migrations, compaction when a realm is opened.
    case info
    /// Opening and closing of realms.
    case detail
    /// Work in the background, and refreshes.
    case debug
    /// Not used.
    case trace
    /// Everything.
    case all
}

extension LogLevel: CustomStringConvertible {
    /// The name of the case.
    public var description: String {
        switch self {
        case .off: "off"
        case .fatal: "fatal"
        case .error: "error"
        case .warn: "warn"
        case .info: "info"
        case .detail: "detail"
        case .debug: "debug"
        case .trace: "trace"
        case .all: "all"
        }
    }
}
