import Foundation
import StoreWorkload
import Testing
import TravertineStore

/// Real processes, killed with SIGKILL while they write (in the simulator's place, whose faults are
/// its author's).
@Suite struct KillTests {
    private var writer: URL {
        get throws {
            let folder = Bundle.main.executableURL?.deletingLastPathComponent()
            let names = [
                folder, Bundle(for: TemporaryDirectory.self).bundleURL.deletingLastPathComponent(),
            ]
            for folder in names.compactMap({ $0 }) {
                let url = folder.appendingPathComponent("store-crash-writer")
                if FileManager.default.isExecutableFile(atPath: url.path) { return url }
            }
            throw CocoaError(.fileNoSuchFile)
        }
    }

    #if os(Linux)
        @Test(
            "where there is no address space for a batch, opening says so, and nothing traps or is "
                + "called damaged", arguments: ["confined", "confined-verification"])
        func addressSpace(mode: String) throws {
            let directory = try TemporaryDirectory()
            if mode != "confined" {
                let store = try Store.open(at: directory.path("store"))
                try store.write { try $0.put("value", forKey: "key") }
                try store.close()
            }
            let process = Process()
            process.executableURL = try writer
            process.arguments = [directory.path("store"), mode]
            let output = Pipe()
            process.standardOutput = output
            try process.run()
            let text = String(
                decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            process.waitUntilExit()
            #expect(process.terminationReason == .exit && process.terminationStatus == 0)
            #expect(text == "outOfMemory\n")
        }
    #endif

    @Test("a writer killed 200 times loses nothing that it acknowledged, and leaves no part")
    func killRepeatedly() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path("store")
        let seed = UInt64.random(in: 0..<1 << 32)
        var generator = SeededGenerator(seed: seed)
        let workload = Workload(seed: seed)
        var model = WorkloadModel(workload)
        for round in 0..<200 {
            let process = Process()
            process.executableURL = try writer
            process.arguments = [path, "\(seed)"]
            let output = Pipe()
            process.standardOutput = output
            try process.run()
            // The number of lines to read before the kill, not a time: the round ends by itself.
            let lineCount = Int.random(in: 1...60, using: &generator)
            var text = Data()
            while text.lazy.filter({ $0 == 10 }).count < lineCount {
                let more = output.fileHandleForReading.availableData
                if more.isEmpty { break }
                text.append(more)
            }
            kill(process.processIdentifier, SIGKILL)
            text.append(output.fileHandleForReading.readDataToEndOfFile())
            process.waitUntilExit()
            let lines = String(decoding: text, as: UTF8.self).split(separator: "\n")
            let acknowledged = try #require(
                lines.last.flatMap { UInt64($0) }, "the writer said nothing; seed \(seed)")
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
