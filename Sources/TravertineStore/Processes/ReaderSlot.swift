import SegmentLog

/// The bytes of a reader's slot:
///
///     0  8  state: 0 free, 1 taken
///     8  8  pin: the LSN of the oldest version that the reader uses, 0 while it opens
///     16 8  process number
///     24 4  CRC32C of bytes 0..<24
///     28 4  zero
///     32 8  reach: the LSN up to which the reader has read the log; 0: not known
///     40 4  CRC32C of bytes 0..<40
///
/// Programs of versions that do not know the reach write the first 28 bytes only, and read no
/// more: for them, and where the second sum is wrong, nothing is known of it.
struct ReaderSlot {
    /// Where each field begins.
    private enum Offset {
        static let state = 0
        static let pin = state + 8
        static let process = pin + 8
        static let pinChecksum = process + 8
        static let zero = pinChecksum + BlockChecksum.byteCount
        static let reach = zero + 4
        static let reachChecksum = reach + 8
        static let end = reachChecksum + BlockChecksum.byteCount
    }

    static let byteCount = Offset.end
    /// What programs write that do not know the reach.
    static let pinByteCount = Offset.zero

    var pin: ReaderPin
    var process: UInt64

    var encoded: [UInt8] {
        var writer = ByteWriter(reservingByteCount: Self.byteCount)
        writer.append(UInt64(1), at: Offset.state)
        writer.append(pin.lsn, at: Offset.pin)
        writer.append(process, at: Offset.process)
        writer.appendChecksum()
        writer.append(UInt32(0), at: Offset.zero)
        writer.append(pin.reach?.rawValue ?? 0, at: Offset.reach)
        writer.appendChecksum()
        assert(writer.bytes.count == Offset.end)
        return writer.bytes
    }

    init(pin: ReaderPin, process: UInt64) {
        self.pin = pin
        self.process = process
    }

    /// What a slot's bytes say; nil if it is free. One that is not whole needs everything, and
    /// names no process.
    init?(_ bytes: UnsafeRawBufferPointer) {
        if bytes.prefix(Self.pinByteCount).allSatisfy({ $0 == 0 }) { return nil }
        self.init(pin: .all, process: 0)
        var reader = ByteReader(bytes)
        guard reader.read(UInt64.self, at: Offset.state) != nil,
            let lsn = reader.read(UInt64.self, at: Offset.pin),
            let process = reader.read(UInt64.self, at: Offset.process),
            let sum = reader.read(UInt32.self, at: Offset.pinChecksum),
            sum == checksum(of: UnsafeRawBufferPointer(rebasing: bytes.prefix(Offset.pinChecksum)))
        else { return }
        self.process = process
        pin.lsn = lsn
        guard reader.read(UInt32.self, at: Offset.zero) != nil,
            let reach = reader.read(UInt64.self, at: Offset.reach),
            let reachSum = reader.read(UInt32.self, at: Offset.reachChecksum), reach != 0,
            reachSum
                == checksum(
                    of: UnsafeRawBufferPointer(rebasing: bytes.prefix(Offset.reachChecksum)))
        else { return }
        pin.reach = LSN(rawValue: reach)
    }
}
