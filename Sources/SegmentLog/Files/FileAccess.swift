/// Who may read and write a file or directory.
public struct FileAccess: Hashable, Sendable {
    /// The number of the user that owns it.
    public var owner: UInt32
    /// The number of the group.
    public var group: UInt32
    /// The permissions, and the bits of a directory: no set-user-ID.
    public var mode: UInt32

    /// The access of its parts.
    public init(owner: UInt32, group: UInt32, mode: UInt32) {
        self.owner = owner
        self.group = group
        self.mode = mode
    }
}
