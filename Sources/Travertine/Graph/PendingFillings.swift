import CPlatform

/// Objects that were made of dictionaries, arrays or other objects and wait for their values, so
/// that these may be nested in each other to any depth.
///
/// Filling an object makes those of the values inside of it by calling itself. Once half of the
/// thread's stack is used, an object is made without its values, and the call that made the
/// outermost one fills it.
final class PendingFillings {
    private var waiting: [() -> Void] = []

    /// Whether an object that is made now should wait for its values.
    static var areNeeded: Bool { travertine_stack_is_short() != 0 }

    /// The queue of this thread, if one is at work.
    private static var current: PendingFillings? {
        travertine_fillings().map {
            Unmanaged<PendingFillings>.fromOpaque($0).takeUnretainedValue()
        }
    }

    /// Runs `body`, which makes an object, and fills what waits for its values if it is the
    /// outermost.
    @inline(__always)
    static func filling<Result, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        travertine_fillings() == nil ? try fillingAll(body) : try body()
    }

    /// Runs `body`, which makes an object that must have all its values when it returns.
    static func fillingAll<Result, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let outer = travertine_fillings()
        let queue = PendingFillings()
        travertine_set_fillings(Unmanaged.passUnretained(queue).toOpaque())
        defer { travertine_set_fillings(outer) }
        let result = try body()
        while let next = queue.waiting.popLast() { next() }
        return result
    }

    /// Runs `filling` after what is at work.
    static func later(_ filling: @escaping () -> Void) {
        guard let current else { return filling() }
        current.waiting.append(filling)
    }
}
