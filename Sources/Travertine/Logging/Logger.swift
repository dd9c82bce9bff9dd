import Locks
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Takes the messages of the library: what it does that is not an answer to the caller.
///
/// ```swift
/// Logger.shared = Logger { level, category, message in
///     print("\(level) \(category.rawValue): \(message)")
/// }
/// Logger.setLogLevel(.detail, for: Category.Storage.all)
/// ```
/// Without one of your own, messages are written to standard error, a line for each. The level is
/// `.info` unless it is set: migrations, compaction when a realm is opened, and what went wrong.
///
/// Levels belong to the process, not to a logger. They are set and read on any thread; a message
/// that is not wanted costs a comparison and is not made.
public final class Logger: Sendable {
    private let function: @Sendable (LogLevel, any LogCategory, String) -> Void

    /// A logger that calls a function for each message.
    ///
    /// - Parameter function: called on any thread, on several at once, and sometimes by the store's
    ///   own work or while a realm is just being opened: it must not open a realm, nor write to
    ///   one, nor wait for a thread that does.
    public init(function: @escaping @Sendable (LogLevel, any LogCategory, String) -> Void) {
        self.function = function
    }

    /// As `init(function:)`; sets the level of all categories.
    @available(*, deprecated, message: "Use init(function:) and Logger.setLogLevel(_:for:)")
    public convenience init(
        level: LogLevel,
        function: @escaping @Sendable (LogLevel, any LogCategory, String) -> Void
    ) {
        self.init(function: function)
        Self.setLogLevel(level)
    }

    /// As `init(function:)`, for a function without category; sets the level of all categories.
    @available(*, deprecated, message: "Use init(function:) and Logger.setLogLevel(_:for:)")
    public convenience init(
        level: LogLevel, logFunction: @escaping @Sendable (LogLevel, String) -> Void
    ) {
        self.init { level, _, message in logFunction(level, message) }
        Self.setLogLevel(level)
    }

    // MARK: The process

    private static let sharedLogger = Locked(
        Logger { level, category, message in
            var line = "\(level) \(category.rawValue): \(message)\n"
            // In one piece, so that lines of several threads do not mix. A failure can be reported
            // nowhere.
            line.withUTF8 { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
        })
    private static let thresholds = Atomic<UInt32>(LogThresholds(.info).word)

    /// The logger that gets the messages.
    public static var shared: Logger {
        get { sharedLogger.withLock { $0 } }
        set {
            // What the former one holds is released outside of the lock.
            var other = newValue
            sharedLogger.withLock { swap(&$0, &other) }
        }
    }

    /// Sets the level of a category, and of all that it contains. Stops for a category that is not
    /// one of the library.
    public static func setLogLevel(
        _ level: LogLevel, for category: any LogCategory = Category.realm
    ) {
        var known = thresholds.load(ordering: .relaxed)
        while true {
            var changed = LogThresholds(word: known)
            changed.set(level, for: category)
            let result = thresholds.weakCompareExchange(
                expected: known, desired: changed.word, ordering: .relaxed)
            if result.exchanged { return }
            known = result.original
        }
    }

    /// The level of a category.
    public static func logLevel(for category: any LogCategory) -> LogLevel {
        LogThresholds(word: thresholds.load(ordering: .relaxed)).level(for: category)
    }

    /// The level of `Category.realm`.
    @available(*, deprecated, message: "Use Logger.logLevel(for:) and Logger.setLogLevel(_:for:)")
    public var level: LogLevel {
        get { Self.logLevel(for: Category.realm) }
        set { Self.setLogLevel(newValue) }
    }

    /// Logs a message of `Category.Storage.all`, if it is wanted.
    static func log(_ level: LogLevel, _ message: @autoclosure () -> String) {
        if includes(level, at: LogThresholds.storage) {
            shared.function(level, Category.Storage.all, message())
        }
    }

    /// Logs a message of `Category.Storage.notification`, if it is wanted.
    static func logNotification(_ level: LogLevel, _ message: @autoclosure () -> String) {
        if includes(level, at: LogThresholds.notification) {
            shared.function(level, Category.Storage.notification, message())
        }
    }

    private static func includes(_ level: LogLevel, at shift: UInt32) -> Bool {
        LogThresholds(word: thresholds.load(ordering: .relaxed)).includes(level, at: shift)
    }
}
