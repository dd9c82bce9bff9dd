/// Putting the entries of others in.
extension Map {
    /// Puts entries in; `combine` makes one value of two under one key.
    public func merge(
        _ other: some Sequence<(Key, Value)>,
        uniquingKeysWith combine: (Value, Value) throws -> Value
    ) rethrows {
        for (key, value) in Array(other) {
            self[key] = try self[key].map { try combine($0, value) } ?? value
        }
    }

    /// Puts the entries of a dictionary in; `combine` makes one value of two under one key.
    public func merge(
        _ other: [Key: Value], uniquingKeysWith combine: (Value, Value) throws -> Value
    ) rethrows {
        try merge(other.map { ($0.key, $0.value) }, uniquingKeysWith: combine)
    }

    /// Puts the entries of another map in; `combine` makes one value of two under one key.
    public func merge(
        _ other: Map, uniquingKeysWith combine: (Value, Value) throws -> Value
    ) rethrows {
        try merge(other.allEntries(), uniquingKeysWith: combine)
    }

    /// Puts entries in; `combine` makes one value of two under one key.
    public func merge(
        _ other: some Sequence<(key: Key, value: Value)>,
        uniquingKeysWith combine: (Value, Value) throws -> Value
    ) rethrows {
        try merge(other.map { ($0.key, $0.value) }, uniquingKeysWith: combine)
    }
}
