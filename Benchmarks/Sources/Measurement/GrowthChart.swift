#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// How the values of workloads change with the number of objects: reports of the same workloads at
/// several sizes, drawn as SVG.
public struct GrowthChart: Sendable {
    /// A report, and the number of objects that it was made with.
    public struct Point: Sendable {
        /// The number of objects.
        public var count: Int
        /// What was measured.
        public var report: BenchmarkReport

        /// A report of a size.
        public init(count: Int, report: BenchmarkReport) {
            self.count = count
            self.report = report
        }
    }

    private let title: String
    private let points: [Point]

    /// A chart of reports, which are put in the order of their sizes.
    public init(title: String, points: [Point]) {
        self.title = title
        self.points = points.sorted { $0.count < $1.count }
    }

    /// The chart: a small plot for each workload, in which each engine is a line. Both axes are
    /// logarithmic, so that time in proportion to the number of objects is a slope of one.
    public var svg: String {
        let workloads = workloads
        let layout = GrowthLayout(plotCount: workloads.count, counts: points.map(\.count))
        var lines = layout.head(title: title)
        for (index, engine) in engines.enumerated() {
            lines += layout.legend(engine, index, isSubject: engine == subject)
        }
        for (index, workload) in workloads.enumerated() {
            lines += plot(workload, layout.frame(of: index), layout)
        }
        return (lines + [SVG.end]).joined(separator: "\n") + "\n"
    }

    private var subject: String { points.first?.report.subject ?? "" }

    private var engines: [String] { points.first?.report.engines ?? [] }

    /// Those with a value at any size, in the order of the reports.
    private var workloads: [Workload] {
        let measured = Set(points.flatMap { $0.report.measuredWorkloads.map(\.name) })
        return (points.first?.report.workloads ?? []).filter { measured.contains($0.name) }
    }

    private func plot(
        _ workload: Workload, _ frame: GrowthLayout.Frame, _ layout: GrowthLayout
    ) -> [String] {
        let series = engines.map { engine in
            points.compactMap { point in
                point.report.cell(workload, engine).flatMap { cell in
                    cell.median > 0 ? (count: point.count, value: cell.median) : nil
                }
            }
        }
        let values = series.flatMap { $0.map(\.value) }
        let scale = GrowthLayout.Scale(values)
        var lines = layout.axes(frame, workload.name, scale)
        // The subject comes last, so that nothing hides it.
        let order = engines.indices.sorted { engines[$1] == subject && engines[$0] != subject }
        for index in order {
            let places = series[index].map { point in
                (
                    x: layout.x(point.count, frame), y: layout.y(point.value, scale, frame),
                    tip: "\(engines[index]), \(layout.label(point.count)) objects: "
                        + "\(shortNumber(point.value)) \(workload.unit)"
                )
            }
            lines += layout.line(places, index, isSubject: engines[index] == subject)
        }
        return lines
    }
}

/// Where things are in the plots, and how they are spelled in SVG.
private struct GrowthLayout {
    /// The place of a plot.
    struct Frame {
        var left: Int
        var top: Int
    }

    /// The powers of ten around some values.
    struct Scale {
        let low: Int
        let high: Int

        init(_ values: [Double]) {
            low = Int(log10(values.min() ?? 1).rounded(.down))
            high = max(Int(log10(values.max() ?? 1).rounded(.up)), low + 1)
        }
    }

    private static let columnCount = 4
    private let width = 960
    private let top = 84
    private let plotWidth = 160
    private let plotHeight = 96
    private let cellWidth = 232
    private let cellHeight = 156
    private let height: Int
    private let counts: [Int]

    init(plotCount: Int, counts: [Int]) {
        let rowCount = (plotCount + Self.columnCount - 1) / Self.columnCount
        height = top + rowCount * cellHeight + 8
        self.counts = counts
    }

    func frame(of index: Int) -> Frame {
        Frame(
            left: 52 + index % Self.columnCount * cellWidth,
            top: top + 20 + index / Self.columnCount * cellHeight)
    }

    /// "10⁵" for a power of ten, else the number with a suffix.
    func label(_ count: Int) -> String {
        let power = Int(log10(Double(max(count, 1))).rounded())
        guard power >= 3, pow(10, Double(power)) == Double(count) else {
            return shortNumber(Double(count))
        }
        let digits = Array("⁰¹²³⁴⁵⁶⁷⁸⁹")
        return "10" + String(String(power).compactMap { $0.wholeNumberValue.map { digits[$0] } })
    }

    func x(_ count: Int, _ frame: Frame) -> Int {
        let (low, high) = (log(Double(counts.first ?? 1)), log(Double(counts.last ?? 1)))
        let share = high > low ? (log(Double(count)) - low) / (high - low) : 0.5
        return frame.left + Int((share * Double(plotWidth)).rounded())
    }

    func y(_ value: Double, _ scale: Scale, _ frame: Frame) -> Int {
        let share = (log10(value) - Double(scale.low)) / Double(scale.high - scale.low)
        return frame.top + plotHeight - Int((share * Double(plotHeight)).rounded())
    }

    // MARK: Spelling

    func head(title: String) -> [String] {
        SVG.head(
            width: width, height: height, title: title,
            subtitle: "Queries in a second by the number of objects; both axes logarithmic.")
    }

    func legend(_ engine: String, _ index: Int, isSubject: Bool) -> [String] {
        let left = 22 + index * 120
        return [dot(left, 64, index, isSubject, engine), SVG.text(left + 12, 68, engine)]
    }

    func axes(_ frame: Frame, _ name: String, _ scale: Scale) -> [String] {
        var lines = [SVG.text(frame.left, frame.top - 8, name, weight: 600)]
        let step = max(1, (scale.high - scale.low + 3) / 4)
        for power in stride(from: scale.low, through: scale.high, by: step) {
            let y = y(pow(10, Double(power)), scale, frame)
            lines.append(SVG.line(frame.left, y, frame.left + plotWidth, y, color: "#e2e2e2"))
            lines.append(
                SVG.text(
                    frame.left - 6, y + 4, shortNumber(pow(10, Double(power))), anchor: "end",
                    size: 10, color: "#555555"))
        }
        for count in counts {
            let x = x(count, frame)
            lines.append(SVG.line(x, frame.top, x, frame.top + plotHeight, color: "#f0f0f0"))
            lines.append(
                SVG.text(
                    x, frame.top + plotHeight + 14, label(count), anchor: "middle", size: 10,
                    color: "#555555"))
        }
        return lines
    }

    func line(
        _ places: [(x: Int, y: Int, tip: String)], _ engine: Int, isSubject: Bool
    ) -> [String] {
        let corners = places.map { "\($0.x),\($0.y)" }.joined(separator: " ")
        return [
            "<polyline points=\"\(corners)\" fill=\"none\" stroke=\"\(SVG.color(engine))\" "
                + "stroke-width=\"\(isSubject ? 2.5 : 1.5)\"/>"
        ] + places.map { dot($0.x, $0.y, engine, isSubject, $0.tip) }
    }

    private func dot(
        _ x: Int, _ y: Int, _ engine: Int, _ isSubject: Bool, _ tip: String
    ) -> String {
        SVG.dot(x, y, engine, radius: isSubject ? 4 : 3, tip: tip)
    }
}
