/// What is left of a record whose checksum does not match: its key, which may be wrong itself.
package struct DamagedRecord: Sendable, Hashable {
    package var source: Int
    package var position: Int
    package var byteCount: Int
    package var context: FragmentContext
    package var keyspace: KeyspaceID
    package var key: [UInt8]

    /// The record's offset in its segment.
    package var offset: Int { position - context.origin }
}
