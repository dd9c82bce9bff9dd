import OrderedIndex
import SegmentLog

/// The first block of a page file: what it belongs to and where its parts are.
///
/// A page file is this block of 4,096 bytes, then pages of 2,048 bytes, then the descriptor of the
/// checkpoint that wrote it. Layout of the block, little-endian:
///
///     0    8  magic "TRVPAGES"
///     8    4  format version
///     12   4  zero
///     16   16 store UUID
///     32   8  lineage
///     40   4  page file number
///     44   4  page count
///     48   8  seed: random, mixed into the checksum of every page
///     56   8  LSN of the checkpoint
///     64   8  descriptor offset (4,096 + pages × 2,048)
///     72   8  descriptor byte count
///     80   4  CRC32C of the descriptor
///     84   .. zero
///     4092 4  CRC32C of bytes 0..<4092
package struct PageFileHeader: Equatable {
    /// The length of the block.
    package static let byteCount = 4096
    /// The length of a page.
    package static let pageByteCount = PageChecksum.pageByteCount
    /// Version 2: the trees may refer to pages of other files. Both versions have the same layout.
    static let formatVersion: UInt32 = 2
    static let magic: [UInt8] = Array("TRVPAGES".utf8)

    /// Where each field begins.
    package enum Offset {
        static let magic = 0
        static let version = magic + 8
        static let zero = version + 4
        package static let uuid = zero + 4
        package static let lineage = uuid + 16
        package static let number = lineage + 8
        package static let pageCount = number + 4
        package static let seed = pageCount + 4
        static let lsn = seed + 8
        package static let descriptorOffset = lsn + 8
        package static let descriptorByteCount = descriptorOffset + 8
        package static let descriptorCRC = descriptorByteCount + 8
        package static let end = descriptorCRC + 4
    }

    /// The store and the lineage that the file was written under.
    package var identity: StoreIdentity
    /// The number in the file's name.
    package var number: UInt32
    /// The pages in the file.
    package var pageCount: UInt32
    /// Random; mixed into the checksum of every page.
    package var seed: UInt64
    /// The LSN of the checkpoint.
    package var lsn: LSN
    var descriptorByteCount: Int
    /// The CRC32C of the descriptor.
    package var descriptorCRC: UInt32

    /// What descriptors say of the file.
    var reference: CheckpointDescriptor.PageFileReference {
        CheckpointDescriptor.PageFileReference(number: number, pageCount: pageCount, seed: seed)
    }

    /// Where a page starts.
    package static func offset(ofPage page: UInt32) -> UInt64 {
        UInt64(byteCount) + UInt64(page) * UInt64(pageByteCount)
    }

    /// Where the descriptor starts.
    var descriptorOffset: UInt64 { Self.offset(ofPage: pageCount) }

    /// The length of the whole file.
    package var fileByteCount: UInt64 { descriptorOffset + UInt64(descriptorByteCount) }

    /// The bytes of the block.
    var encoded: [UInt8] {
        var writer = ByteWriter(reservingByteCount: Self.byteCount)
        writer.append(contentsOf: Self.magic, at: Offset.magic)
        writer.append(Self.formatVersion, at: Offset.version)
        writer.append(UInt32(0), at: Offset.zero)
        writer.append(identity.uuidHigh, at: Offset.uuid)
        writer.append(identity.uuidLow)
        writer.append(identity.lineage, at: Offset.lineage)
        writer.append(number, at: Offset.number)
        writer.append(pageCount, at: Offset.pageCount)
        writer.append(seed, at: Offset.seed)
        writer.append(lsn.rawValue, at: Offset.lsn)
        writer.append(descriptorOffset, at: Offset.descriptorOffset)
        writer.append(UInt64(descriptorByteCount), at: Offset.descriptorByteCount)
        writer.append(descriptorCRC, at: Offset.descriptorCRC)
        writer.seal(to: Self.byteCount)
        return writer.bytes
    }

    /// Decodes and checks a block against what the manifest says of it; the reason if it is bad.
    package static func decode(
        _ bytes: UnsafeRawBufferPointer, identity: StoreIdentity, number: UInt32
    ) -> Result<PageFileHeader, DamageReason> {
        guard bytes.count == byteCount else { return .failure("it is cut short") }
        guard BlockChecksum.matches(bytes) else {
            return .failure("the checksum of its header does not match")
        }
        var reader = ByteReader(bytes)
        guard let magic = reader.read(byteCount: Self.magic.count), magic.elementsEqual(Self.magic),
            let version = reader.read(UInt32.self, at: Offset.version), version >= 1
        else { return .failure("its header is not that of a page file") }
        guard version <= formatVersion else { return .failure(.newerFormat(version, number)) }
        guard let zero = reader.read(UInt32.self, at: Offset.zero), zero == 0 else {
            return .failure("its header has a field that no version writes")
        }
        guard let high = reader.read(UInt64.self, at: Offset.uuid),
            let low = reader.read(UInt64.self),
            high == identity.uuidHigh, low == identity.uuidLow,
            reader.read(UInt64.self, at: Offset.lineage) != nil
        else { return .failure("it belongs to another store") }
        guard let storedNumber = reader.read(UInt32.self, at: Offset.number),
            storedNumber == number,
            let pageCount = reader.read(UInt32.self, at: Offset.pageCount),
            let seed = reader.read(UInt64.self, at: Offset.seed),
            let lsn = reader.read(UInt64.self, at: Offset.lsn),
            let offset = reader.read(UInt64.self, at: Offset.descriptorOffset),
            let length = reader.read(UInt64.self, at: Offset.descriptorByteCount),
            let crc = reader.read(UInt32.self, at: Offset.descriptorCRC),
            length <= UInt64(CheckpointDescriptor.byteCountMax)
        else { return .failure("it is another page file of this store") }
        let header = PageFileHeader(
            identity: identity, number: number, pageCount: pageCount, seed: seed,
            lsn: LSN(rawValue: lsn), descriptorByteCount: Int(length), descriptorCRC: crc)
        guard header.descriptorOffset == offset else {
            return .failure("its header contradicts itself")
        }
        return .success(header)
    }
}
