import OrderedIndex
import SegmentLog

extension Snapshot {
    /// Writes what the snapshot sees as text: see `Documentation/Format.md`, 4.10, for the form.
    ///
    /// Memory is bounded, whatever the size of the store, and writing to the store goes on. Every
    /// value's checksum is verified.
    ///
    /// - Parameters:
    ///   - keyspaces: what to dump; nil dumps everything, so that `Store.load` makes the same store
    ///     of it, with derived keyspaces and identifiers.
    ///   - progress: called now and then with how far it is.
    ///   - sink: takes the text piece by piece.
    /// - Throws: `.damaged` for a record or page that can't be believed, `.noSuchKeyspace`, and what
    ///   `sink` throws.
    @discardableResult
    public func dump(
        keyspaces: [Keyspace]? = nil, progress: ((DumpProgress) -> Void)? = nil,
        to sink: (UnsafeRawBufferPointer) throws -> Void
    ) throws -> DumpSummary {
        var writer = try DumpWriter(self, keyspaces: keyspaces, progress: progress)
        return try writer.write(to: sink)
    }
}

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
        if !definitions.contains(where: { $0.id == Keyspace.default.id }) {
            definitions.insert(
                KeyspaceDefinition(id: 1, kind: .records, name: Keyspace.default.name), at: 0)
        }
        if let keyspaces {
            for keyspace in keyspaces
            where !definitions.contains(where: { $0.id == keyspace.id && $0.kind == .records }) {
                throw .noSuchKeyspace(keyspace.id)
            }
            definitions.removeAll { definition in
                !keyspaces.contains { $0.id == definition.id }
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

extension ReadAccess {
    /// The definitions in the system keyspace, by identifier, those of dropped keyspaces included.
    ///
    /// - Parameter fetcher: reads the records, if they are not to be mapped.
    func keyspaceDefinitions(
        file: String, fetcher: RecordFetcher? = nil
    ) throws(StoreError) -> [KeyspaceDefinition] {
        var definitions: [KeyspaceDefinition] = []
        var cursor = cursor(in: 0)
        var isValid = try cursor.seekToFirst()
        while isValid {
            let value: UnsafeRawBufferPointer
            if let fetcher {
                value = try fetcher.value(at: Location(rawValue: cursor.indexValue))
            } else {
                value = try cursor.value(verified: true)
            }
            guard let definition = cursor.withKey({ KeyspaceDefinition(key: $0, value: value) })
            else {
                throw StoreError(
                    .damaged, "A keyspace definition can't be decoded. Run `travertine fsck`.",
                    file: file)
            }
            definitions.append(definition)
            isValid = try cursor.next()
        }
        return definitions
    }
}

extension RecordFetcher {
    /// The value at a location of a keyspace that is never compressed; valid until the next call.
    fileprivate func value(
        at location: Location
    ) throws(StoreError) -> UnsafeRawBufferPointer {
        do throws(LogError) {
            return try record(at: location).value
        } catch {
            throw StoreError(error)
        }
    }
}
