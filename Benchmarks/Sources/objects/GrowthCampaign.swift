import Foundation
import Measurement

/// Runs of the queries at several numbers of objects, one after the other.
struct GrowthCampaign {
    private let options: ObjectOptions
    private(set) var points: [GrowthChart.Point] = []
    /// Parts that failed, in sentences.
    private(set) var failures: [String] = []

    init(_ options: ObjectOptions) { self.options = options }

    /// The sizes unless others are named.
    static let sizes = [100_000, 1_000_000, 10_000_000]

    /// Runs everything; each report is delivered when it is made.
    mutating func run(_ deliver: (BenchmarkReport) -> Void) {
        for size in options.growthSizes.sorted() {
            var options = options
            options.count = size
            options.sizeName = "growth"
            options.workloads = options.workloads.filter { $0.hasPrefix(QueryWorkload.prefix) }
            var campaign = ObjectCampaign(options)
            campaign.run()
            deliver(campaign.report)
            points.append(GrowthChart.Point(count: size, report: campaign.report))
            failures += campaign.failures
        }
    }

    /// The chart of what was measured.
    var chart: String {
        GrowthChart(title: "Queries by the number of objects", points: points).svg
    }
}
