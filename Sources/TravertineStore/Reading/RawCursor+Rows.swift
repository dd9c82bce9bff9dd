import OrderedIndex
import SegmentLog

/// A row in place, of a keyspace whose keys are numbers: eight bytes, big-endian.
package struct NumberedRow: BitwiseCopyable {
    package var key: UInt64
    package var base: UnsafeRawPointer?
    package var byteCount: Int
}

extension RawCursor {
    /// How many rows are taken at a time.
    package static var rowCountMax: Int { 16 }

    /// Puts the rows from here on into memory for `rowCountMax` of them and moves past them: a loop
    /// in which nothing is called for most rows. Verified as the read path says.
    ///
    /// Returns how many there were, none at the end only, and what went wrong after them. A
    /// compressed value, which those of the object layer never are, is the last of its call and
    /// lives until the thread's next read of such a value.
    package mutating func takeRows(
        into rows: UnsafeMutablePointer<NumberedRow>
    ) -> (count: Int, failure: StoreError?) {
        let access = access
        let segments = access.segments
        // What a transaction has not written yet is elsewhere, whatever its segment holds there.
        let isInSegments = access.pending == nil && access.verification != .always
        var window = window
        defer { self.window = window }
        var pack = PackWindow()
        var count = 0
        var isLast = false
        var failure: StoreError?
        do throws(IndexFailure) {
            try position.forEachNumber { values, stride, count in
                window.prefetch(locations: values, stride: stride, count: count, segments)
            } _: { key, value in
                if count == Self.rowCountMax { return false }
                let location = Location(rawValue: value)
                if isInSegments, let bytes = window.value(at: location, segments) {
                    (rows + count).initialize(
                        to: NumberedRow(key: key, base: bytes.baseAddress, byteCount: bytes.count))
                    count &+= 1
                    return true
                }
                if isLast { return false }
                do throws(StoreError) {
                    let bytes = try access.value(at: location, isLast: &isLast, &pack)
                    (rows + count).initialize(
                        to: NumberedRow(key: key, base: bytes.baseAddress, byteCount: bytes.count))
                } catch {
                    failure = error
                    return false
                }
                count &+= 1
                return true
            }
        } catch {
            failure = StoreError(error)
        }
        return (count, failure)
    }
}

extension ReadAccess {
    /// The value at a location, wherever it is; `isCompressed` becomes true if it had to be
    /// decompressed. `pack` shows the pack that was read last.
    @inline(never)
    func value(
        at location: Location, isLast isCompressed: inout Bool, _ pack: inout PackWindow
    ) throws(StoreError) -> UnsafeRawBufferPointer {
        if location.isCompressed, verification != .always {
            do {
                let check = recordCheck(false)
                if let value = try pack.value(at: location, segments, check) { return value }
            } catch {
                throw StoreError(error)
            }
        } else {
            let bytes = try valueInPlace(at: location, verified: false)
            if bytes.baseAddress != nil { return bytes }
        }
        isCompressed = true
        return try value(at: location, verified: false)
    }
}
