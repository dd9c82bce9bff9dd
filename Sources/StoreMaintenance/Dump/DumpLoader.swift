import SegmentLog
import TravertineStore

/// Brings the lines of a dump into a new, empty store.
///
/// Keyspaces of a whole dump get the identifiers that they had; those of a partial dump the next
/// ones. The loader commits every few MiB without waiting for the disk: until all is there the
/// store has another name (`Store.load`), so that nobody takes a part for the whole.
struct DumpLoader {
    private let store: Store
    private let progress: ((DumpProgress) -> Void)?
    private var lines: DumpLineReader
    private var transaction: WriteTransaction?
    private var pendingByteCount = 0
    private var summary = DumpSummary(
        storeUUID: "", lsn: 0, keyspaceCount: 0, recordCount: 0, byteCount: 0)
    private var isWhole = true
    /// The keyspaces of the dump by their identifiers there; dropped ones are left out.
    private var keyspaces: [KeyspaceID: Keyspace] = [:]
    private var lastKeyspace = KeyspaceID.system
    /// The record before.
    private var place = KeyspaceID.system
    private var lastKey: [UInt8]?

    private static let transactionByteCount = 4 << 20

    init(
        _ store: Store, progress: ((DumpProgress) -> Void)?,
        from source: @escaping (UnsafeMutableRawBufferPointer) throws -> Int
    ) {
        self.store = store
        self.progress = progress
        lines = DumpLineReader(source)
    }

    /// Loads all lines and checks the end.
    mutating func load() throws -> DumpSummary {
        try loadHeader()
        var isDone = false
        while !isDone {
            guard let text = try lines.next() else {
                throw DumpError(line: lines.lineNumber + 1, reason: .truncated)
            }
            var line = try DumpLine(text, number: lines.lineNumber)
            if line.has(DumpFormat.Member.place) {
                try loadRecord(&line)
            } else if line.has(DumpFormat.Member.keyspace) {
                try loadKeyspace(&line)
            } else {
                try checkEnd(&line)
                isDone = true
            }
            pendingByteCount += text.count
            if pendingByteCount >= Self.transactionByteCount { try commit() }
        }
        if try lines.next() != nil {
            throw DumpError(line: lines.lineNumber, reason: .trailingText)
        }
        try commit()
        summary.byteCount = lines.byteCount
        return summary
    }

    // MARK: Lines

    private mutating func loadHeader() throws {
        guard let text = try lines.next() else { throw DumpError(line: 1, reason: .notADump) }
        guard text.starts(with: #"{"travertineDump":"#.utf8) else {
            throw DumpError(line: 1, reason: .notADump)
        }
        var line = try DumpLine(text, number: 1)
        let version = try line.unsigned(DumpFormat.Member.version)
        if version > DumpFormat.version {
            throw DumpError(line: 1, reason: .newerVersion(version))
        }
        guard version == DumpFormat.version else {
            throw line.bad(DumpFormat.Member.version, "1")
        }
        summary.storeUUID = try line.text(DumpFormat.Member.store)
        summary.lsn = try line.unsigned(DumpFormat.Member.lsn)
        isWhole = try line.boolean(DumpFormat.Member.isWhole)
        try line.finish()
    }

    private mutating func loadKeyspace(_ line: inout DumpLine) throws {
        guard summary.recordCount == 0 else {
            throw DumpError(line: line.number, reason: .misplacedKeyspace)
        }
        let id = KeyspaceID(
            treeNumber: Int(try line.unsigned(DumpFormat.Member.keyspace, max: 1 << 24 - 1)))
        let isNext = isWhole ? id.treeNumber == lastKeyspace.treeNumber + 1 : id > lastKeyspace
        guard isNext else {
            throw DumpError(line: line.number, reason: .keyspaceOutOfOrder(id.rawValue))
        }
        let name = try keyspaceName(&line)
        guard let kind = DumpFormat.kind(of: try line.text(DumpFormat.Member.kind)) else {
            throw line.bad(DumpFormat.Member.kind, "records, derived or dropped")
        }
        let isValid = kind == .derived ? try line.boolean(DumpFormat.Member.isValid) : true
        let compression = kind == .records ? try loadCompression(&line) : .off
        try line.finish()
        let isDefault = name == Keyspace.default.name
        guard isDefault == (id == .default), !isDefault || kind == .records else {
            throw line.bad(
                DumpFormat.Member.name, "“default” in keyspace 1, of kind records, and only there")
        }
        try makeKeyspace(id, name, kind, isValid: isValid, line)
        if compression != .off, let keyspace = keyspaces[id] {
            guard compression != .cold || !WriteTransaction.isReadInPlace(name) else {
                throw line.bad(DumpFormat.Member.compression, "none for rows of objects")
            }
            try openTransaction().setCompression(compression, of: keyspace)
        }
    }

