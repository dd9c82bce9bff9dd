import Foundation
import Measurement
import Testing

@testable import kv

@Suite("Stages of a run")
struct StageRunTests {
    private func run(
        _ stage: KeyValueWorkloads.Stage, _ misbehaviour: Misbehaviour = .none,
        workloads: Set<String>? = nil
    ) throws -> [Sample] {
        let directory = FileManager.default.temporaryDirectory.path + "/kv-\(UUID().uuidString)"
        defer { DirectoryTree.remove(directory) }
        var size = RunSize.smoke
        size.recordCount = 1000
        size.readCount = 1000
        size.mixedSeconds = 0.02
        size.durableSeconds = 0.02
        let all = Set(KeyValueWorkloads.all.map(\.workload.name))
        let task = StageTask(
            stage: stage, engine: .lmdb, repetition: 1, directory: directory,
            resultPath: directory + "/result", size: size, workloads: workloads ?? all)
        return try MemoryEngine.$misbehaviour.withValue(misbehaviour) {
            try StageRun<MemoryEngine>(task).run()
        }
    }

    @Test(
        "a correct engine passes, and every row of the stage gets its value",
        arguments: [KeyValueWorkloads.Stage.load, .change, .sequential, .durable])
    func correctEngine(stage: KeyValueWorkloads.Stage) throws {
        let samples = try run(stage)
        var rows = Set(KeyValueWorkloads.all.filter { $0.stage == stage }.map(\.workload.name))
        if ProcessMemory.anonymousByteCount() == nil { rows.remove("memory_loaded") }
        #expect(Set(samples.map(\.workload)) == rows)
        for sample in samples { #expect(sample.value.isFinite) }
    }

    @Test(
        "an engine that returns wrong data fails the run",
        arguments: [
            (KeyValueWorkloads.Stage.load, Misbehaviour.losesARecord),
            (.load, .returnsAnotherValue), (.load, .findsMissingKeys), (.load, .scansOutOfOrder),
            (.change, .returnsOldValues), (.change, .losesARecord), (.sequential, .losesARecord),
        ])
    func wrongEngine(stage: KeyValueWorkloads.Stage, misbehaviour: Misbehaviour) {
        #expect(throws: BenchmarkError.self) { try run(stage, misbehaviour) }
    }

    @Test("rows that were not asked for are left out")
    func selection() throws {
        let samples = try run(.load, workloads: ["read_missing"])
        #expect(samples.map(\.workload) == ["read_missing"])
    }
}
