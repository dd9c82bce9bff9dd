#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

extension BenchmarkReport {
    /// A chart of all workloads as SVG: a line for each, with a dot per engine at the number of
    /// times that it is as good as the best peer, on a logarithmic scale; at 1× is the best peer.
    /// The subject's dot is larger, and its value stands at the end of the line.
    public var chart: String {
        let rows = measuredWorkloads.filter { bestPeer($0) != nil }
        let layout = ChartLayout(rowCount: rows.count)
        var lines = layout.head(title: title)
        for (index, engine) in engines.enumerated() {
            let x = 22 + index * 120
            lines.append(layout.dot(x, 64, index, isLarge: engine == subject, tip: engine))
            lines.append(SVG.text(x + 12, 68, engine))
        }
        for times in ChartLayout.ticks {
            let x = layout.position(of: times)
            lines.append(layout.verticalLine(x, isStrong: times == 1))
            lines.append(SVG.text(x, layout.top - 8, ChartLayout.label(times), anchor: "middle"))
        }
        for (rowIndex, workload) in rows.enumerated() {
            lines += dots(of: workload, y: layout.middle(ofRow: rowIndex), in: layout)
        }
        lines.append(SVG.end)
        return lines.joined(separator: "\n") + "\n"
    }

    private func dots(of workload: Workload, y: Int, in layout: ChartLayout) -> [String] {
        guard let best = bestPeer(workload)?.median, best > 0 else { return [] }
        var lines = [
            SVG.text(layout.left - 12, y + 4, workload.name, anchor: "end"),
            layout.horizontalLine(y),
        ]
        // The subject comes last, so that its dot is never hidden.
        let order = engines.indices.sorted { engines[$1] == subject && engines[$0] != subject }
        for index in order {
            guard let value = cell(workload, engines[index])?.median, value > 0 else { continue }
            let times = workload.better == .higher ? value / best : best / value
            lines.append(
                layout.dot(
                    layout.position(of: times), y, index, isLarge: engines[index] == subject,
                    tip: "\(engines[index]): \(shortNumber(value)) \(workload.unit)"))
        }
        if let value = cell(workload, subject)?.median {
            lines.append(
                SVG.text(
                    layout.right + 14, y + 4, "\(shortNumber(value)) \(workload.unit)",
                    color: "#555555"))
        }
        return lines
    }
}

/// Where things are in the chart, and how they are spelled in SVG.
private struct ChartLayout {
    static let ticks = [0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30]
    let width = 920
    let left = 210
    let right = 780
    let top = 106
    let rowHeight = 24
    let height: Int

    init(rowCount: Int) { height = top + rowCount * rowHeight + 16 }

    static func label(_ times: Double) -> String {
        times < 1 ? "\(times)×" : "\(Int(times))×"
    }

    func middle(ofRow index: Int) -> Int { top + index * rowHeight + rowHeight / 2 }

    /// The x of a ratio: the range of the ticks over the width, clamped.
    func position(of times: Double) -> Int {
        let low = log(Self.ticks[0])
        let high = log(Self.ticks[Self.ticks.count - 1])
        let share = (log(times) - low) / (high - low)
        return left + Int(min(max(share, 0), 1) * Double(right - left))
    }

    func head(title: String) -> [String] {
        SVG.head(
            width: width, height: height, title: title,
            subtitle: "How many times as good as the best peer of the same run; logarithmic, "
                + "more to the right is better.")
    }

    func dot(_ x: Int, _ y: Int, _ engine: Int, isLarge: Bool, tip: String) -> String {
        SVG.dot(x, y, engine, radius: isLarge ? 7 : 5, opacity: isLarge ? "1" : "0.8", tip: tip)
    }

    func verticalLine(_ x: Int, isStrong: Bool) -> String {
        SVG.line(x, top, x, height - 16, color: isStrong ? "#333333" : "#e2e2e2")
    }

    func horizontalLine(_ y: Int) -> String { SVG.line(left, y, right, y, color: "#f0f0f0") }
}