    /// What compaction does with the keyspace's values; dumps of older programs don't say.
    private func loadCompression(_ line: inout DumpLine) throws -> KeyspaceCompression {
        guard line.has(DumpFormat.Member.compression) else { return .off }
        switch try line.text(DumpFormat.Member.compression) {
        case DumpFormat.cold: return .cold
        case DumpFormat.packed: return .packed
        default:
            throw line.bad(
                DumpFormat.Member.compression, "\(DumpFormat.cold) or \(DumpFormat.packed)")
        }
    }

    private mutating func keyspaceName(_ line: inout DumpLine) throws -> String {
        let bytes = try line.bytes(
            DumpFormat.Member.name, byteCountMax: KeyspaceDefinition.nameByteCountMax)
        guard !bytes.isEmpty, let name = String(validating: bytes, as: UTF8.self) else {
            throw line.bad(DumpFormat.Member.name, "the UTF-8 text of a name")
        }
        return name
    }

    private mutating func makeKeyspace(
        _ id: KeyspaceID, _ name: String, _ kind: Keyspace.Kind, isValid: Bool, _ line: DumpLine
    ) throws {
        let transaction = try openTransaction()
        if id > .default, transaction.knownKeyspace(named: name) != nil {
            throw DumpError(line: line.number, reason: .duplicateKeyspace(name))
        }
        let keyspace = try transaction.keyspace(
            named: name, kind: kind == .derived ? .derived : .records)
        if kind == .dropped {
            try transaction.dropKeyspace(keyspace)
        } else {
            keyspaces[id] = keyspace
        }
        if !isValid {
            transaction.writer.trees[keyspace.identifier.treeNumber].flags |= TreeFlags.invalid
        }
        lastKeyspace = id
        summary.keyspaceCount += 1
    }

    private mutating func loadRecord(_ line: inout DumpLine) throws {
        let id = KeyspaceID(
            treeNumber: Int(try line.unsigned(DumpFormat.Member.place, max: 1 << 24 - 1)))
        guard let keyspace = keyspaces[id] else {
            throw DumpError(line: line.number, reason: .unknownKeyspace(id.rawValue))
        }
        let key = try line.bytes(DumpFormat.Member.key, byteCountMax: Store.keyByteCountMax)
        let isNext =
            id == place ? lastKey?.lexicographicallyPrecedes(key) ?? true : id > place
        guard isNext else { throw DumpError(line: line.number, reason: .keyOutOfOrder) }
        let transaction = try openTransaction()
        if keyspace.kind == .derived {
            let number = try line.digits(DumpFormat.Member.number)
            try line.finish()
            _ = try key.withBytes { (key) throws(StoreError) in
                try transaction.indexPut(key, value: number, in: keyspace.identifier)
            }
        } else {
            let value = try line.bytes(
                DumpFormat.Member.value, byteCountMax: Store.valueByteCountMax)
            try line.finish()
            try transaction.put(value, forKey: key, in: keyspace)
        }
        (place, lastKey) = (id, key)
        summary.recordCount += 1
        if summary.recordCount % 1024 == 0 { report() }
    }

    private mutating func checkEnd(_ line: inout DumpLine) throws {
        guard try line.boolean(DumpFormat.Member.end) else {
            throw line.bad(DumpFormat.Member.end, "true")
        }
        let counts = [
            (DumpFormat.Member.keyspaceCount, summary.keyspaceCount),
            (DumpFormat.Member.recordCount, summary.recordCount),
        ]
        let stored = try line.checksum(DumpFormat.Member.checksum)
        for (name, found) in counts {
            let expected = try line.unsigned(name)
            guard expected == UInt64(found) else {
                throw DumpError(
                    line: line.number,
                    reason: .countMismatch(
                        member: name, expected: expected, found: UInt64(found)))
            }
        }
        try line.finish()
        guard stored == lines.checksumBefore else {
            throw DumpError(
                line: line.number,
                reason: .checksumMismatch(expected: stored, found: lines.checksumBefore))
        }
    }

    // MARK: Transactions

    private mutating func openTransaction() throws -> WriteTransaction {
        if let transaction { return transaction }
        let opened = try store.beginWrite()
        transaction = opened
        return opened
    }

    private mutating func commit() throws {
        try transaction?.commit(durability: Durability.unsynced)
        transaction = nil
        pendingByteCount = 0
        report()
    }

    private func report() {
        progress?(
            DumpProgress(
                recordCount: summary.recordCount, totalRecordCount: nil,
                byteCount: lines.byteCount))
    }
}
