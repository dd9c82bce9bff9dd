/// A run of collection elements as bytes.
///
/// An element of a map begins with its key, its length (LEB128) before it. One that may be null
/// goes on with a byte, 0 for null and 1 for a value. Then: numbers and identifiers in their fixed
/// width, strings and data with their length before them. Elements of sets are in the order of
/// their values, those of maps in the order of their keys.
struct ElementRun {
    let type: PropertyType
    let isOptional: Bool
    let collection: CollectionKind
    /// The bytes of each element, if that is always the same.
    let stride: Int?

    init(_ type: _StoredType) {
        self.type = type.type
        isOptional = type.isOptional
        collection = type.collection
        stride =
            type.isOptional || type.collection == .map ? nil : type.type.elementByteCount
    }

    /// Adds an element of a map.
    func append(
        key: UnsafeRawBufferPointer, _ raw: _RawValue, to bytes: inout [UInt8]
    ) {
        Self.appendLength(key.count, to: &bytes)
        bytes.append(contentsOf: key)
        append(raw, to: &bytes)
    }

    /// Adds an element, or the value of one of a map.
    func append(_ raw: _RawValue, to bytes: inout [UInt8]) {
        if isOptional {
            if case .null = raw {
                bytes.append(0)
                return
            }
            bytes.append(1)
        }
        switch raw {
        case .null:
            bytes.append(contentsOf: [UInt8](repeating: 0, count: type.elementByteCount ?? 1))
        case .word(let word):
            let count = type.elementByteCount ?? 8
            withUnsafeBytes(of: word.littleEndian) { bytes.append(contentsOf: $0.prefix(count)) }
        case .bytes(let value):
            if type.elementByteCount == nil { Self.appendLength(value.count, to: &bytes) }
            bytes.append(contentsOf: value)
        }
    }

    private static func appendLength(_ length: Int, to bytes: inout [UInt8]) {
        var rest = length
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    /// The element at an offset, and the offset of the next; nil at the end or if it is damaged.
    func element(
        at offset: Int, in bytes: UnsafeRawBufferPointer
    ) -> RunElement? {
        guard offset < bytes.count else { return nil }
        if collection != .map {
            return value(at: offset, in: bytes).map { RunElement(value: $0, next: $1) }
        }
        guard let (key, start) = Self.counted(at: offset, in: bytes),
            let (value, next) = value(at: start, in: bytes)
        else { return nil }
        return RunElement(key: key, value: value, next: next)
    }

    private func value(
        at offset: Int, in bytes: UnsafeRawBufferPointer
    ) -> (value: _RawValue, next: Int)? {
        var offset = offset
        guard offset < bytes.count else { return nil }
        if isOptional {
            let isPresent = bytes[offset]
            offset += 1
            if isPresent == 0 { return (.null, offset) }
        }
        if let count = type.elementByteCount {
            guard count <= bytes.count - offset else { return nil }
            let end = offset + count
            guard type.shape == .word else {
                return (.bytes(UnsafeRawBufferPointer(rebasing: bytes[offset..<end])), end)
            }
            var word: Int64 = 0
            withUnsafeMutableBytes(of: &word) {
                $0.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[offset..<end]))
            }
            word = Int64(littleEndian: word)
            if type == .float { word = Int64(Int32(truncatingIfNeeded: word)) }
            return (.word(word), end)
        }
        return Self.counted(at: offset, in: bytes).map { (.bytes($0), $1) }
    }

    /// Bytes with their length before them.
    private static func counted(
        at offset: Int, in bytes: UnsafeRawBufferPointer
    ) -> (UnsafeRawBufferPointer, Int)? {
        var offset = offset
        var length = 0
        var shift = 0
        while true {
            guard offset < bytes.count, shift < 35 else { return nil }
            let byte = bytes[offset]
            offset += 1
            length |= Int(byte & 0x7F) << shift
            shift += 7
            if byte < 0x80 { break }
        }
        guard length <= bytes.count - offset else { return nil }
        let end = offset + length
        return (UnsafeRawBufferPointer(rebasing: bytes[offset..<end]), end)
    }

    /// Less than 0, 0, or more than 0: how an element compares to what is looked for in a set or
    /// map.
    func order(_ element: RunElement, to wanted: RunElement) -> Int {
        if collection == .map { return element.key.order(to: wanted.key) }
        switch (element.value, wanted.value) {
        case (.null, .null): return 0
        case (.null, _): return -1
        case (_, .null): return 1
        case (.word(let left), .word(let right)):
            let (left, right) = (
                IndexKey.ordered(left, type: type), IndexKey.ordered(right, type: type)
            )
            return left < right ? -1 : left == right ? 0 : 1
        case (.bytes(let left), .bytes(let right)):
            return left.order(to: right, type: type)
        case (.word, .bytes): return -1
        case (.bytes, .word): return 1
        }
    }

    /// Whether bytes hold exactly so many elements. Looks at each of up to `inlineByteCountMax`
    /// bytes at most, and at none if all elements have one width.
    func holds(_ count: Int, in bytes: UnsafeRawBufferPointer) -> Bool {
        if let stride {
            let (wanted, overflows) = count.multipliedReportingOverflow(by: stride)
            return !overflows && wanted == bytes.count
        }
        if count > bytes.count { return false }
        var found = 0
        var offset = 0
        while found <= count, let element = element(at: offset, in: bytes) {
            offset = element.next
            found += 1
        }
        return found == count && offset == bytes.count
    }

    /// The offset of an element, from its position.
    func offset(of position: Int, in bytes: UnsafeRawBufferPointer) -> Int {
        if let stride {
            let (offset, overflows) = position.multipliedReportingOverflow(by: stride)
            return overflows ? bytes.count : min(offset, bytes.count)
        }
        var offset = 0
        for _ in 0..<position {
            guard let element = element(at: offset, in: bytes) else { return bytes.count }
            offset = element.next
        }
        return offset
    }
}

/// An element in a run of bytes, valid as long as these.
struct RunElement {
    /// The key of an element of a map; empty in other collections.
    var key = UnsafeRawBufferPointer(start: nil, count: 0)
    var value: _RawValue
    /// The offset of the next element.
    var next = 0
}

/// Elements in their stored form, to be put into a collection.
struct ElementBatch {
    var bytes: [UInt8] = []
    var count = 0
}
