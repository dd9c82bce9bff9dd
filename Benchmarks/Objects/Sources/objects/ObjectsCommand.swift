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
        var report = BenchmarkReport(
            title: "Object workloads, \(options.sizeName)", machine: MachineFacts(),
            notes: [
                "\(options.count) objects; repetitions: \(options.repetitionCount), engines in turn; "
                    + "medians, (min–max) where they differ by more than 20 %. ratio: Travertine to "
                    + "the best peer; above 1 is better, also for times and sizes.",
                "grdb: record types and query interface; grdb_sql: cached statements that read only "
                    + "the columns needed. Settings: Benchmarks/README.md.",
            ],
            workloads: ObjectWorkloads.all, engines: options.engines.map(\.rawValue),
            subject: ObjectEngineName.travertine.rawValue)
        let base = "\(options.directory)/objects-\(ProcessInfo.processInfo.processIdentifier)"
        let watch = Stopwatch()
        for repetition in 1...options.repetitionCount {
            for chain in [[ObjectTask.Stage.load, .query], [.durable]] {
                for index in options.engines.indices {
                    let engine = options.engines[(index + repetition) % options.engines.count]
                    let line =
                        "[\(decimals(watch.seconds, 1)) s] repetition \(repetition) of "
                        + "\(options.repetitionCount): \(chain[0].rawValue), \(engine.rawValue)\n"
                    FileHandle.standardError.write(Data(line.utf8))
                    defer { DirectoryTree.remove(base) }
                    try DirectoryTree.create(base)
                    for stage in chain {
                        report.samples += try samples(
                            ObjectTask(
                                stage: stage, engine: engine, repetition: repetition,
                                directory: "\(base)/\(engine.rawValue)",
                                resultPath: "\(base)/result.json", count: options.count,
                                durableSeconds: options.durableSeconds))
                    }
                }
            }
        }
        try deliver(report, options)
    }

    private static func samples(_ task: ObjectTask) throws -> [Sample] {
        // What the stage before left to be written back must not slow this one.
        sync()
        let child = try ChildProcess(arguments: [ObjectTask.option, try task.argument()])
        try child.wait()
        let text = TextFile.contents(of: task.resultPath) ?? ""
        return try JSONDecoder().decode([Sample].self, from: Data(text.utf8))
    }

    private static func deliver(_ report: BenchmarkReport, _ options: ObjectOptions) throws {
        print(report.text)
        if let path = options.jsonPath { try TextFile.write(try report.json(), to: path) }
        if let path = options.chartPath { try TextFile.write(report.chart, to: path) }
        if let path = options.markdownPath { try TextFile.write(report.markdown, to: path) }
    }
}
