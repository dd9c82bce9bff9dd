import Foundation
import Measurement

/// `objects`: the parent that runs everything, or a child that runs one stage of one engine.
@main
enum ObjectsCommand {
    static func main() {
        do {
            let arguments = Array(CommandLine.arguments.dropFirst())
            if arguments.first == ObjectTask.option, arguments.count == 2 {
                let task = try ObjectTask(argument: arguments[1])
                let json = try JSONEncoder().encode(try task.run())
                try TextFile.write(String(decoding: json, as: UTF8.self), to: task.resultPath)
            } else if let options = try ObjectOptions(arguments) {
                try run(options)
            }
        } catch {
            FileHandle.standardError.write(Data("objects: \(error)\n".utf8))
            exit(1)
        }
    }

    private static func run(_ options: ObjectOptions) throws {
        if let path = options.growthPath {
            var growth = GrowthCampaign(options)
            growth.run { print($0.text) }
            try TextFile.write(growth.chart, to: path)
            return try require(growth.failures.isEmpty, "parts of the run failed; see above.")
        }
        var campaign = ObjectCampaign(options)
        campaign.run()
        try deliver(campaign.report, options)
        try require(campaign.failures.isEmpty, "parts of the run failed; see above.")
    }

    private static func deliver(_ report: BenchmarkReport, _ options: ObjectOptions) throws {
        print(report.text)
        if let path = options.jsonPath { try TextFile.write(try report.json(), to: path) }
        if let path = options.chartPath { try TextFile.write(report.chart, to: path) }
        if let path = options.markdownPath { try TextFile.write(report.markdown, to: path) }
    }
}
