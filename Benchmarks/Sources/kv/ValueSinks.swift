/// Adds up what a reader sees: values in any order, keys in theirs.
struct Digest: ValueSink, Sendable, Equatable {
    /// The sum of the digests of all values.
    var values: UInt64 = 0
    /// A number that depends on all keys and on their order.
    var keys: UInt64 = 0

    /// Touches every byte of a value.
    @inline(__always)
    mutating func add(value: UnsafeRawBufferPointer) { values &+= Records.digest(of: value) }

    /// Touches every byte of a key.
    @inline(__always)
    mutating func add(key: UnsafeRawBufferPointer) { add(keyDigest: Records.digest(of: key)) }

    /// Takes the digest of the next key.
    @inline(__always)
    mutating func add(keyDigest: UInt64) {
        keys = keys &* 0x9E37_79B9_7F4A_7C15 &+ keyDigest
    }
}

/// Keeps the last value, to compare all of it outside the timed loops.
struct ValueCopy: ValueSink {
    var value: [UInt8] = []

    mutating func add(key: UnsafeRawBufferPointer) {}
    mutating func add(value: UnsafeRawBufferPointer) { self.value = Array(value) }
}
