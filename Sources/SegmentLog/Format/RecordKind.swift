/// What a record does to its key.
public enum RecordKind: UInt8, Sendable, BitwiseCopyable, CaseIterable {
    /// Sets a key's value.
    case put = 1
    /// Removes a key (a tombstone).
    case delete = 2
    /// A put that compaction copied.
    case move = 3
    /// A tombstone that compaction copied.
    case tombstoneMove = 4
    /// Sets a key of a derived keyspace; the value is eight bytes.
    case indexPut = 5
    /// Removes a key of a derived keyspace.
    case indexDelete = 6
    /// Empties a derived keyspace.
    case indexReset = 7
    /// Makes the records of its transaction from a given place on, up to itself, void.
    case rollback = 8
    /// Says which segments were removed on purpose.
    case retireSegment = 9
    /// Several puts of one keyspace that compaction copied, compressed together (`Pack`).
    case pack = 10

    /// The greatest number that a kind has.
    @inlinable static var rawValueMax: UInt8 { 10 }

    /// True for moves, whose records carry the original LSN and the source location.
    @inlinable public var isMove: Bool { self == .move || self == .tombstoneMove }

    /// True for what a full disk may still accept: nothing that adds a live value.
    public var usesReserve: Bool {
        switch self {
        case .put, .move, .indexPut, .pack: false
        default: true
        }
    }
}
