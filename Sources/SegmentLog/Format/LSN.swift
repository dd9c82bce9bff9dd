/// A log sequence number: a batch's place in the log's total order.
///
/// The first batch of a store has LSN 1. Every batch takes the next number; zero is "before
/// everything".
@usableFromInline
package struct LSN: RawRepresentable, Comparable, Hashable, Sendable, BitwiseCopyable {
    @usableFromInline package var rawValue: UInt64

    @inlinable package init(rawValue: UInt64) {
        self.rawValue = rawValue
    }

    /// The place before the first batch.
    @inlinable package static var zero: LSN { LSN(rawValue: 0) }

    /// The LSN of the batch after this one.
    @inlinable package var next: LSN { LSN(rawValue: rawValue &+ 1) }

    /// The LSN of the batch before this one; zero's is zero.
    package var previous: LSN { LSN(rawValue: rawValue == 0 ? 0 : rawValue - 1) }

    @inlinable package static func == (left: LSN, right: LSN) -> Bool {
        left.rawValue == right.rawValue
    }

    @inlinable package static func < (left: LSN, right: LSN) -> Bool {
        left.rawValue < right.rawValue
    }
}

extension LSN: CustomStringConvertible {
    @usableFromInline package var description: String { String(rawValue) }
}
