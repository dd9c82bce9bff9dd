import StoreMaintenance
import TravertineStore

/// The report of a salvage for people: what came back, what is lost, and what that means.
struct SalvageText {
    private static let listedCount = 20
    private let report: SalvageReport
    private let target: String

    init(_ report: SalvageReport, target: String) {
        self.report = report
        self.target = target
    }

    /// The report, line by line.
    var lines: [String] {
        gaps + lostVersions + skipped + transactions + report.notes.map { "note: \($0)" } + [""]
            + keyspaces + [""] + conclusion
    }

    private var gaps: [String] {
        section(
            report.gaps, of: "missing",
            explanation: "  What these commits changed is unknown, except what the report says "
                + "was found beside."
        ) { gap in
            let place = gap.file.map { ", after offset \(gap.offset ?? 0) of \($0)" } ?? ""
            return gap.firstLSN == gap.lastLSN
                ? "the batch with LSN \(gap.firstLSN)\(place)"
                : "the batches with LSN \(gap.firstLSN) to \(gap.lastLSN)\(place)"
        }
    }

    private var lostVersions: [String] {
        section(
            report.lostVersions.filter { $0.lsn != nil }, of: "damaged",
            explanation: "  The keys are as the damaged records have them; a key may itself be "
                + "wrong."
        ) { "\(Self.version($0)), LSN \($0.lsn ?? 0), \(Self.place($0))" }
            + section(
                report.lostVersions.filter { $0.lsn == nil }, of: "gone",
                explanation: "  The keys are those of the checkpoint at LSN "
                    + "\(report.namedByCheckpointLSN ?? 0); what was written later is not in it."
            ) { "\(Self.version($0)), \(Self.place($0))" }
    }

    private static func version(_ lost: SalvageReport.LostVersion) -> String {
        "the newest version of “\(ByteText.shown(lost.key, isHex: false))” in keyspace "
            + "\(lost.keyspace)"
    }

    private static func place(_ lost: SalvageReport.LostVersion) -> String {
        let kept = lost.keptLSN.map { "the version of LSN \($0) was kept" } ?? "none was found"
        return "at offset \(lost.offset) of \(lost.file); \(kept)"
    }

    private var skipped: [String] {
        section(
            report.skipped, of: "skipped", explanation: "  Nothing could be made of these bytes."
        ) {
            "\(Figures.count($0.byteCount, "byte")) at offset \($0.offset) of \($0.file)"
        }
    }

    private func section<Item>(
        _ items: [Item], of kind: String, explanation: String, _ line: (Item) -> String
    ) -> [String] {
        if items.isEmpty { return [] }
        var lines = items.prefix(Self.listedCount).map { "\(kind): \(line($0))" }
        let hidden = items.count - Self.listedCount
        if hidden > 0 { lines.append("  … and \(Figures.count(hidden)) more: --json lists them") }
        return lines + [explanation]
    }

    private var transactions: [String] {
        var lines: [String] = []
        func add(_ count: Int, _ noun: String, _ meaning: String) {
            if count > 0 { lines.append("\(Figures.count(count, noun)) \(meaning)") }
        }
        add(
            report.strayRecordCount, "record",
            "found outside of whole batches and taken: each is intact, whether its transaction "
                + "was whole is unknown")
        add(
            report.partialTransactionCount, "transaction",
            report.preference == .newest ? "taken in part: a batch is missing" : "not whole")
        add(
            report.undecodableRecordCount, "record",
            "left out whose value can't be decompressed, or whose keyspace can't exist")
        add(
            report.deadTransactionCount, "transaction",
            "left out that was never committed, as opening does")
        add(report.voidBatchCount, "batch", "left out that does not count, as opening does")
        add(report.foreignBatchCount, "batch", "of other stores left out")
        if !report.otherStoreUUIDs.isEmpty {
            lines.append(
                "other stores in these files: \(report.otherStoreUUIDs.joined(separator: ", ")); "
                    + "--store UUID takes one of them")
        }
        return lines
    }

    private var keyspaces: [String] {
        var table = TextTable(["keyspace", "id", "keys", "values"])
        for keyspace in report.keyspaces {
            table.add([
                ByteText.shown(Array(keyspace.name.utf8), isHex: false)
                    + (keyspace.nameIsLost ? " (its name is lost)" : ""),
                "\(keyspace.id)", Figures.count(keyspace.keyCount),
                keyspace.isDerived ? "derived, to be rebuilt" : "records",
            ])
        }
        return table.lines
    }

    private var conclusion: [String] {
        var lines = [
            "\(target): \(Figures.count(report.recordCount, "record")), "
                + "\(Figures.bytes(report.byteCount)) from "
                + "\(Figures.count(report.sources.count, "file")), newest LSN found \(report.lastLSN)"
        ]
        if let cut = report.cutLSN {
            lines.append("It holds all transactions before LSN \(cut), and nothing later.")
        }
        if report.isComplete {
            lines.append("nothing is lost")
        } else if report.isCompleteUpToEnd {
            lines.append("COMMITS AT THE END MAY BE LOST, see above; nothing else is")
        } else {
            lines.append("SOMETHING IS LOST, see above")
        }
        return lines
    }
}
