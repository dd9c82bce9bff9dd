extension BenchmarkReport {
    /// The values with ratios and targets: one line of cells per workload, the heading first.
    public var valueTable: [[String]] {
        var lines = [["workload", "unit"] + engines + ["ratio", "target", ""]]
        for workload in measuredWorkloads {
            let cells = engines.map { cell(workload, $0)?.formatted() ?? "" }
            lines.append(
                [workload.name, workload.unit] + cells + [
                    ratioText(workload), targetText(workload), verdict(workload),
                ])
        }
        return lines
    }

    /// p50 / p99 / p99.9 / longest in microseconds, for the workloads that take latencies.
    public var latencyTable: [[String]] {
        var lines = [["latency p50 / p99 / p99.9 / longest, µs"] + engines]
        for workload in measuredWorkloads {
            let cells = engines.map { engine in
                [\Sample.p50, \.p99, \.p999, \.longest].compactMap { percentile in
                    latency(workload, engine, percentile)?.formatted { shortNumber($0 / 1000) }
                }.joined(separator: " / ")
            }
            if cells.contains(where: { !$0.isEmpty }) { lines.append([workload.name] + cells) }
        }
        return lines
    }

    /// The whole report for a terminal.
    public var text: String {
        var parts = [title, machine.summary]
        parts += notes
        parts += ["", aligned(valueTable)]
        if latencyTable.count > 1 { parts += ["", aligned(latencyTable)] }
        return parts.joined(separator: "\n") + "\n"
    }

    /// The whole report as a Markdown section.
    public var markdown: String {
        var parts = ["## \(title)", "", machine.summary, ""]
        parts += notes.map { "- \($0)" }
        parts += ["", pipes(valueTable)]
        if latencyTable.count > 1 { parts += ["", pipes(latencyTable)] }
        parts += ["", "What the rows mean:", ""]
        parts += measuredWorkloads.map { "- `\($0.name)`: \($0.meaning)" }
        return parts.joined(separator: "\n") + "\n"
    }

    private func ratioText(_ workload: Workload) -> String {
        ratio(workload).map { decimals($0, 2) + "×" } ?? ""
    }

    private func targetText(_ workload: Workload) -> String {
        switch workload.target {
        case .ratio(let least):
            "≥ \(shortNumber(least))×" + (workload.peer.map { " \($0)" } ?? "")
        case .atMost(let most): "≤ \(shortNumber(most)) \(workload.unit)"
        case .atLeast(let least): "≥ \(shortNumber(least)) \(workload.unit)"
        case .atMostOrBestPeer(let most):
            "≤ \(shortNumber(most)) \(workload.unit) or the best peer"
        case nil: ""
        }
    }

    private func verdict(_ workload: Workload) -> String {
        isReached(workload).map { $0 ? "pass" : "MISS" } ?? ""
    }

    private func pipes(_ lines: [[String]]) -> String {
        var rows = lines.map { "| " + $0.joined(separator: " | ") + " |" }
        if let first = lines.first {
            rows.insert("|" + first.map { _ in " --- |" }.joined(), at: 1)
        }
        return rows.joined(separator: "\n")
    }

    /// Columns of one width each, the first flush left, the others flush right.
    private func aligned(_ lines: [[String]]) -> String {
        guard let first = lines.first else { return "" }
        let widths = first.indices.map { column in lines.map { $0[column].count }.max() ?? 0 }
        return lines.map { line in
            line.indices.map { column in
                let gap = String(repeating: " ", count: widths[column] - line[column].count)
                return column == 0 ? line[column] + gap : gap + line[column]
            }.joined(separator: "  ")
        }.joined(separator: "\n")
    }
}
