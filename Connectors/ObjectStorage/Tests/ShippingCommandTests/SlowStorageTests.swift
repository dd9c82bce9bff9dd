import Foundation
import StorageServers
import Synchronization
import Testing
import TravertineStore

/// A storage that does not answer, or not in time, or with conflicts: it is reported, and what was
/// committed is put in the end.
@Suite("Storage that is slow or busy", .enabled(Python.absence, Python.isAvailable))
struct SlowStorageTests {
    private func expectRestored(_ location: String, in directory: String) async throws {
        let target = directory + "/restored"
        let restored = try await run("restore", location, target)
        #expect(restored.status == 0, "\(restored.errorText)")
        let copy = try Store.open(at: target)
        #expect(try copy.snapshot().get("PT") == Array("Lisbon".utf8))
        try copy.close()
    }

    @Test("Puts that meet other operations on their keys (409) are put again in the same round")
    func conflicts() async throws {
        let targets = Mutex<Set<String>>([])
        let script: FaultProxy.Script = { request in
            guard request.method == .PUT,
                targets.withLock({ $0.insert(request.target).inserted })
            else { return .none }
            let code =
                request.target.contains("/data/")
                ? "OperationAborted" : "ConditionalRequestConflict"
            return .status(409, "<Error><Code>\(code)</Code></Error>")
        }
        try await withPlaces(through: script) { directory, location in
            let shipped = try await run(
                "ship", directory + "/store", location, "--once", "--json")
            #expect(shipped.status == 0, "\(shipped.errorText)")
            let events = shipped.lines.filter { !$0.contains("uploading") }
            #expect(!events.contains { $0.contains(#""event":"waiting""#) }, "\(events)")
            #expect(events.contains { $0.contains(#""event":"shipped""#) }, "\(events)")
            #expect(targets.withLock { $0.contains { $0.contains("/data/") } })
            try await expectRestored(location, in: directory)
        }
    }

    @Test(
        "What takes longer than a request may is reported, and the round passes in the end",
        arguments: [nil, "OperationAborted", "ConditionalRequestConflict"])
    func requestLimit(conflict: String?) async throws {
        let isOut = Mutex(true)
        let script: FaultProxy.Script = { request in
            guard request.method == .PUT, isOut.withLock({ $0 }) else { return .none }
            guard let conflict else { return .stall }
            return .status(409, "<Error><Code>\(conflict)</Code></Error>")
        }
        try await withPlaces(through: script) { directory, location in
            let shipper = try Program(
                "travertine-ship",
                [
                    "ship", directory + "/store", location, "--json", "--every", "100ms",
                    "--request-limit", "2s",
                ])
            let waits = await shipper.wait { $0.contains { $0.contains(#""event":"waiting""#) } }
            #expect(waits)
            isOut.withLock { $0 = false }
            let goesOn = await shipper.wait { $0.contains(#"{"event":"recovered"}"#) }
            #expect(goesOn)
            shipper.signal(SIGTERM)
            #expect(await shipper.end() == 0)
            #expect(shipper.lines.last == #"{"event":"end","points":1}"#, "\(shipper.lines)")
            try await expectRestored(location, in: directory)
        }
    }

    @Test("A request that is never answered ends at its limit")
    func requestEnds() async throws {
        let script: FaultProxy.Script = { _ in .stall }
        try await withPlaces(through: script) { directory, location in
            let start = ContinuousClock.now
            let shipped = try await run(
                "ship", directory + "/store", location, "--once", "--request-limit", "500ms")
            // Before the storage counts as silent.
            #expect(ContinuousClock.now - start < .seconds(30))
            #expect(shipped.status == 69)
            #expect(shipped.errorText.contains("the operation took too long"))
        }
    }

    @Test(
        "A storage that does not answer is reported once, before it is given up",
        arguments: [false, true])
    func silence(isJSON: Bool) async throws {
        // Three attempts of the first request.
        let left = Mutex(3)
        let script: FaultProxy.Script = { _ in
            left.withLock { left in
                if left == 0 { return .none }
                left -= 1
                return .stall
            }
        }
        try await withPlaces(through: script) { directory, location in
            let shipped = try await Program.run(
                "travertine-ship",
                ["ship", directory + "/store", location, "--once", "--answer-limit", "1500ms"]
                    + (isJSON ? ["--json"] : []))
            #expect(shipped.status == 0, "\(shipped.errorText)")
            let expected =
                isJSON
                ? [
                    #"{"event":"noAnswer","message":"no answer from the storage for 1.5 s"}"#,
                    #"{"event":"recovered"}"#,
                ]
                : [
                    "travertine-ship: no answer from the storage for 1.5 s; still trying",
                    "travertine-ship: it works again",
                ]
            let lines =
                isJSON ? shipped.lines : shipped.errorText.split(separator: "\n").map(String.init)
            #expect(Array(lines.prefix(2)) == expected, "\(lines)")
            #expect(lines.filter { $0.contains("no answer") }.count == 1)
            #expect(shipped.errorText.isEmpty == isJSON)
        }
    }

    /// A storage that does not answer to the first part, nor for some time to the second one.
    private final class PartialSilence: Sendable {
        private struct State {
            var parts: [String] = []
            var silenceCounts = [0, 0]
            /// How often the first part had got no answer when the second one was taken.
            var countAtAnswer: Int?
            var program: Program?
            var lines: (before: [String], after: [String]) = ([], [])
        }

        private let state = Mutex(State())

        func watch(_ program: Program) { state.withLock { $0.program = program } }

        /// What the program had printed before the second part was taken, and when the first one
        /// was taken at last, long after that.
        var lines: (before: [String], after: [String]) { state.withLock { $0.lines } }

        func fault(_ request: ProxiedRequest) -> Fault {
            guard request.method == .PUT, request.target.contains("/data/") else { return .none }
            return state.withLock { state in
                if !state.parts.contains(request.target) { state.parts.append(request.target) }
                let place = state.parts.firstIndex(of: request.target) ?? 0
                guard place < 2 else { return .none }
                state.silenceCounts[place] += 1
                let count = state.silenceCounts[place]
                if place == 1 {
                    if state.silenceCounts[0] < 3 { return .stall }
                    state.countAtAnswer = state.countAtAnswer ?? state.silenceCounts[0]
                    return .none
                }
                let lines = state.program?.lines ?? []
                if count == 3 { state.lines.before = lines }
                guard let start = state.countAtAnswer, count > start + 1 else { return .stall }
                state.lines.after = lines
                return .none
            }
        }
    }

    @Test("While one request gets no answer, the answers to others do not count as recovery")
    func partialSilence() async throws {
        let silence = PartialSilence()
        let script: FaultProxy.Script = { silence.fault($0) }
        try await withPlaces(through: script) { directory, location in
            let path = directory + "/store"
            let store = try Store.open(at: path)
            try store.write { transaction in
                for number in 0..<20 {
                    let value = [UInt8](repeating: UInt8(number), count: 1 << 20)
                    try transaction.put(value, forKey: "\(number)")
                }
            }
            try store.close()
            let shipper = try Program(
                "travertine-ship",
                ["ship", path, location, "--once", "--json", "--answer-limit", "1500ms"])
            silence.watch(shipper)
            #expect(await shipper.end() == 0)
            let text = #"{"event":"noAnswer","message":"no answer from the storage for 1.5 s"}"#
            #expect(silence.lines.before.last == text)
            #expect(silence.lines.after == silence.lines.before)
            #expect(shipper.lines.contains(#"{"event":"recovered"}"#))
        }
    }
}
