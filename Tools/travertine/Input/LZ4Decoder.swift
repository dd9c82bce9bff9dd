import CLZ4Frame

/// Decompresses the frames of LZ4, as the program `lz4` writes them, piece by piece.
final class LZ4Decoder {
    private var context: OpaquePointer?
    private var input: [UInt8] = []
    private var position = 0
    /// Whether a frame has begun whose end was not read yet.
    private var isInFrame = false
    private let name: String
    private static let inputByteCount = 256 << 10

    /// - Parameter name: what messages call the file.
    init(name: String) throws {
        self.name = name
        guard LZ4F_isError(LZ4F_createDecompressionContext(&context, UInt32(LZ4F_VERSION))) == 0
        else {
            throw CommandError(ExitStatus.inputOutput, "there is no memory to decompress \(name).")
        }
    }

    deinit { LZ4F_freeDecompressionContext(context) }

    /// Fills a part of the buffer; 0 at the end.
    ///
    /// - Parameter fill: gives the next compressed bytes; none at the end of the file.
    func read(
        into target: UnsafeMutableRawBufferPointer, _ fill: (Int) throws -> [UInt8]
    ) throws -> Int {
        while true {
            if position == input.count {
                input = try fill(Self.inputByteCount)
                position = 0
                if input.isEmpty {
                    if isInFrame { throw error("it is cut off") }
                    return 0
                }
            }
            var written = target.count
            var taken = input.count - position
            let hint = input.withUnsafeBytes { bytes in
                LZ4F_decompress(
                    context, target.baseAddress, &written,
                    bytes.baseAddress?.advanced(by: position),
                    &taken, nil)
            }
            if LZ4F_isError(hint) != 0 {
                throw error(String(cString: LZ4F_getErrorName(hint)))
            }
            position += taken
            isInFrame = hint != 0
            if written > 0 { return written }
        }
    }

    private func error(_ reason: String) -> CommandError {
        CommandError(ExitStatus.badData, "\(name) can't be decompressed: \(reason).")
    }
}
