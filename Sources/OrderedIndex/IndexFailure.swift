/// Why an operation of the index failed.
package enum IndexFailure: Error, Sendable, Equatable {
    /// A page that the operation needs does not match its checksum, or its file is not attached.
    case damagedPage(file: UInt32, page: UInt32)
}
