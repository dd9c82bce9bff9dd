/// The values of one property of the rows of one leaf, laid out densely. Immutable.
///
/// Unsafe: `nulls` has `countMax` places and is freed with the column.
class LeafColumn: @unchecked Sendable {
    /// The places of a column; a number that the compiler knows, so that loops over all of them
    /// become vectors. `LeafColumns` checks that no leaf has more rows.
    @inline(__always) static var countMax: Int { 208 }

    /// The number of rows.
    final let count: Int
    /// 1 for each null, else 0; nil where there is none.
    final let nulls: UnsafeMutablePointer<UInt8>?
    final let nullCount: Int

    /// What the column takes, the object included.
    var byteCount: Int { fatalError("a column says what it takes") }

    init(count: Int, _ nulls: Nulls) {
        self.count = count
        self.nulls = nulls.places
        nullCount = nulls.count
    }

    /// Which rows have null; owned by the column that it is given to.
    struct Nulls {
        let places: UnsafeMutablePointer<UInt8>?
        let count: Int

        /// - Parameter isNull: 1 for each null.
        init(_ isNull: UnsafeBufferPointer<UInt8>) {
            count = isNull.reduce(0) { $0 + Int($1) }
            if count == 0 {
                places = nil
                return
            }
            let places = UnsafeMutablePointer<UInt8>.allocate(capacity: countMax)
            places.initialize(repeating: 0, count: countMax)
            for position in 0..<isNull.count { places[position] = isNull[position] }
            self.places = places
        }
    }

    deinit { nulls?.deallocate() }

    /// Sets `mask` to 1 for nulls or for values or for both, else 0.
    final func testNull(
        _ holdsForNull: Bool, _ holdsForValue: Bool, _ mask: UnsafeMutablePointer<UInt8>
    ) {
        mask.update(repeating: holdsForValue ? 1 : 0, count: Self.countMax)
        setNulls(holdsForNull, mask)
    }

    /// Sets `mask` for nulls.
    final func setNulls(_ value: Bool, _ mask: UnsafeMutablePointer<UInt8>) {
        guard let nulls else { return }
        if value {
            Self.forEachPlace { mask[$0] |= nulls[$0] }
        } else {
            Self.forEachPlace { mask[$0] &= 1 &- nulls[$0] }
        }
    }

    /// Calls `body` with each place of a column.
    @inline(__always)
    static func forEachPlace(_ body: (Int) -> Void) {
        var place = 0
        while place < countMax {
            body(place)
            place &+= 1
        }
    }
}
