/// The entries of a pack as ordinary moves in memory, so that readers of the log find nothing but
/// records.
///
/// What the records point to lives until the next `fill`, or as long as the object. One thread.
package final class PackExpansion {
    private var bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 0, alignment: 8)
    private var values = UnsafeMutableRawBufferPointer.allocate(byteCount: 0, alignment: 8)
    private var places: [Int] = []

    package init() {}

    /// The entries of another pack without their values, in no more memory than that takes.
    package init(keysOf other: PackExpansion) {
        let parts = (0..<other.count).map { ordinal -> UnsafeRawBufferPointer in
            let entry = other[ordinal]
            return UnsafeRawBufferPointer(
                start: entry.base, count: RecordLayout.moveHeaderByteCount + entry.key.count)
        }
        let byteCount = parts.reduce(0) { $0 + RecordLayout.padded($1.count) }
        Self.grow(&bytes, to: byteCount)
        places.reserveCapacity(parts.count)
        var place = 0
        for part in parts {
            let target = UnsafeMutableRawBufferPointer(rebasing: bytes[place..<place + part.count])
            target.copyMemory(from: part)
            target.storeBytes(of: 0, toByteOffset: RecordLayout.valueByteCount, as: UInt32.self)
            places.append(place)
            place += RecordLayout.padded(part.count)
        }
    }

    deinit {
        bytes.deallocate()
        values.deallocate()
    }

    /// The number of entries.
    package var count: Int { places.count }

    /// An entry, as the record of a move without checksum and distance.
    package subscript(ordinal: Int) -> RecordPointer {
        // `fill` has allocated the bytes that its places are in.
        RecordPointer(
            unsafeBase: UnsafeRawPointer(bytes.baseAddress.unsafelyUnwrapped) + places[ordinal],
            offset: 0)
    }

    /// Forgets the entries.
    package func removeAll() { places.removeAll(keepingCapacity: true) }

    /// Expands a pack; false when its parts contradict each other.
    package func fill(from record: RecordPointer) -> Bool {
        places.removeAll(keepingCapacity: true)
        guard let pack = Pack(record) else { return false }
        let valuesByteCount = pack.valuesByteCount
        Self.grow(&values, to: max(1, valuesByteCount))
        let target = UnsafeMutableRawBufferPointer(rebasing: values[..<valuesByteCount])
        guard pack.decompress(through: valuesByteCount, into: target) else { return false }
        // Every entry with the longest key: the keys' lengths are not known in advance.
        let keyMax = RecordLayout.keyByteCountMax
        let most = RecordLayout.paddedByteCount(key: keyMax, value: 0, isMove: true) + 8
        Self.grow(&bytes, to: pack.count * most + valuesByteCount)
        var reader = DirectoryReader(pack.directory)
        var place = 0
        for ordinal in 0..<pack.count {
            guard let entry = reader.next(), let range = pack.range(of: ordinal),
                range.upperBound <= valuesByteCount
            else {
                places.removeAll()
                return false
            }
            places.append(place)
            place += encode(
                entry, key: reader.key, UnsafeRawBufferPointer(rebasing: values[range]),
                keyspace: record.keyspace, at: place)
        }
        return true
    }

    private func encode(
        _ entry: DirectoryReader.Entry, key: [UInt8], _ value: UnsafeRawBufferPointer,
        keyspace: KeyspaceID, at place: Int
    ) -> Int {
        let byteCount = RecordLayout.paddedByteCount(
            key: key.count, value: value.count, isMove: true)
        let target = UnsafeMutableRawBufferPointer(rebasing: bytes[place..<place + byteCount])
        target.initializeMemory(as: UInt8.self, repeating: 0)
        target[RecordLayout.kind] = RecordKind.move.rawValue
        target.storeBytes(
            of: UInt16(key.count), toByteOffset: RecordLayout.keyByteCount, as: UInt16.self)
        target.storeBytes(
            of: keyspace.rawValue, toByteOffset: RecordLayout.keyspace, as: UInt32.self)
        target.storeBytes(
            of: UInt32(value.count), toByteOffset: RecordLayout.valueByteCount, as: UInt32.self)
        target.storeBytes(
            of: entry.originalLSN, toByteOffset: RecordLayout.originalLSN, as: UInt64.self)
        target.storeBytes(
            of: entry.sourceLocation, toByteOffset: RecordLayout.sourceLocation, as: UInt64.self)
        let keyStart = RecordLayout.moveHeaderByteCount
        UnsafeMutableRawBufferPointer(rebasing: target[keyStart...]).copyBytes(from: key)
        UnsafeMutableRawBufferPointer(rebasing: target[(keyStart + key.count)...])
            .copyBytes(from: value)
        return byteCount
    }

    private static func grow(_ buffer: inout UnsafeMutableRawBufferPointer, to byteCount: Int) {
        guard buffer.count < byteCount else { return }
        buffer.deallocate()
        buffer = .allocate(byteCount: byteCount, alignment: 8)
    }
}

/// Reads the directory of a pack, entry by entry; nil where the bytes can't be one.
private struct DirectoryReader {
    struct Entry {
        var originalLSN: UInt64
        var sourceLocation: UInt64
    }

    private let bytes: UnsafeRawBufferPointer
    private var offset = 0
    private var entry = Entry(originalLSN: 0, sourceLocation: 0)
    /// The key of the entry that was read last.
    private(set) var key: [UInt8] = []

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    mutating func next() -> Entry? {
        guard let shared = number(), shared <= UInt64(key.count), let count = number(),
            count <= UInt64(bytes.count - offset),
            shared + count <= UInt64(RecordLayout.keyByteCountMax)
        else { return nil }
        key.removeLast(key.count - Int(shared))
        key.append(contentsOf: bytes[offset..<offset + Int(count)])
        offset += Int(count)
        guard let lsn = number(), let location = number() else { return nil }
        entry.originalLSN &+= Zigzag.decoded(lsn)
        entry.sourceLocation &+= Zigzag.decoded(location)
        return entry
    }

    private mutating func number() -> UInt64? {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while offset < bytes.count, shift < 64 {
            let byte = bytes[offset]
            offset += 1
            value |= UInt64(byte & 0x7f) << shift
            if byte & 0x80 == 0 { return value }
            shift += 7
        }
        return nil
    }
}
