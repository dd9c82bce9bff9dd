import SegmentLog
import TravertineStore

/// Files that are one list with a checksum at the end: key hashes, and the list of a backup's
/// files.
extension FileInspector {
    /// So many entries of a list are shown.
    private static let entryCountMax: UInt32 = 1000

    private func problem(of content: UnsafeRawBufferPointer) -> String? {
        guard content.count >= BlockChecksum.byteCount else { return "it is cut short" }
        return BlockChecksum.matches(content) ? nil : "its checksum does not match"
    }

    mutating func inspectKeyHashes() {
        // No segment has more keys than this.
        let byteCount = min(window.byteCount, SegmentHeader.segmentByteCountMax)
        let problem = problem(of: bytes(at: 0, byteCount))
        add("key hashes", at: 0, byteCount, problem: problem) { reader in
            reader.bytes("magic", 8)
            reader.number("format version", UInt32.self)
            reader.number("segment", UInt32.self)
            reader.uuid("store UUID", highFirst: false)
            reader.number("salt of the segment", UInt64.self) { hex($0, 16) }
            reader.number("first LSN of the segment", UInt64.self)
            reader.number("end offset of the segment", UInt64.self)
            let count = reader.number("hashes", UInt32.self) ?? 0
            reader.zeros(4)
            for place in 0..<min(count, Self.entryCountMax) {
                reader.number("hash \(place)", UInt32.self) { hex($0, 8) }
            }
            reader.move(to: byteCount - BlockChecksum.byteCount)
            reader.number("checksum", UInt32.self) { hex($0, 8) }
        }
    }

    mutating func inspectBackupList() {
        let byteCount = min(window.byteCount, 1 << 30)
        let problem = problem(of: bytes(at: 0, byteCount))
        add("list of a backup's files", at: 0, byteCount, problem: problem) { reader in
            reader.bytes("magic", 8)
            reader.number("format version", UInt32.self)
            let count = reader.number("files", UInt32.self) ?? 0
            reader.number("LSN", UInt64.self)
            reader.move(to: BackupManifest.Offset.files)
            for place in 0..<min(count, Self.entryCountMax) {
                reader.number("file \(place): kind", UInt32.self) {
                    $0 == 0 ? "0: segment" : $0 == 1 ? "1: page file" : "\($0): unknown"
                }
                reader.number("file \(place): number", UInt32.self)
                reader.number("file \(place): salt or seed", UInt64.self) { hex($0, 16) }
                reader.number("file \(place): byte count", UInt64.self)
                reader.zeros(8)
            }
            reader.move(to: byteCount - BlockChecksum.byteCount)
            reader.number("checksum", UInt32.self) { hex($0, 8) }
        }
        let manifest = BackupManifest.Offset.manifest
        if window.byteCount >= manifest + Manifest.byteCount { inspectManifest(at: manifest) }
    }
}
