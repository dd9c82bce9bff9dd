/// What the system says a directory is, whatever path leads there.
public struct FileIdentity: Hashable, Sendable {
    /// The device number.
    public var device: UInt64
    /// The inode number.
    public var inode: UInt64
    /// When it was made, in nanoseconds since 1970; 0 where the file system does not say.
    public var birth: UInt64

    /// Both numbers, and the time.
    public init(device: UInt64, inode: UInt64, birth: UInt64 = 0) {
        self.device = device
        self.inode = inode
        self.birth = birth
    }
}
