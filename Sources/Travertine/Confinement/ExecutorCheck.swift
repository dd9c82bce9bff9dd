#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Asks the runtime whether code runs on an executor. The language only has preconditions of it.
enum ExecutorCheck {
    /// Two words of the executor, and no flags.
    private typealias Function = @convention(c) (UInt, UInt, UInt64) -> Bool

    /// Looked up by name: the compiler knows the function and allows no other declaration of it.
    /// Its convention has integers where that of C has them. Nil in programs without its name.
    private static let function = dlsym(
        UnsafeMutableRawPointer(bitPattern: Self.wholeProgram),
        "swift_task_isCurrentExecutorWithFlags"
    ).map { unsafeBitCast($0, to: Function.self) }

    #if canImport(Darwin)
        private static let wholeProgram = -2
    #else
        private static let wholeProgram = 0
    #endif

    /// Nil where the runtime is not to be asked. For a custom executor that code reaches without a
    /// task the answer may be wrongly no.
    static func isCurrent(_ executor: UnownedSerialExecutor) -> Bool? {
        guard MemoryLayout<UnownedSerialExecutor>.size == 2 * MemoryLayout<UInt>.size else {
            return nil
        }
        let (identity, implementation) = unsafeBitCast(executor, to: (UInt, UInt).self)
        return function?(identity, implementation, 0)
    }

    /// Whether it is the one that an actor has which declares none.
    static func isDefault(_ executor: UnownedSerialExecutor) -> Bool {
        unsafeBitCast(executor, to: (UInt, UInt).self).1 == 0
    }
}
