#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Asks the runtime whether the calling code runs on an executor.
///
/// Swift itself offers only functions that stop the program if it does not
/// (`preconditionIsolated`), none that answers.
enum ExecutorCheck {
    /// Two words of the executor, and no flags.
    private typealias Function = @convention(c) (UInt, UInt, UInt64) -> Bool

    /// The runtime's function, found by its name when the program runs, because the compiler knows
    /// this name and rejects declarations of it. It is called with C's convention: for integer
    /// parameters both conventions use the same registers. Nil if the program does not have it, as
    /// when it is linked statically and its symbols were removed.
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
