/// A place in the log: a segment and an offset in it.
package struct LogPosition: Hashable, Sendable, BitwiseCopyable {
    package var segment: SegmentNumber
    package var offset: UInt64

    package init(segment: SegmentNumber, offset: UInt64) {
        self.segment = segment
        self.offset = offset
    }

    /// The place of a log that has no segment yet.
    package static var start: LogPosition { LogPosition(segment: .none, offset: 0) }
}

extension LogPosition: CustomStringConvertible {
    package var description: String { "\(segment):\(offset)" }
}
