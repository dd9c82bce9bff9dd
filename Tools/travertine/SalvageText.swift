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
            report.gaps,
            explanation: "  What these commits changed is unknown, except what the report says "
                + "was found beside."
        ) { gap in
            let place = gap.file.map { ", behind offset \(gap.offset ?? 0) of \($0)" } ?? ""
            return gap.firstLSN == gap.lastLSN
                ? "missing: the batch with LSN \(gap.firstLSN)\(place)"
                : "missing: the batches with LSN \(gap.firstLSN) to \(gap.lastLSN)\(place)"
        }
    }

    private var lostVersions: [String] {
        section(
            report.lostVersions,
            explanation: "  The keys are as the damaged records have them; a key may itself be "
                + "wrong."
        ) { lost in
            let key = ByteText.shown(lost.key, isHex: false)
            let kept = lost.keptLSN.map { "the version of LSN \($0) was kept" } ?? "none was found"
            return "damaged: the newest version of “\(key)” in keyspace \(lost.keyspace), LSN "
                + "\(lost.lsn), at offset \(lost.offset) of \(lost.file); \(kept)"
        }
    }

    private var skipped: [String] {
        section(report.skipped, explanation: "  Nothing could be made of these bytes.") {
            "skipped: \(Figures.count($0.byteCount, "byte")) at offset \($0.offset) of \($0.file)"
        }
    }

    private func section<Item>(
        _ items: [Item], explanation: String, _ line: (Item) -> String
    ) -> [String] {
        if items.isEmpty { return [] }
        var lines = items.prefix(Self.listedCount).map(line)
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
        add(report.undecodableRecordCount, "record", "could not be decompressed")
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
                keyspace.name + (keyspace.nameIsLost ? " (its name is lost)" : ""),
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
                + "\(Figures.count(report.sources.count, "file")), newest LSN \(report.lastLSN)"
        ]
        if let cut = report.cutLSN {
            lines.append("It holds all transactions before LSN \(cut), and nothing later.")
        }
        lines.append(report.isComplete ? "nothing is lost" : "SOMETHING IS LOST, see above")
        return lines
    }
}
