import SegmentLog
import TravertineStore

extension FileInspector {
    /// Whether the file is one whose blocks are encrypted, and is read without their key.
    var isSealed: Bool {
        let start = Array(bytes(at: 0, min(window.byteCount, SealedFileHeader.byteCount)))
        return [SealedFileHeader.magic, Manifest.magic].contains {
            SealedFileHeader(decoding: start, magic: $0) != nil
        }
    }

    /// Describes what can be said of such a file.
    mutating func inspectSealedFile() {
        add(
            "header of an encrypted file", at: 0, SealedFileHeader.byteCount,
            problem: "it is encrypted: give the key of its store"
        ) { reader in
            reader.bytes("magic", 8)
            reader.number("format version", UInt32.self)
            reader.algorithm()
            reader.bytes("salt", 32)
            reader.bytes("check of the key", 16)
        }
    }
}

extension FieldReader {
    /// The number of an algorithm of encryption.
    mutating func algorithm() {
        number("algorithm", UInt32.self) {
            switch $0 {
            case 1: "1: AES-256-GCM"
            case 2: "2: ChaCha20-Poly1305"
            default: "\($0): not known"
            }
        }
    }
}
