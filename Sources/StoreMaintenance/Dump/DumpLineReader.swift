import TravertineStore

/// Cuts what a source gives into lines, counts them, and sums up their bytes.
struct DumpLineReader {
    /// The number of the line that `next` gave last, from 1.
    private(set) var lineNumber = 0
    /// The bytes of the lines so far.
    private(set) var byteCount: UInt64 = 0
    /// The CRC32C of all lines before the one that `next` gave last.
    private(set) var checksumBefore: UInt32 = 0
    private var sum: UInt32 = 0
    private let source: (UnsafeMutableRawBufferPointer) throws -> Int
    private var chunk = [UInt8](repeating: 0, count: chunkByteCount)
    private var buffer: [UInt8] = []
    private var position = 0
    private var isAtEnd = false

    private static let chunkByteCount = 256 << 10

    init(_ source: @escaping (UnsafeMutableRawBufferPointer) throws -> Int) {
        self.source = source
    }

    /// The next line without its LF, or nil at the end.
    ///
    /// - Throws: `DumpError` for a line that is too long, or ends without LF; what the source
    ///   throws.
    mutating func next() throws -> ArraySlice<UInt8>? {
        var searched = position
        while true {
            if let end = buffer[searched...].firstIndex(of: UInt8(ascii: "\n")) {
                return take(upTo: end)
            }
            guard buffer.count - position <= DumpFormat.lineByteCountMax else {
                throw DumpError(line: lineNumber + 1, reason: .lineTooLong)
            }
            if isAtEnd {
                if position == buffer.count { return nil }
                throw DumpError(line: lineNumber + 1, reason: .truncated)
            }
            if position > 0 { buffer.removeFirst(position) }
            position = 0
            searched = buffer.count
            try fill()
        }
    }

    private mutating func take(upTo end: Int) -> ArraySlice<UInt8> {
        let line = buffer[position..<end]
        lineNumber += 1
        byteCount += UInt64(line.count + 1)
        checksumBefore = sum
        let whole = buffer[position...end]
        sum = whole.withUnsafeBytes { checksum(of: $0, continuing: sum) }
        position = end + 1
        return line
    }

    private mutating func fill() throws {
        let count = try chunk.withUnsafeMutableBytes { try source($0) }
        precondition(0...chunk.count ~= count, "a source filled more than it was given")
        buffer.append(contentsOf: chunk[..<count])
        isAtEnd = count == 0
    }
}
