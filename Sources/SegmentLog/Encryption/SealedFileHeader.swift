/// The first 64 bytes of an encrypted file that is no segment (Format 9).
///
///      0 magic                      8     "TRVSEALD"; of a manifest "TRVMANIF", as of any
///      8 format version             u32   5
///     12 algorithm                  u32   1: AES-256-GCM, 2: ChaCha20-Poly1305
///     16 salt                       32    random, of this file
///     48 check                      16    derived from the key and the bytes before
package struct SealedFileHeader: Equatable {
    package static let byteCount = 64
    /// Also the version of the manifests of encrypted stores.
    package static let formatVersion: UInt32 = 5
    package static let magic = Array("TRVSEALD".utf8)

    private enum Offset {
        static let version = 8
        static let algorithm = version + 4
        static let salt = algorithm + 4
        static let check = salt + 32
    }

    package let bytes: [UInt8]

    /// A header for a new file.
    init(magic: [UInt8], cipher: any StoreCipher, random: () -> UInt64) {
        var bytes = magic
        for part in [Self.formatVersion, cipher.algorithm] {
            withUnsafeBytes(of: part.littleEndian) { bytes += $0 }
        }
        for _ in 0..<4 { withUnsafeBytes(of: random().littleEndian) { bytes += $0 } }
        bytes += Self.check(bytes, cipher)
        precondition(bytes.count == Self.byteCount, "the header of a sealed file has 64 bytes")
        self.bytes = bytes
    }

    /// The first bytes of a file; nil if they are none of an encrypted one.
    package init?(decoding bytes: [UInt8], magic: [UInt8] = Self.magic) {
        guard bytes.count >= Self.byteCount, bytes.starts(with: magic) else { return nil }
        self.bytes = Array(bytes.prefix(Self.byteCount))
        guard formatVersion == Self.formatVersion else { return nil }
    }

    /// The header of a file; nil if it has none.
    package init?(
        ofFile path: String, magic: [UInt8], _ fileSystem: FileSystem
    ) throws(FileSystemError) {
        let file = try fileSystem.open(path, .readOnly)
        defer { file.close() }
        self.init(decoding: try SealedFile.start(of: file), magic: magic)
    }

    package var formatVersion: UInt32 { half(Offset.version) }

    package var algorithm: UInt32 { half(Offset.algorithm) }

    /// Whether the file was made with a key, as far as its check says.
    package func isOf(_ cipher: any StoreCipher) -> Bool {
        Self.check(Array(bytes[..<Offset.check]), cipher).elementsEqual(bytes[Offset.check...])
    }

    /// The key of the file's blocks; nil if its algorithm is not known.
    func key(_ cipher: any StoreCipher) -> (any SealingKey)? {
        cipher.key(for: Array("travertine file".utf8) + bytes, algorithm: algorithm)
    }

    private static func check(_ bytes: [UInt8], _ cipher: any StoreCipher) -> [UInt8] {
        cipher.check(for: Array("travertine file".utf8) + bytes)
    }

    private func half(_ offset: Int) -> UInt32 {
        bytes.withUnsafeBytes {
            UInt32(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
        }
    }
}
