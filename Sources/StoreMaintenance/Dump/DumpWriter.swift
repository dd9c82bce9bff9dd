import OrderedIndex
import SegmentLog
import TravertineStore

/// Writes the lines of one dump.
struct DumpWriter {
    private let access: ReadAccess
    private let definitions: [KeyspaceDefinition]
    private let isWhole: Bool
    private let progress: ((DumpProgress) -> Void)?
    private let totalRecordCount: Int
    private var output = DumpOutput()
    private var summary: DumpSummary

    init(
        _ snapshot: Snapshot, keyspaces: [Keyspace]?, progress: ((DumpProgress) -> Void)?
    ) throws(StoreError) {
        access = snapshot.access
        var definitions = try access.keyspaceDefinitions(file: snapshot.store.path)
        // The default keyspace has a definition only once something was said of it.
        if !definitions.contains(where: { $0.id == .default }) {
            definitions.insert(
                KeyspaceDefinition(id: .default, kind: .records, name: Keyspace.default.name), at: 0
            )
        }
        if let keyspaces {
            for keyspace in keyspaces
            where !definitions.contains(where: {
                $0.id == keyspace.identifier && $0.kind == .records
            }) {
                throw .noSuchKeyspace(keyspace.identifier)
            }
            definitions.removeAll { definition in
                !keyspaces.contains { $0.identifier == definition.id }
            }
        }
        self.definitions = definitions
        self.progress = progress
        isWhole = keyspaces == nil
        totalRecordCount = definitions.reduce(0) { $0 + snapshot.access.count(in: $1.id) }
        summary = DumpSummary(
            storeUUID: snapshot.store.log.identity.text, lsn: snapshot.lsn,
            keyspaceCount: definitions.count, recordCount: 0, byteCount: 0)
    }

    mutating func write(to sink: (UnsafeRawBufferPointer) throws -> Void) throws -> DumpSummary {
        addHeader()
        for definition in definitions { addLine(of: definition) }
        for definition in definitions where definition.kind != .dropped {
            try addRecords(of: definition, sink)
        }
        try output.flush(always: true, to: sink)
        addEnd(checksum: output.flushedChecksum)
        try output.flush(always: true, to: sink)
        summary.byteCount = output.byteCount
        report()
        return summary
    }

    // MARK: Lines

    private mutating func addHeader() {
        let summary = summary
        let isWhole = isWhole
        output.addLine { line in
            line += #"{"travertineDump":\#(DumpFormat.version)"#.utf8
            line += #","store":"\#(summary.storeUUID)""#.utf8
            line += #","lsn":\#(summary.lsn),"whole":\#(isWhole)}"#.utf8
        }
    }

    private mutating func addLine(of definition: KeyspaceDefinition) {
        let isInvalid = access.tree(of: definition.id).flags & TreeFlags.invalid != 0
        output.addLine { line in
            line += #"{"keyspace":\#(definition.id)"#.utf8
            definition.name.withBytes { DumpText.append(member: "name", $0, to: &line) }
            line += #","kind":"\#(DumpFormat.text(of: definition.kind))""#.utf8
            if definition.kind == .derived { line += #","valid":\#(!isInvalid)"#.utf8 }
            if let compression = DumpFormat.text(of: definition.compression) {
                line += #","compression":"\#(compression)""#.utf8
            }
            line.append(UInt8(ascii: "}"))
        }
    }

    private mutating func addRecords(
        of definition: KeyspaceDefinition, _ sink: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        var cursor = access.cursor(in: definition.id)
        var isValid = try cursor.seekToFirst()
        let start = Array(#"{"in":\#(definition.id)"#.utf8)
        while isValid {
            let number = definition.kind == .derived ? cursor.indexValue : nil
            let value = number == nil ? try cursor.value(verified: true) : nil
            output.addLine { line in
                line += start
                cursor.withKey { DumpText.append(member: "key", $0, to: &line) }
                if let value { DumpText.append(member: "value", value, to: &line) }
                if let number { line += #","number":"\#(number)""#.utf8 }
                line.append(UInt8(ascii: "}"))
            }
            summary.recordCount += 1
            if summary.recordCount % 1024 == 0 { report() }
            try output.flush(to: sink)
            isValid = try cursor.nextWithPrefetch()
        }
    }

    private mutating func addEnd(checksum: UInt32) {
        let summary = summary
        output.addLine { line in
            line += #"{"end":true,"keyspaceCount":\#(summary.keyspaceCount)"#.utf8
            line += #","recordCount":\#(summary.recordCount)"#.utf8
            line += #","crc32c":"\#(DumpText.hexadecimal(checksum))"}"#.utf8
        }
    }

    private func report() {
        progress?(
            DumpProgress(
                recordCount: summary.recordCount, totalRecordCount: totalRecordCount,
                byteCount: output.byteCount))
    }
}
