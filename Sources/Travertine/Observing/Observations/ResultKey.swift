/// An object among results: its key, and which of the tables of the results it is in.
struct ResultKey: Hashable {
    let key: UInt64
    let part: UInt32

    init(key: UInt64, part: UInt32) {
        self.key = key
        self.part = part
    }

    init(_ row: FoundRow) { self.init(key: row.key, part: row.part) }

    /// Whether results without sorting have the object before another.
    func precedes(_ other: ResultKey) -> Bool {
        (part, key) < (other.part, other.key)
    }
}
