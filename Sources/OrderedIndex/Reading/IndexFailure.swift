/// Why an operation of the index failed.
///
/// Public, as `IndexCursor` is, only so that it is inlined into other modules; the module is not part
/// of a product's interface.
public enum IndexFailure: Error, Sendable, Equatable {
    /// A page that the operation needs does not match its checksum, or its file is not attached.
    case damagedPage(file: UInt32, page: UInt32)
}
