import TravertineStore

/// Puts records into a keyspace: the key is made of fields, the value is the record or a field.
final class KeyspaceSink: RecordSink {
    private let target: ImportTarget
    private let keySeparator: [UInt8]
    private let keyFieldNames: [String]
    private let valueFieldName: String?
    private var batch: [(key: [UInt8], value: [UInt8])] = []

    init(
        _ target: ImportTarget, keySeparator: [UInt8], keyFieldNames: [String],
        valueFieldName: String?
    ) {
        self.target = target
        self.keySeparator = keySeparator
        self.keyFieldNames = keyFieldNames
        self.valueFieldName = valueFieldName
    }

    var waitingCount: Int { batch.count }
    var defaultedFields: [String: Int] { [:] }

    func take(_ record: InputRecord) throws -> InvalidRecord? {
        switch entry(for: record) {
        case .success(let entry):
            batch.append(entry)
            return nil
        case .failure(let invalid): return invalid
        }
    }

    func commit() throws -> Int {
        defer { batch.removeAll(keepingCapacity: true) }
        let (store, keyspace) = try target.open()
        do {
            let report = try store.ingest(
                batch, into: keyspace, batchSize: max(1, batch.count), durability: .commit)
            return report.byteCount
        } catch {
            // All of the batch or nothing: the importer reports how much is stored.
            throw error.cause
        }
    }

    /// The key and the value of a record.
    private func entry(
        for record: InputRecord
    ) -> Result<(key: [UInt8], value: [UInt8]), InvalidRecord> {
        func invalid(_ reason: String) -> Result<(key: [UInt8], value: [UInt8]), InvalidRecord> {
            .failure(InvalidRecord(line: record.line, reason: reason))
        }
        var key: [UInt8] = []
        for (place, name) in keyFieldNames.enumerated() {
            guard case .text(let text)? = record.fields[place] else {
                return invalid(
                    record.fields[place] == nil
                        ? "the record has no field “\(name)” for its key"
                        : "the field “\(name)” is no text or number, so that it can't be a key")
            }
            if place > 0 { key.append(contentsOf: keySeparator) }
            key.append(contentsOf: text)
        }
        guard key.count <= Store.keyByteCountMax else {
            return invalid(
                "the key has \(key.count) bytes, the longest is \(Store.keyByteCountMax)")
        }
        var value = record.json
        if let valueFieldName {
            switch record.fields[keyFieldNames.count] {
            case .text(let bytes), .nested(let bytes): value = bytes
            case .null: return invalid("the field “\(valueFieldName)” is null")
            case nil: return invalid("the record has no field “\(valueFieldName)” for its value")
            }
        }
        guard value.count <= Store.valueByteCountMax else {
            return invalid(
                "the value has \(value.count) bytes, the longest is \(Store.valueByteCountMax)")
        }
        return .success((key, value))
    }
}
