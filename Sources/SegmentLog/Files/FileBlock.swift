/// The block of a file system: room is asked for, and given back, in whole ones.
enum FileBlock {
    static let byteCount = 4096

    /// The next multiple of a block's size.
    static func roundedUp(_ count: Int) -> Int { (count + (byteCount - 1)) & ~(byteCount - 1) }
}
