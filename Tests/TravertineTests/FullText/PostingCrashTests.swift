import Foundation
import SimulatedDisk
import TestSupport
import Testing

@testable import StoreFixtures
@testable import Travertine

/// Full-text indexes with positions on a disk that loses what was not synced, fails calls, and
/// stops at any of them.
///
/// `TRAVERTINE_POSTINGS=N` sets the number of seeds, by default 20, others each time;
/// `TRAVERTINE_SEED=N` the first one. A failure prints its seed.
@Suite("Postings after a power cut or a failed call")
struct PostingCrashTests {
    private static let perCase = 10

    private static func number(_ name: String) -> Int? {
        ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
    }

    private static let firstSeeds: [Int] = {
        let isLong = number("TRAVERTINE_POSTINGS") != nil
        // Some of those that the long form runs.
        let first = number("TRAVERTINE_SEED") ?? (isLong ? 1 : 1 + 10 * .random(in: 0..<490))
        return Array(
            stride(
                from: first, to: first + max(1, number("TRAVERTINE_POSTINGS") ?? 20), by: perCase))
    }()

    @Test(
        "O31: the entries are those that the texts which are there ask for", arguments: firstSeeds)
    func entries(firstSeed: Int) throws {
        var endings: Set<PostedLife.Ending> = []
        for seed in firstSeed..<firstSeed + Self.perCase {
            let callCount = try PostedLife(seed: UInt64(seed)).run(faultIn: nil).callCount
            endings.insert(try PostedLife(seed: UInt64(seed)).run(faultIn: callCount).ending)
        }
        // Some writes fail, and what was committed is there without them.
        #expect(endings.contains(.withoutLast), "seeds from \(firstSeed)")
    }
}

/// The life of a realm of texts, to a fault and the opening after it.
private final class PostedLife {
    /// What was found after the fault.
    enum Ending {
        /// Every write had returned, and is there.
        case whole
        /// The last write failed, and is there, or is not.
        case withLast, withoutLast
    }

    private let seed: UInt64
    private var random: SeededRandom
    private let machine: SimulatedMachine
    private var model: [UInt64: String] = [:]

    init(seed: UInt64) {
        self.seed = seed
        random = SeededRandom(seed: seed)
        machine = SimulatedMachine(seed: seed)
    }

    /// - Parameter callCount: the calls to the disk in a life of the seed without a fault; nil for
    ///   no fault.
    func run(faultIn callCount: Int?) throws -> (callCount: Int, ending: Ending) {
        // Jobs that were not run have the store, and the store has the executor.
        defer { machine.executor.removeAll() }
        var place = "seed \(seed)"
        var first = 0
        var failed: [UInt64: String]?
        try open { realm in
            try write(realm)
            first = machine.disk.callCount
            if let callCount {
                var random = SeededRandom(seed: seed &+ 1 << 32)
                let (fault, call) = (random.pick(DiskFault.allCases), random.below(callCount))
                machine.disk.setFault(fault, atCall: call)
                place += ", \(fault) at call \(call) of \(callCount)"
            }
            for _ in 0..<8 {
                let before = model
                do {
                    try write(realm)
                } catch {
                    #expect(callCount != nil, "\(place): \(error)")
                    failed = model
                    model = before
                    break
                }
                if random.chance(30) { try? realm.store.checkpoint() }
                if random.chance(60) { machine.executor.drain() }
            }
        }
        let count = machine.disk.callCount - first
        machine.disk.clearFaults()
        machine.crashAndRestart()
        var ending = Ending.whole
        try open { realm in
            var texts: [UInt64: String] = [:]
            for posted in realm.objects(Posted.self) { texts[Self.key(posted.id)] = posted.text }
            if let failed {
                ending = texts == failed ? .withLast : .withoutLast
                if ending == .withLast { model = failed }
            }
            #expect(texts == model, "\(place)")
            let entries = try realm.postingEntries(of: "text", Posted.self)
            #expect(entries == PlainPostings.entries(texts), "\(place)")
            #expect(try realm.brokenInvariants() == [], "\(place)")
            // It goes on.
            try write(realm)
            #expect(
                try realm.postingEntries(of: "text", Posted.self) == PlainPostings.entries(model),
                "\(place)")
        }
        return (count, ending)
    }

    private func open(_ body: (Realm) throws -> Void) throws {
        let configuration = Realm.Configuration(
            fileURL: URL(filePath: "/posted-\(seed)", directoryHint: .isDirectory),
            objectTypes: [Posted.self], durability: .commit)
        try SharedStore.$simulatedOptions.withValue(machine.options(.verified)) {
            try body(try Realm(configuration: configuration))
        }
    }

    private static func key(_ id: Int) -> UInt64 { UInt64(bitPattern: Int64(id)) ^ 1 << 63 }

    private func write(_ realm: Realm) throws {
        // In some transactions postings are stored in parts.
        let byteCountMax = random.pick([1 << 11, 1 << 24])
        try PostingsBatch.$byteCountMax.withValue(byteCountMax) {
            try realm.write {
                for _ in 0..<random.pick([1, 10, 60]) { change(realm) }
            }
        }
    }

    private func change(_ realm: Realm) {
        let id = random.below(200)
        let posted = realm.object(ofType: Posted.self, forPrimaryKey: id)
        if let posted, random.chance(40) {
            realm.delete(posted)
            model[Self.key(id)] = nil
            return
        }
        let count = random.chance(3) ? 150 : random.below(9)
        let text = (0..<count).map { _ in
            random.chance(60) ? random.pick(["old", "town", "mill"]) : "w\(random.below(60))"
        }.joined(separator: " ")
        if let posted { posted.text = text } else { realm.add(Posted(id, text)) }
        model[Self.key(id)] = text
    }
}
