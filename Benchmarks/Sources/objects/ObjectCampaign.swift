import Foundation
import Measurement

/// A whole run: repetitions, in each of them all parts, in each part all engines, every one in its
/// own child process and directory.
struct ObjectCampaign {
    let options: ObjectOptions
    private(set) var report: BenchmarkReport
    /// Parts that failed, in sentences; their rows are missing, and the run goes on without them.
    private(set) var failures: [String] = []
    private let watch = Stopwatch()

    init(_ options: ObjectOptions) {
        self.options = options
        report = BenchmarkReport(
            title: "Object workloads, \(options.sizeName)", machine: MachineFacts(),
            notes: [
                "\(options.count) objects; repetitions: \(options.repetitionCount), engines in "
                    + "turn; medians, (min–max) where they differ by more than 20 %. ratio: "
                    + "Travertine to the best peer, or to the one that the target names; above 1 "
                    + "is better, also for times and sizes.",
                "grdb: record types and query interface; grdb_sql: cached statements that read only "
                    + "the columns needed. Settings: Benchmarks/README.md.",
            ],
            workloads: ObjectWorkloads.all, engines: options.engines.map(\.rawValue),
            subject: ObjectEngineName.travertine.rawValue)
    }

    /// Runs everything.
    mutating func run() {
        for repetition in 1...options.repetitionCount {
            for chain in ObjectTask.chains where !rows(of: chain[...]).isEmpty {
                let engines = engines(of: chain)
                for index in engines.indices {
                    let engine = engines[(index + repetition) % engines.count]
                    let part = "\(chain[0].rawValue), \(engine.rawValue)"
                    progress("repetition \(repetition) of \(options.repetitionCount): \(part)")
                    do {
                        try run(chain, engine, repetition)
                    } catch {
                        let failure = "FAILED: \(part): \(error)"
                        progress(failure)
                        failures.append(failure)
                        report.notes.append(failure)
                    }
                }
            }
        }
        progress("done")
    }

    private func engines(of chain: [ObjectTask.Stage]) -> [ObjectEngineName] {
        switch chain {
        case [.realm]: options.engines.filter { $0 == .travertine }
        case [.queries], [.texts], [.observing]: options.engines.filter { $0 != .grdb }
        default: options.engines
        }
    }

    /// The rows of some stages that were asked for.
    private func rows(of stages: ArraySlice<ObjectTask.Stage>) -> Set<String> {
        options.workloads.filter { stages.contains(ObjectWorkloads.stage(of: $0)) }
    }

    private mutating func run(
        _ chain: [ObjectTask.Stage], _ engine: ObjectEngineName, _ repetition: Int
    ) throws {
        let base = "\(options.directory)/objects-\(ProcessInfo.processInfo.processIdentifier)"
        try DirectoryTree.create(base)
        defer { DirectoryTree.remove(base) }
        for (place, stage) in chain.enumerated() {
            if rows(of: chain[place...]).isEmpty { break }
            if place > 0, rows(of: [stage]).isEmpty { continue }
            // What the stage before left to be written back must not slow this one.
            sync()
            let task = ObjectTask(
                stage: stage, engine: engine, repetition: repetition,
                directory: "\(base)/\(engine.rawValue)", resultPath: "\(base)/result.json",
                count: options.count, durableSeconds: options.durableSeconds,
                workloads: rows(of: [stage]))
            let child = try ChildProcess(arguments: [ObjectTask.option, try task.argument()])
            try child.wait()
            let text = TextFile.contents(of: task.resultPath) ?? ""
            report.samples += try JSONDecoder().decode([Sample].self, from: Data(text.utf8))
        }
    }

    private func progress(_ message: String) {
        let line = "[\(decimals(watch.seconds, 1)) s] \(message)\n"
        FileHandle.standardError.write(Data(line.utf8))
    }
}
