import Foundation
import Measurement

/// A whole run: repetitions, in each of them all parts, in each part all engines one after another,
/// so that a machine that grows slower or faster in between does so to all alike.
///
/// Every engine works in its own child process, so that memory and caches are clean, and in its own
/// directory, which is removed when its part is over.
struct Campaign {
    let options: KeyValueOptions
    private(set) var report: BenchmarkReport
    /// Parts that failed, in sentences; their rows are missing, and the run goes on without them.
    private(set) var failures: [String] = []

    /// Throws if an engine that was asked for is not installed.
    init(_ options: KeyValueOptions) throws {
        self.options = options
        let order = options.repetitionCount == 1 ? "" : "s, engines in turn"
        report = BenchmarkReport(
            title: "Key-value workloads, \(options.size.name)",
            machine: MachineFacts(),
            notes: options.size.notes + [
                "\(options.repetitionCount) repetition\(order); medians, (min–max) where they "
                    + "differ by more than 20 %. ratio: Travertine to the best peer; above 1 is "
                    + "better, also for times and sizes."
            ] + (try Self.libraries(options)),
            workloads: KeyValueWorkloads.all.map(\.workload),
            engines: options.engines.map(\.rawValue), subject: Self.subject(options).rawValue)
    }

    /// What the peers are compared with.
    private static func subject(_ options: KeyValueOptions) -> EngineName {
        let engines = options.engines
        return engines.contains(.travertineEncrypted) && !engines.contains(.travertine)
            ? .travertineEncrypted : .travertine
    }

    /// Which libraries were loaded instead of linked, in sentences.
    private static func libraries(_ options: KeyValueOptions) throws -> [String] {
        try options.engines.compactMap { engine in
            switch engine {
            case .sqlite: try SQLiteLibrary.plain().summary
            case .sqlcipher: try SQLiteLibrary.cipher(path: options.sqlcipherPath).summary
            default: nil
            }
        }
    }

    /// Runs everything.
    mutating func run() throws {
        try DirectoryTree.create(options.directory)
        let watch = Stopwatch()
        for repetition in 1...options.repetitionCount {
            for chain in KeyValueWorkloads.chains where wants(chain) {
                let engines = options.engines.filter {
                    KeyValueWorkloads.engines(of: chain[0])?.contains($0) ?? true
                }
                for index in engines.indices {
                    // Another engine is first each time: the one after a heavy one has it harder.
                    let engine = engines[(index + repetition) % engines.count]
                    progress(
                        "repetition \(repetition) of \(options.repetitionCount): "
                            + "\(chain[0].rawValue), \(engine.rawValue)", watch)
                    do {
                        try run(chain, engine, repetition)
                    } catch {
                        let failure = "FAILED: \(chain[0].rawValue), \(engine.rawValue): \(error)"
                        progress(failure, watch)
                        failures.append(failure)
                        report.notes.append(failure)
                    }
                }
            }
        }
        progress("done", watch)
    }

    private func wants(_ chain: [KeyValueWorkloads.Stage]) -> Bool {
        chain.contains { !workloads(of: $0).isEmpty }
    }

    private func workloads(of stage: KeyValueWorkloads.Stage) -> Set<String> {
        let names = KeyValueWorkloads.all.filter { $0.stage == stage }.map(\.workload.name)
        return options.workloads.intersection(names)
    }

    /// Runs the stages of a chain in one directory.
    private mutating func run(
        _ chain: [KeyValueWorkloads.Stage], _ engine: EngineName, _ repetition: Int
    ) throws {
        let base = "\(options.directory)/kv-\(ProcessInfo.processInfo.processIdentifier)"
        let directory = "\(base)/\(engine.rawValue)"
        try DirectoryTree.create(base)
        defer { DirectoryTree.remove(base) }
        for (index, stage) in chain.enumerated() {
            let rest = chain[index...]
            guard rest.contains(where: { !workloads(of: $0).isEmpty }) else { break }
            if index > 0, stage != .killedOpening, workloads(of: stage).isEmpty { continue }
            // What the stage before left to be written back must not slow this one.
            sync()
            let task = StageTask(
                stage: stage, engine: engine, repetition: repetition, directory: directory,
                resultPath: "\(base)/result.json",
                size: chain[0] == .limitedLoad ? options.size.limited : options.size,
                workloads: workloads(of: stage), citiesPath: options.citiesPath,
                sqlcipherPath: options.sqlcipherPath)
            try run(task)
        }
    }

    private mutating func run(_ task: StageTask) throws {
        DirectoryTree.remove(task.resultPath)
        let child = try ChildProcess(arguments: [StageTask.option, try task.argument()])
        guard task.stage != .killedWriter else {
            while TextFile.contents(of: task.resultPath) != "ready" {
                try require(child.isRunning, "The writer that was to be killed ended by itself.")
                usleep(10_000)
            }
            child.killAndWait()
            return
        }
        try child.wait()
        let text = TextFile.contents(of: task.resultPath) ?? ""
        report.samples += try JSONDecoder().decode([Sample].self, from: Data(text.utf8))
    }

    private func progress(_ message: String, _ watch: Stopwatch) {
        let line = "[\(decimals(watch.seconds, 1)) s] \(message)\n"
        FileHandle.standardError.write(Data(line.utf8))
    }
}
