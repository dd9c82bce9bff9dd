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
/// Programs of versions that do not know the reach write the first 28 bytes only, and read no more: for
/// them, and where the second sum is wrong, nothing is known of it.
struct ReaderSlot {
    static let byteCount = 44

    var pin: ReaderPin
    var process: UInt64

    var encoded: [UInt8] {
        var writer = ByteWriter(reservingByteCount: Self.byteCount)
        writer.append(UInt64(1))
        writer.append(pin.lsn)
        writer.append(process)
        writer.append(checksum(of: writer.bytes))
        writer.append(UInt32(0))
        writer.append(pin.reach?.rawValue ?? 0)
        writer.append(checksum(of: writer.bytes))
        return writer.bytes
    }

    init(pin: ReaderPin, process: UInt64) {
        self.pin = pin
        self.process = process
    }

    /// What a slot's bytes say; nil if it is free. One that is not whole needs everything, and names no
    /// process.
    init?(_ bytes: UnsafeRawBufferPointer) {
        if bytes.prefix(28).allSatisfy({ $0 == 0 }) { return nil }
        self.init(pin: .all, process: 0)
        var reader = ByteReader(bytes)
        guard reader.read(UInt64.self) != nil, let lsn = reader.read(UInt64.self),
            let process = reader.read(UInt64.self), let sum = reader.read(UInt32.self),
            sum == checksum(of: UnsafeRawBufferPointer(rebasing: bytes.prefix(24)))
        else { return }
        self.process = process
        pin.lsn = lsn
        guard reader.read(UInt32.self) != nil, let reach = reader.read(UInt64.self),
            let reachSum = reader.read(UInt32.self), reach != 0,
            reachSum == checksum(of: UnsafeRawBufferPointer(rebasing: bytes.prefix(40)))
        else { return }
        pin.reach = LSN(rawValue: reach)
    }
}
