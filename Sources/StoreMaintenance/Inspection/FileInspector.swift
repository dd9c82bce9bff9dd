import SegmentLog
import TravertineStore

/// Decodes one file of a store for people.
public struct FileInspector {
    let window: SourceWindow
    var inspection: FileInspection
    /// How many batches an overview found.
    var batchCount = 0

    /// Reads a file and describes what is asked for.
    ///
    /// Changes nothing, and needs no lock: a file of a store that is open shows what is there now.
    ///
    /// - Throws: `.notFound`, `.permissionDenied`, `.io`; `.notAStore` for a file that is none of a
    ///   store by its name and holds no batch; `.misuse` when nothing is at the offset or has the
    ///   LSN.
    public static func inspect(
        path: String, _ selection: FileInspection.Selection, key: EncryptionKey? = nil
    ) throws(StoreError) -> FileInspection {
        try inspect(path: path, selection, environment: .system(key))
    }

    package static func inspect(
        path: String, _ selection: FileInspection.Selection, environment: Environment
    ) throws(StoreError) -> FileInspection {
        let window: SourceWindow
        do {
            window = try SourceWindow(path: path, fileSystem: environment.fileSystem)
        } catch {
            throw StoreError(error)
        }
        var inspector = FileInspector(
            window: window,
            inspection: FileInspection(
                path: path, byteCount: window.byteCount, kind: kind(of: window)))
        if inspector.isSealed {
            inspector.inspectSealedFile()
            return inspector.inspection
        }
        switch inspector.inspection.kind {
        case .segment, .other: inspector.inspectSegment(selection)
        case .pageFile: inspector.inspectPageFile(selection)
        case .manifest: inspector.inspectManifest(at: 0)
        case .keyHashes: inspector.inspectKeyHashes()
        case .backup: inspector.inspectBackupList()
        }
        let inspection = inspector.inspection
        if inspection.parts.isEmpty, selection.isNarrow {
            throw StoreError(.misuse, "Nothing in this file is at that place.", file: path)
        }
        let name = path.split(separator: "/").last.map(String.init) ?? path
        if inspection.kind == .other, !selection.isNarrow, inspector.batchCount == 0,
            !StoreFiles.isOfStore(name)
        {
            throw StoreError(
                .notAStore, "This is no file of a store, and no batch is in it.", file: path)
        }
        return inspection
    }

    private static func kind(of window: SourceWindow) -> FileInspection.Kind {
        guard let base = window.bytes(at: 0, count: 8) else { return .other }
        switch String(decoding: UnsafeRawBufferPointer(start: base, count: 8), as: UTF8.self) {
        case "TRVSEGMT": return .segment
        case "TRVPAGES": return .pageFile
        case "TRVMANIF": return .manifest
        case "TRVKEYHS": return .keyHashes
        case "TRVBACKP": return .backup
        default: return .other
        }
    }

    /// The bytes of a range, fewer at the end of the file; valid until the window is used again.
    func bytes(at offset: Int, _ count: Int) -> UnsafeRawBufferPointer {
        let count = max(0, min(count, window.byteCount - offset))
        return UnsafeRawBufferPointer(
            start: window.bytes(at: offset, count: count), count: count)
    }

    /// Adds a part with its fields and its first bytes.
    mutating func add(
        _ title: String, at offset: Int, _ byteCount: Int, problem: String?,
        _ read: (inout FieldReader) -> Void
    ) {
        let content = bytes(at: offset, byteCount)
        var reader = FieldReader(content, at: offset)
        read(&reader)
        inspection.parts.append(
            FileInspection.Part(
                title: title, offset: offset, byteCount: byteCount, problem: problem,
                fields: reader.fields, bytes: Array(content.prefix(FileInspection.bytesMax))))
    }

    // MARK: Manifest

    /// A manifest, which is its own file, or in the list of a backup.
    mutating func inspectManifest(at offset: Int) {
        // One byte more than a manifest has, where there must be no more.
        let content = bytes(at: offset, Manifest.byteCount + (offset == 0 ? 1 : 0))
        let decoded = capture { () throws(StoreError) in
            try Manifest(decoding: content, file: window.path)
        }
        var problem: String?
        if case .failure(let error) = decoded { problem = error.message }
        add("manifest", at: offset, Manifest.byteCount, problem: problem) { reader in
            reader.bytes("magic", 8)
            reader.number("format version", UInt32.self)
            reader.number("flags", UInt32.self) { $0 & 1 == 1 ? "\($0): closed cleanly" : "\($0)" }
            reader.uuid("store UUID", highFirst: true)
            reader.number("lineage", UInt64.self) { hex($0, 16) }
            reader.number("sequence number", UInt64.self)
            reader.number("durable LSN", UInt64.self)
            reader.number("clean end: segment", UInt32.self)
            reader.number("next page file", UInt32.self)
            reader.number("clean end: offset", UInt64.self)
            for name in ["newest checkpoint", "checkpoint before"] {
                reader.number("\(name): state", UInt32.self) {
                    ["0: none", "1: the empty index", "2: a page file"]
                        .first { [state = "\($0)"] in $0.hasPrefix(state) } ?? "\($0): unknown"
                }
                reader.number("\(name): page file", UInt32.self)
                reader.number("\(name): LSN", UInt64.self)
                reader.number("\(name): seed", UInt64.self) { hex($0, 16) }
                reader.number("\(name): descriptor's checksum", UInt32.self) { hex($0, 8) }
            }
            reader.number("retirement table: location", UInt64.self) {
                guard $0 != 0 else { return "0: none" }
                let location = Location(rawValue: $0)
                return "segment \(location.segment), offset \(location.offset)"
            }
            reader.number("directory: inode", UInt64.self)
            reader.number("directory: made, nanoseconds since 1970", UInt64.self)
            reader.zeros(356)
            reader.number("checksum", UInt32.self) { hex($0, 8) }
        }
    }
}

extension FileInspection.Selection {
    /// Whether one place is asked for.
    var isNarrow: Bool {
        if case .overview = self { return false }
        return true
    }
}
