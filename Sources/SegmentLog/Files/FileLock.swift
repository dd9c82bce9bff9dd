/// A lock on a file, held until `release`, or until the process or the machine ends.
open class FileLock: @unchecked Sendable {
    /// For subclasses.
    public init() {}

    /// Gives the lock back. Doing so twice does nothing.
    open func release() { preconditionFailure("\(type(of: self)) must override release") }

    /// The bytes at the start of a lock file that name its holder; the rest is the caller's.
    public static let holderByteCount = 256

    /// The text, cut or filled up with zeros, as it is in the file.
    public static func holderBlock(_ text: String) -> [UInt8] {
        let bytes = Array(text.utf8.prefix(holderByteCount))
        return bytes + [UInt8](repeating: 0, count: holderByteCount - bytes.count)
    }

    /// Replaces the first bytes of the lock file, which name its holder to others.
    open func setHolder(_ text: String) throws(FileSystemError) {
        preconditionFailure("\(type(of: self)) must override setHolder")
    }
}
