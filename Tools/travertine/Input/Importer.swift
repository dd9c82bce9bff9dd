import Foundation
import TravertineStore

/// Stores records, a batch in each transaction, and says where to go on after a stop.
///
/// Every batch is durable before the next one begins, so that the line to go on from is exact: all
/// records before it are stored, none after it.
struct Importer {
    private static let namedInvalidCountMax = 20

    private let sink: any RecordSink
    private let batchSize: Int
    private let resumeFrom: Int
    private let skipsInvalid: Bool
    private let printsJSON: Bool

    private var storedCount = 0
    private var invalidCount = 0
    private var byteCount = 0
    private var batchLine = 0
    private var lastLine = 0
    private var unit = "line"
    private var bar = ProgressBar("import")

    init(
        into sink: any RecordSink, batchSize: Int, resumeFrom: Int, skipsInvalid: Bool,
        printsJSON: Bool
    ) {
        self.printsJSON = printsJSON
        self.sink = sink
        self.batchSize = batchSize
        self.resumeFrom = resumeFrom
        self.skipsInvalid = skipsInvalid
    }

    /// Reads everything, stores it, and prints a summary.
    ///
    /// - Throws: what stopped it, after printing where to go on.
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
        defer { reportDefaults() }
        // Checked after the loop too: control-C also ends the program that feeds a pipe.
        if interruption.isRequested {
            throw interruption.error(
                "\(Figures.records(storedCount)) stored. Go on with --resume-from "
                    + "\(max(lastLine + 1, resumeFrom)).")
        }
        try printSummary(seconds: start.duration(to: .now).seconds)
    }

    // MARK: Records

    private mutating func take(_ outcome: Result<InputRecord, InvalidRecord>) throws {
        switch outcome {
        case .success(let record):
            lastLine = record.line
            if record.line < resumeFrom { return }
            let isFirst = sink.waitingCount == 0
            if let invalid = try sink.take(record) {
                try handle(invalid)
                return
            }
            if isFirst { batchLine = record.line }
            if sink.waitingCount >= batchSize { try storeBatch() }
        case .failure(let invalid):
            lastLine = invalid.line
            if invalid.line >= resumeFrom { try handle(invalid) }
        }
    }

    private mutating func nextRecord(
        _ reader: inout any RecordReader
    ) throws -> Result<InputRecord, InvalidRecord>? {
        do {
            let record = try reader.next()
            unit = reader.unit
            return record
        } catch is InputInterrupted {
            return nil
        } catch {
            // What was read before the failure is good: it is stored before the failure is
            // reported.
            try storeBatch()
            bar.clear()
            reportDefaults()
            printStop(goingOnFrom: max(lastLine + 1, resumeFrom))
            throw error
        }
    }

    /// Prints, before an error that ends the import, what is stored and how to go on.
    private func printStop(goingOnFrom line: Int) {
        if storedCount == 0 {
            return printToStandardError(
                "Nothing was stored. Once the cause below is gone, run the same command again.")
        }
        var text =
            "Stopped after \(Figures.records(storedCount)), which are stored. Once the cause below is "
            + "gone, go on with --resume-from \(line)"
        if unit == InputOrigin.rowUnit {
            text += ", if the query has ORDER BY; else import all rows again"
        }
        printToStandardError(text + ".")
    }

    private mutating func handle(_ invalid: InvalidRecord) throws {
        invalidCount += 1
        if skipsInvalid {
            if invalidCount <= Self.namedInvalidCountMax {
                bar.clear()
                printWarning("\(unit) \(invalid.line): \(invalid.reason); left out")
            }
            return
        }
        try storeBatch()
        bar.clear()
        reportDefaults()
        throw CommandError(
            ExitStatus.badData,
            """
            \(unit) \(invalid.line): \(invalid.reason.asSentence)
            \(Figures.records(storedCount)) before it stored. Correct the \(unit) and go on with \
            --resume-from \(invalid.line), or leave it out with --skip-invalid.
            """)
    }

    // MARK: Batches

    private mutating func storeBatch() throws {
        let count = sink.waitingCount
        if count == 0 { return }
        do {
            byteCount += try sink.commit()
        } catch {
            bar.clear()
            printStop(goingOnFrom: batchLine)
            throw error
        }
        storedCount += count
    }

    private struct Summary: Encodable {
        let recordCount: Int
        let leftOutCount: Int
        let byteCount: Int
        let defaultedFields: [String: Int]
    }

    /// Prints what new objects got defaults for.
    private func reportDefaults() {
        if !printsJSON { FieldCounts.report(missing: sink.defaultedFields) }
    }

    private func printSummary(seconds: Double) throws {
        if printsJSON {
            let summary = Summary(
                recordCount: storedCount, leftOutCount: invalidCount, byteCount: byteCount,
                defaultedFields: sink.defaultedFields)
            return print(try JSONReport.text(of: summary))
        }
        let rate = seconds > 0 ? Int(Double(storedCount) / seconds) : storedCount
        var text =
            "\(Figures.records(storedCount)), \(Figures.bytes(byteCount)) of keys and values,"
            + String(format: " %.2f s", seconds) + " (\(Figures.count(rate)) records/s)"
        if invalidCount > 0 { text += "; \(Figures.count(invalidCount)) left out" }
        printNote(text)
    }
}
