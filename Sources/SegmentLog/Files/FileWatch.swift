/// Calls a body when a file is written, as long as it lives: after each change, or once for
/// several.
///
/// It follows what a path names: after another file came there, `renew` watches that one.
open class FileWatch: @unchecked Sendable {
    /// For subclasses.
    public init() {}

    /// Watches the file that the path names now, if it is another one than before. To be called
    /// now and then: a system may report nothing of a file that is replaced.
    open func renew() {}

    /// Ends it; a call that is under way goes on.
    open func cancel() {}
}
