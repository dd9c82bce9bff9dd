import TravertineStore

/// The entry of an object in an index of places: the number of the cell of its point, the latitude
/// and the key of the object, each eight bytes, big-endian; under it the longitude.
///
/// The coordinates are there bit by bit, so that points are tested, and distances computed, without
/// a row. The bits of the longitude are inverted: no entry has the number 0, which would not count
/// in the sums of a verification.
struct PlaceEntry: Equatable {
    static let keyByteCount = 24

    let cell: UInt64
    let point: GeoPoint
    let object: UInt64

    init(_ point: GeoPoint, of object: UInt64) {
        self.point = point
        self.object = object
        cell = GeoCell.number(of: UnitVector(point))
    }

    /// The entry under a key; nil for one that has another form, or no point of the Earth.
    @inline(__always)
    init?(_ key: UnsafeRawBufferPointer, _ value: UInt64) {
        guard key.count == Self.keyByteCount else { return nil }
        func number(_ offset: Int) -> UInt64 {
            UInt64(bigEndian: key.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
        }
        guard
            let point = GeoPoint(
                latitude: Double(bitPattern: number(8)), longitude: Double(bitPattern: ~value))
        else { return nil }
        self.point = point
        cell = number(0)
        object = number(16)
    }

    var value: UInt64 { ~point.longitude.bitPattern }

    /// Calls `body` with the key.
    func withKey<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let words = (cell.bigEndian, point.latitude.bitPattern.bigEndian, object.bigEndian)
        return try withUnsafeBytes(of: words) { (bytes) throws(Failure) in try body(bytes) }
    }

    /// The first key at or after those of a cell.
    static func bound(_ cell: UInt64) -> [UInt8] {
        withUnsafeBytes(of: cell.bigEndian, Array.init)
    }
}

/// A link to an object that may be a point.
struct PlaceLink: Equatable {
    /// The number of the object's type where the link names it, else 0: the type is the declared
    /// one.
    var type: UInt32
    var target: UInt64

    /// Nil for a value that leads to no object.
    init?(_ raw: _RawValue) {
        switch raw {
        case .null: return nil
        case .word(let word): (type, target) = (0, UInt64(bitPattern: word))
        case .bytes(let bytes):
            guard case .object(let type, let target) = MixedCode.reference(in: bytes) else {
                return nil
            }
            (self.type, self.target) = (type, target)
        }
    }

    /// The link that the key of a `DerivedEntries.Entry` names.
    init(entryKey key: UnsafeRawBufferPointer) {
        type = UInt32(bigEndian: key.loadUnaligned(as: UInt32.self))
        target = objectKey(in: key, at: 4)
    }
}
