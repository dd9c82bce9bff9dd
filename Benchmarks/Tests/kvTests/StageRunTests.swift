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
        size.sustainSeconds = 0.2
        size.settleSeconds = 0
        let all = Set(KeyValueWorkloads.all.map(\.workload.name))
        let task = StageTask(
            stage: stage, engine: .lmdb, repetition: 1, directory: directory,
            resultPath: directory + "/result", size: size, workloads: workloads ?? all,
            citiesPath: try Self.cities(below: directory))
        return try MemoryEngine.$misbehaviour.withValue(misbehaviour) {
            try StageRun<MemoryEngine>(task).run()
        }
    }

    @Test(
        "a correct engine passes, and every row of the stage gets its value",
        arguments: [
            KeyValueWorkloads.Stage.load, .change, .sequential, .durable, .sustain, .sustainDurably,
            .compacted, .compacting, .longReader, .backup, .coldLoad,
        ])
    func correctEngine(stage: KeyValueWorkloads.Stage) throws {
        let samples = try run(stage)
        var rows = Set(KeyValueWorkloads.all.filter { $0.stage == stage }.map(\.workload.name))
        // What only Travertine's statistics report, or only Linux.
        rows.subtract([
            "sustain_log", "sustain_moves", "sustain_pages", "sustain_zeros", "sustain_passes",
            "sustain_delayed", "durable_passes", "durable_checkpoints", "long_reader_bound",
            "long_reader_nodes",
            "backup_linked_rate", "backup_linked_share", "backup_linked_writes",
        ])
        if ProcessMemory.anonymousByteCount() == nil {
            rows.subtract(["memory_loaded", "long_reader_memory"])
        }
        if ProcessWrites.byteCount() == nil { rows.remove("sustain_written") }
        // Other tests of this process may free more memory in the meantime than the reader takes.
        if !samples.contains(where: { $0.workload == "long_reader_memory" }) {
            rows.remove("long_reader_memory")
        }
        #expect(Set(samples.map(\.workload)) == rows)
        for sample in samples { #expect(sample.value.isFinite) }
    }

    @Test(
        "an engine that returns wrong data fails the run",
        arguments: [
            (KeyValueWorkloads.Stage.load, Misbehaviour.losesARecord),
            (.load, .returnsAnotherValue), (.load, .findsMissingKeys), (.load, .scansOutOfOrder),
            (.change, .returnsOldValues), (.change, .losesARecord), (.sequential, .losesARecord),
            (.sustain, .returnsOldValues), (.sustain, .returnsAnotherValue),
            (.compacted, .returnsOldValues), (.compacted, .scansOutOfOrder),
            (.compacting, .returnsAnotherValue), (.longReader, .returnsOldValues),
            (.coldLoad, .losesARecord),
        ])
    func wrongEngine(stage: KeyValueWorkloads.Stage, misbehaviour: Misbehaviour) {
        #expect(throws: BenchmarkError.self) { try run(stage, misbehaviour) }
    }

    @Test("rows that were not asked for are left out")
    func selection() throws {
        let samples = try run(.load, workloads: ["read_missing"])
        #expect(samples.map(\.workload) == ["read_missing"])
    }

    @Test("a key of the cities is the number after geonameid")
    func cities() throws {
        let directory = FileManager.default.temporaryDirectory.path + "/kv-\(UUID().uuidString)"
        defer { DirectoryTree.remove(directory) }
        let cities = try CityRecords(path: try Self.cities(below: directory))
        #expect(cities.count == 300)
        let key = cities.withRecord(2) { key, _ in Array(key) }
        #expect(key == [0, 0, 0, 0, 0, 0, 0, 2 * 3])
        #expect(throws: BenchmarkError.self) { try CityRecords(path: directory + "/none") }
    }

    /// 300 lines like those of the cities.
    private static func cities(below directory: String) throws -> String {
        let path = directory + "/cities"
        let lines = (0..<300).map { "{\"name\": \"City \($0)\", \"geonameid\": \($0 * 3)}" }
        try DirectoryTree.create(directory)
        try TextFile.write(lines.joined(separator: "\n") + "\n", to: path)
        return path
    }
}
