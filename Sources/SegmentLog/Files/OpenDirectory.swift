/// A directory that is held open, so that making its entries durable needs no new descriptor: a
/// sync that can't begin for lack of one is not a sync that failed, and must not count as one.
open class OpenDirectory: @unchecked Sendable {
    /// The path that it was opened with.
    public final let path: String

    /// A directory that was opened with this path.
    public init(path: String) { self.path = path }

    /// Makes the directory's entries durable. Never repeat it after an error. Any thread.
    open func sync() throws(FileSystemError) {
        preconditionFailure("\(type(of: self)) must override sync")
    }

    /// Closes it. Closing twice does nothing. Nobody may be in another call at the same time.
    open func close() { preconditionFailure("\(type(of: self)) must override close") }
}
