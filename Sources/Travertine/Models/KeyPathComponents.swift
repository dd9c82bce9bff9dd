/// What a key path is made of, as the standard library lays it out.
///
/// A key path says which accessors it goes through only by comparing equal to another one, and only
/// to one with the same root; two properties of different classes, or a path of several
/// components, can't be compared by that. So this reads the components themselves, whose layout the
/// compiler and the standard library share (`SwiftShims/KeyPath.h`):
///
/// ```
/// 16  name for Objective-C, or 0
/// 24  header of the buffer: byte count in bits 0 to 23
/// 32  components: header (4 bytes), aligned payload; between two of them the type of the value
/// ```
/// Nothing is taken for granted: `components(of:)` gives nil for what it does not understand, and
/// reads no byte after the count that the buffer gives.
enum KeyPathComponent: Equatable {
    /// A stored property.
    case stored
    /// An accessor of a class, a struct or an extension, identified by its address.
    case accessor(UInt)
    /// A requirement of a protocol, which says nothing about the property that fulfils it.
    case requirement
    /// `?`, `!`, or the optional around what follows a `?`.
    case optional

    /// The components of a key path; nil if its layout is not understood.
    static func components(of keyPath: AnyKeyPath) -> [KeyPathComponent]? {
        hasExpectedLayout ? read(keyPath) : nil
    }

    /// How far from the beginning of its object a class stores a property; nil for all that is not
    /// one stored property of a class, and if the layout is not understood.
    static func storedOffset(of keyPath: AnyKeyPath) -> Int? {
        guard hasExpectedLayout else { return nil }
        return withBuffer(of: keyPath) { reader in
            guard let offset = reader.readStoredOffset(), reader.isAtEnd else { return nil }
            return offset
        }
    }

    private static let headerOffset = MemoryLayout<Int>.size * 3

    private static func read(_ keyPath: AnyKeyPath) -> [KeyPathComponent]? {
        withBuffer(of: keyPath) { $0.readAll() }
    }

    private static func withBuffer<Result>(
        of keyPath: AnyKeyPath, _ body: (inout KeyPathReader) -> Result
    ) -> Result {
        withExtendedLifetime(keyPath) {
            let object = UnsafeRawPointer(Unmanaged.passUnretained(keyPath).toOpaque())
            let header = object.load(fromByteOffset: headerOffset, as: UInt32.self)
            var reader = KeyPathReader(
                bytes: UnsafeRawBufferPointer(
                    start: object + headerOffset + MemoryLayout<Int>.size,
                    count: Int(header & 0xFF_FFFF)))
            return body(&reader)
        }
    }

    private struct Probe {
        var stored = 0
        var computed: Int? {
            get { stored }
            set { stored = newValue ?? 0 }
        }
    }

    /// Whether the standard library of this process lays key paths out as described.
    private static let hasExpectedLayout: Bool = {
        guard MemoryLayout<Int>.size == 8, read(\Probe.stored) == [.stored],
            let computed = read(\Probe.computed), let path = read(\Probe.computed?.magnitude),
            case .accessor = computed.first, computed.count == 1, path.count == 4
        else { return false }
        return path[0] == computed[0] && path[1] == .optional && path[3] == .optional
    }()
}

/// Reads the components in the buffer of a key path.
private struct KeyPathReader {
    let bytes: UnsafeRawBufferPointer
    var offset = 0

    init(bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    mutating func readAll() -> [KeyPathComponent]? {
        var components: [KeyPathComponent] = []
        while offset < bytes.count {
            guard let component = readComponent() else { return nil }
            components.append(component)
            if offset == bytes.count { return components }
            // The type of the value follows.
            guard word() != nil else { return nil }
        }
        return components
    }

    var isAtEnd: Bool { offset == bytes.count }

    /// The offset of a component that is a stored property of a class.
    mutating func readStoredOffset() -> Int? {
        guard let header = half(), header >> 24 & 0x7F == 3 else { return nil }
        return storedOffset(header & 0x7F_FFFF).map { Int($0) }
    }

    /// An offset that does not fit into the header follows it.
    private mutating func storedOffset(_ payload: UInt32) -> UInt32? {
        payload == 0x7F_FFFF ? half() : payload
    }

    private mutating func readComponent() -> KeyPathComponent? {
        guard let header = half() else { return nil }
        let payload = header & 0xFF_FFFF
        switch header >> 24 & 0x7F {
        case 1, 3:
            return storedOffset(payload & 0x7F_FFFF) == nil ? nil : .stored
        case 2: return readAccessor(payload)
        case 4: return .optional
        default: return nil
        }
    }

    private mutating func readAccessor(_ payload: UInt32) -> KeyPathComponent? {
        guard let identifier = word(), word() != nil else { return nil }
        let isSettable = payload & 0x40_0000 != 0
        if isSettable, word() == nil { return nil }
        if payload & 0x08_0000 != 0 {
            guard let byteCount = word(), byteCount <= UInt(bytes.count), word() != nil else {
                return nil
            }
            if payload & 0x10 != 0, word() == nil { return nil }
            offset += Int(byteCount)
            guard offset <= bytes.count else { return nil }
        }
        if payload & 0x20_0000 != 0 { return .stored }
        return payload & 0x10_0000 != 0 ? .requirement : .accessor(identifier)
    }

    private mutating func half() -> UInt32? {
        guard offset + 4 <= bytes.count else { return nil }
        defer { offset += 4 }
        return bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
    }

    /// The next word at an aligned place.
    private mutating func word() -> UInt? {
        let start = (offset + 7) & ~7
        guard start + 8 <= bytes.count else { return nil }
        offset = start + 8
        return bytes.loadUnaligned(fromByteOffset: start, as: UInt.self)
    }
}
