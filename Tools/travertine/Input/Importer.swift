import Foundation
import TravertineStore

/// Puts records into a keyspace, a batch in each transaction, and says where to go on after a stop.
///
/// Every batch is durable before the next one begins, so that the line to go on from is exact: all
/// records before it are stored, none behind it.
struct Importer {
    private static let namedInvalidCountMax = 20

    private let store: Store
    private let keyspace: Keyspace
    private let batchSize: Int
    private let keySeparator: [UInt8]
    private let keyFieldNames: [String]
    private let valueFieldName: String?
    private let resumeFrom: Int
    private let skipsInvalid: Bool

    private var storedCount = 0
    private var invalidCount = 0
    private var byteCount = 0
    private var batch: [(key: [UInt8], value: [UInt8])] = []
    private var batchLine = 0
    private var lastLine = 0
    private var bar = ProgressBar("import")

    init(
        store: Store, keyspace: Keyspace, batchSize: Int, keySeparator: [UInt8],
        keyFieldNames: [String], valueFieldName: String?, resumeFrom: Int, skipsInvalid: Bool
    ) {
        self.store = store
        self.keyspace = keyspace
        self.batchSize = batchSize
        self.keySeparator = keySeparator
        self.keyFieldNames = keyFieldNames
        self.valueFieldName = valueFieldName
        self.resumeFrom = resumeFrom
        self.skipsInvalid = skipsInvalid
    }

    /// Reads everything, stores it, and prints a summary.
    ///
    /// - Throws: what stopped it, after telling where to go on.
    mutating func run(_ source: any RecordReader, until interruption: Interruption) throws {
        let start = ContinuousClock.now
        var reader = source
        while let outcome = try nextRecord(&reader) {
            try take(outcome)
            if interruption.isRequested { break }
            bar.update(
                done: reader.byteCount, total: reader.totalByteCount,
                detail: Figures.records(storedCount))
        }
        try storeBatch()
        bar.clear()
        // Checked behind the loop too: control-C also ends the program that feeds a pipe.
        if interruption.isRequested { throw interrupted() }
        printSummary(seconds: start.duration(to: .now).seconds)
    }

    // MARK: Records

    private mutating func take(_ outcome: Result<InputRecord, InvalidRecord>) throws {
        switch outcome {
        case .success(let record):
            lastLine = record.line
            if record.line < resumeFrom { return }
            switch entry(for: record) {
            case .success(let entry): try add(entry, line: record.line)
            case .failure(let invalid): try handle(invalid)
            }
        case .failure(let invalid):
            lastLine = invalid.line
            if invalid.line >= resumeFrom { try handle(invalid) }
        }
    }

    private mutating func nextRecord(
        _ reader: inout any RecordReader
    ) throws -> Result<InputRecord, InvalidRecord>? {
        do {
            return try reader.next()
        } catch {
            // What was read before the failure is good: it is stored before the failure is told.
            try storeBatch()
            bar.clear()
            throw error
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

    private mutating func handle(_ invalid: InvalidRecord) throws {
        invalidCount += 1
        if skipsInvalid {
            if invalidCount <= Self.namedInvalidCountMax {
                bar.clear()
                printToStandardError("line \(invalid.line): \(invalid.reason); left out")
            }
            return
        }
        try storeBatch()
        bar.clear()
        throw CommandError(
            ExitStatus.badData,
            """
            line \(invalid.line): \(invalid.reason).
            \(Figures.records(storedCount)) before it stored. Mend the line and go on with \
            --resume-from \(invalid.line), or leave it out with --skip-invalid.
            """)
    }

    // MARK: Batches

    private mutating func add(_ entry: (key: [UInt8], value: [UInt8]), line: Int) throws {
        if batch.isEmpty { batchLine = line }
        batch.append(entry)
        if batch.count >= batchSize { try storeBatch() }
    }

    private mutating func storeBatch() throws {
        if batch.isEmpty { return }
        do {
            try store.write(durability: .commit) { transaction in
                for entry in batch {
                    try transaction.put(entry.value, forKey: entry.key, in: keyspace)
                }
            }
        } catch {
            bar.clear()
            printToStandardError(
                "Stopped after \(Figures.records(storedCount)). Once the cause below is "
                    + "gone, go on with --resume-from \(batchLine).")
            throw error
        }
        storedCount += batch.count
        byteCount += batch.reduce(0) { $0 + $1.key.count + $1.value.count }
        batch.removeAll(keepingCapacity: true)
    }

    private func interrupted() -> CommandError {
        CommandError(
            ExitStatus.interrupted,
            "interrupted; \(Figures.records(storedCount)) stored. Go on with "
                + "--resume-from \(max(lastLine + 1, resumeFrom)).")
    }

    private func printSummary(seconds: Double) {
        let rate = seconds > 0 ? Int(Double(storedCount) / seconds) : storedCount
        var text =
            "\(Figures.records(storedCount)), \(Figures.bytes(byteCount)) of keys and values,"
            + String(format: " %.2f s", seconds) + " (\(Figures.count(rate)) records/s)"
        if invalidCount > 0 { text += "; \(Figures.count(invalidCount)) left out" }
        printToStandardError(text)
    }
}
