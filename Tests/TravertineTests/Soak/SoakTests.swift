import Foundation
import TestSupport
import Testing

/// Writers, observers that come and go, readers in other processes and compaction for a long time, in
/// a separate process, whose memory and descriptors nobody else uses (`Tests/Soak`).
///
/// `TRAVERTINE_SOAK=N` lets it run for so many minutes, by default it runs a few rounds.
@Suite("A soak")
struct SoakTests {
    @Test("of memory, descriptors, snapshots and space nothing grows beyond its bound")
    func soak() throws {
        let directory = TemporaryDirectory()
        let minutes = ProcessInfo.processInfo.environment["TRAVERTINE_SOAK"].flatMap { Int($0) }
        let length = minutes.map { ["minutes", "\($0)"] } ?? ["rounds", "10"]
        let program = try RunningProgram(
            BuiltProgram.url("realm-soak"), [directory.path("realm")] + length)
        var lines: [String] = []
        while let line = program.readLine() {
            lines.append(line)
            if minutes != nil { print(line) }
        }
        #expect(lines.last == "within its bounds", "\(lines.joined(separator: "\n"))")
    }
}
