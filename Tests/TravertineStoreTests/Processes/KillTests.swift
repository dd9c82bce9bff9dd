import Foundation
import StoreMaintenance
import StoreWorkload
import TestSupport
import Testing
import TravertineStore

/// Real processes, killed with SIGKILL while they write (in the simulator's place, whose faults are
/// its author's).
@Suite struct KillTests {
    private static let writer = "store-crash-writer"

    #if os(Linux)
        @Test(
            "a lack of address space is reported as such: nothing traps or is called damaged",
            arguments: ["confined", "confined-verification"])
        func addressSpace(mode: String) throws {
            let directory = TemporaryDirectory()
            if mode != "confined" {
                let store = try Store.open(at: directory.path("store"))
                try store.write { try $0.put("value", forKey: "key") }
                try store.close()
            }
            let run = try CommandRun(
                BuiltProgram.url(Self.writer), [directory.path("store"), mode])
            #expect(run.status == 0)
            #expect(run.output == "outOfMemory\n")
        }
    #endif

    @Test("a writer that is killed again and again keeps what it acknowledged, and leaves no part")
    func killRepeatedly() throws {
        let directory = TemporaryDirectory()
        let path = directory.path("store")
        let seed = UInt64.random(in: 0..<1 << 32)
        var generator = SeededRandom(seed: seed)
        let workload = Workload(seed: seed)
        var model = WorkloadModel(workload)
        for round in 0..<(SampledNumbers.isExhaustive ? 200 : 60) {
            let process = try RunningProgram(BuiltProgram.url(Self.writer), [path, "\(seed)"])
            // The number of lines to read before the kill, not a time: the round ends by itself.
            var last: String?
            for _ in 0..<Int.random(in: 1...60, using: &generator) {
                guard let line = process.readLine() else { break }
                last = line
            }
            process.end()
            while let line = process.readLine() { last = line }
            let acknowledged = try #require(
                last.flatMap { UInt64($0) }, "the writer said nothing; seed \(seed)")
            let store = try Store.open(at: path)
            let snapshot = try store.snapshot()
            let number = try Workload.counter(in: snapshot)
            #expect(number >= acknowledged, "round \(round), seed \(seed)")
            #expect(number <= acknowledged + 1, "round \(round), seed \(seed)")
            model.advance(to: number)
            let difference = try Workload.difference(of: snapshot, in: store, from: model)
            #expect(difference == nil, "round \(round), seed \(seed)")
            // Every other round leaves the store as a crash leaves it.
            if round % 2 == 0 { try store.close() }
        }
        let report = try StoreVerifier.verify(path: path)
        #expect(report.isSound, "\(report.findings), seed \(seed)")
    }
}
