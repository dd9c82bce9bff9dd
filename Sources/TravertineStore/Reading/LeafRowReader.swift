import OrderedIndex
import SegmentLog

/// Reads the rows of leaves of a snapshot, many at a time: in a loop in which nothing is called for
/// most of them. Verified as the read path says.
///
/// A compressed value, which those of the object layer never are, is the last of its call and lives
/// until the thread's next read of such a value. Valid as long as the `ReadAccess`.
package struct LeafRowReader {
    private let access: ReadAccess
    private var window: SegmentWindow
    private let isInSegments: Bool
    /// How many records before their turn they are asked for.
    private static let distance = 24

    /// What was read, and what went wrong after it.
    package typealias Taken = (count: Int, failure: StoreError?)

    package init(_ access: ReadAccess) {
        self.access = access
        window = SegmentWindow(isChecked: access.verification == .onFirstRead)
        isInSegments = access.pending == nil && access.verification != .always
    }

    /// Asks for the records of some entries of a leaf: at most `countMax`, which are removed from
    /// `positions`. Returns how many there were.
    package mutating func prefetch(
        _ positions: inout LeafPositions, of leaf: LeafEntries, upTo countMax: Int
    ) -> Int {
        let (values, stride) = leaf.values
        let segments = access.segments
        var count = 0
        positions.drain { position in
            if count == countMax { return false }
            window.prefetch(
                locations: values + position &* stride, stride: stride, count: 1, segments)
            count &+= 1
            return true
        }
        return count
    }

    /// Reads the rows of some entries of a leaf: at most `countMax`, which are removed from
    /// `positions`, into memory for so many. None only if there are none, or at damage.
    package mutating func take(
        _ positions: inout LeafPositions, of leaf: LeafEntries, upTo countMax: Int,
        into rows: UnsafeMutablePointer<NumberedRow>
    ) -> Taken {
        let entries = Entries(leaf)
        var count = 0
        var failure: StoreError?
        var isLast = false
        var pack = PackWindow()
        positions.drain { position in
            if count == countMax || isLast { return false }
            let location = entries.location(position)
            guard let row = row(at: location, &isLast, &pack, &failure) else { return false }
            (rows + count).initialize(
                to: NumberedRow(
                    key: entries.key(position), base: row.baseAddress, byteCount: row.count))
            count &+= 1
            return true
        }
        return (count, failure)
    }

    /// Reads the rows of all entries of a leaf from a position on, into memory for all of them;
    /// their keys are not set. Asks for records ahead. None only if there are none, or at damage.
    package mutating func takeAll(
        of leaf: LeafEntries, from first: Int, into rows: UnsafeMutablePointer<NumberedRow>
    ) -> Taken {
        let entries = Entries(leaf)
        let segments = access.segments
        var count = 0
        var failure: StoreError?
        var isLast = false
        var pack = PackWindow()
        var asked = first
        for position in first..<leaf.count {
            if position &+ Self.distance >= asked, asked < leaf.count {
                let end = min(leaf.count, position &+ 2 &* Self.distance)
                window.prefetch(
                    locations: entries.values + asked &* entries.stride, stride: entries.stride,
                    count: end &- asked, segments)
                asked = end
            }
            if isLast { break }
            let location = entries.location(position)
            guard let row = row(at: location, &isLast, &pack, &failure) else { break }
            (rows + count).initialize(
                to: NumberedRow(key: 0, base: row.baseAddress, byteCount: row.count))
            count &+= 1
        }
        return (count, failure)
    }

    /// The value at a location; nil at damage.
    @inline(__always)
    private mutating func row(
        at location: Location, _ isLast: inout Bool, _ pack: inout PackWindow,
        _ failure: inout StoreError?
    ) -> UnsafeRawBufferPointer? {
        if isInSegments, let bytes = window.value(at: location, access.segments) { return bytes }
        do throws(StoreError) {
            return try access.value(at: location, isLast: &isLast, &pack)
        } catch {
            failure = error
            return nil
        }
    }

    /// Where the parts of a leaf's entries are.
    private struct Entries {
        let leaf: LeafEntries
        let values: UnsafeRawPointer
        let stride: Int
        let shortKeys: UnsafePointer<Int32>?
        let prefix: UInt64

        init(_ leaf: LeafEntries) {
            self.leaf = leaf
            (values, stride) = leaf.values
            shortKeys = leaf.count == 0 ? nil : leaf.shortKeys
            prefix = shortKeys == nil ? 0 : leaf.number(0) & 0xffff_ffff_0000_0000
        }

        @inline(__always)
        func location(_ position: Int) -> Location {
            Location(
                rawValue: (values + position &* stride).loadUnaligned(as: UInt64.self))
        }

        @inline(__always)
        func key(_ position: Int) -> UInt64 {
            guard let shortKeys else { return leaf.number(position) }
            return prefix | UInt64(UInt32(bitPattern: shortKeys[position]) ^ 0x8000_0000)
        }
    }
}
