import Foundation

/// Reads a file, or standard input, line by line, and counts lines and bytes.
///
/// A line ends with LF or with the end of the file; its LF is not part of it. A byte order mark at
/// the start of the file is left out.
struct LineReader {
    /// The longest line: no value that is longer could be stored.
    static let lineByteCountMax = 64 << 20
    private static let chunkByteCount = 256 << 10

    /// The number of the line that `next` gave last, from 1.
    private(set) var lineNumber = 0
    /// The bytes consumed so far.
    private(set) var byteCount: UInt64 = 0
    /// The size of the file, if it has one.
    let totalByteCount: UInt64?

    private let source: InputSource
    private var buffer: [UInt8] = []
    private var position = 0
    private var isAtEnd = false

    /// The lines of a source.
    init(_ source: InputSource) {
        self.source = source
        totalByteCount = source.byteCount
    }

    /// What messages call its lines.
    var unit: String { source.unit }

    /// What messages call the input.
    var name: String { source.name }

    /// The next line without its LF, or nil at the end of the file.
    ///
    /// - Throws: when reading fails or is interrupted, and for a line above `lineByteCountMax`.
    mutating func next() throws -> ArraySlice<UInt8>? {
        var searched = position
        while true {
            if let end = buffer[searched...].firstIndex(of: UInt8(ascii: "\n")) {
                defer { position = end + 1 }
                return count(buffer[position..<end], endByteCount: 1)
            }
            if isAtEnd {
                guard position < buffer.count else { return nil }
                defer { position = buffer.count }
                return count(buffer[position...], endByteCount: 0)
            }
            if buffer.count - position > Self.lineByteCountMax {
                throw CommandError(
                    ExitStatus.badData,
                    "\(unit) \(lineNumber + 1) is longer than \(Figures.bytes(Self.lineByteCountMax)): "
                        + "no value of that size can be stored.")
            }
            buffer.removeFirst(position)
            position = 0
            searched = buffer.count
            try fill()
        }
    }

    /// The first byte that is no white space, which stays to be read; nil where there is none.
    mutating func firstByte() throws -> UInt8? {
        while true {
            let first = buffer[position...].first {
                $0 != 0x20 && $0 != 0x09 && $0 != 0x0a && $0 != 0x0d
            }
            if first != nil || isAtEnd { return first }
            try fill()
        }
    }

    /// What is there, whatever lines it has; nil at the end. Lines are not counted.
    mutating func nextPiece() throws -> ArraySlice<UInt8>? {
        if position == buffer.count {
            buffer.removeAll(keepingCapacity: true)
            position = 0
            if !isAtEnd { try fill() }
            if position == buffer.count { return nil }
        }
        defer { position = buffer.count }
        byteCount += UInt64(buffer.count - position)
        return buffer[position...]
    }

    /// Adds what is there to the buffer: of a pipe, as much as was written to it so far.
    private mutating func fill() throws {
        let chunk = try source.read(upTo: Self.chunkByteCount, " after \(unit) \(lineNumber)")
        guard !chunk.isEmpty else {
            isAtEnd = true
            return
        }
        let isStart = byteCount == 0 && buffer.isEmpty
        buffer.append(contentsOf: chunk)
        if isStart, let program = Compression.program(of: buffer) {
            throw CommandError(
                ExitStatus.badData,
                "\(name) is compressed by \(program). A file whose name ends with .gz or .lz4 is "
                    + "decompressed; of another one give what `\(program) -dc` writes.")
        }
        if isStart, buffer.starts(with: [0xef, 0xbb, 0xbf]) {
            position = 3
            byteCount = 3
        }
    }

    private mutating func count(
        _ line: ArraySlice<UInt8>, endByteCount: Int
    ) -> ArraySlice<UInt8> {
        lineNumber += 1
        byteCount += UInt64(line.count + endByteCount)
        return line
    }
}
