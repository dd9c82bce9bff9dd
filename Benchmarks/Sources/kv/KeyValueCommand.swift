import Foundation
import Measurement

/// `kv`: the parent that runs a campaign, or a child that runs one stage of it.
@main
enum KeyValueCommand {
    static func main() {
        do {
            let arguments = Array(CommandLine.arguments.dropFirst())
            if arguments.first == StageTask.option, arguments.count == 2 {
                try runStage(arguments[1])
            } else if let options = try KeyValueOptions(arguments) {
                try runCampaign(options)
            }
        } catch {
            FileHandle.standardError.write(Data("kv: \(error)\n".utf8))
            exit(1)
        }
    }

    private static func runStage(_ argument: String) throws {
        let task = try StageTask(argument: argument)
        let samples = try task.run()
        let json = try JSONEncoder().encode(samples)
        try TextFile.write(String(decoding: json, as: UTF8.self), to: task.resultPath)
    }

    private static func runCampaign(_ options: KeyValueOptions) throws {
        var campaign = try Campaign(options)
        try campaign.run()
        let report = campaign.report
        print(report.text)
        if let path = options.jsonPath {
            try TextFile.write(try report.json(), to: path)
        }
        if let path = options.chartPath { try TextFile.write(report.chart, to: path) }
        if let path = options.markdownPath { try TextFile.write(report.markdown, to: path) }
        try require(campaign.failures.isEmpty, "parts of the run failed; see above.")
    }
}
