import Foundation
import Testing

@testable import TravertineStore

/// Every kind of damage to a small store with several keyspaces and a derived one: opening or `fsck`
/// says so, or nothing is different for a reader; nothing traps; and salvage returns the newest
/// version of every key whose bytes are still somewhere.
///
/// By default a sample of one store, in less than a minute; with `TRAVERTINE_EXHAUSTIVE=1` in the
/// environment every bit and two values of every byte of every file, every length, every pair, of a
/// new store each time. Use a release build for that: `swift test -c release -Xswiftc
/// -enable-testing`. `TRAVERTINE_SEED=N` chooses the store.
@Suite(.serialized) struct DamageCorpusTests {
    private static let isExhaustive =
        ProcessInfo.processInfo.environment["TRAVERTINE_EXHAUSTIVE"] != nil
    private static let expectedCodes: Set<StoreError.Code> = [
        .damaged, .notAStore, .newerFormat, .wrongStore,
    ]
    private let seed: UInt64
    private let history: History

    init() throws {
        let given = ProcessInfo.processInfo.environment["TRAVERTINE_SEED"].flatMap { UInt64($0) }
        seed = given ?? (Self.isExhaustive ? UInt64.random(in: 0..<1 << 32) : 20_261_121)
        history = try History.make(seed: seed)
    }

    private var image: StoreImage { history.image }

    // MARK: Changes of bytes

    @Test("a changed bit") func bits() throws {
        try forEachByte(step: 29) { file, place, random in
            let bits = Self.isExhaustive ? Array(0..<8) : [Int.random(in: 0..<8, using: &random)]
            for bit in bits {
                var bytes = file.bytes
                bytes[place] ^= 1 << UInt8(bit)
                try check(
                    image.files(replacing: file.name, with: bytes),
                    "bit \(bit) of \(file.name) at \(place)")
            }
        }
    }

    @Test("a changed byte") func bytes() throws {
        try forEachByte(step: 37) { file, place, _ in
            for value in [0, 0xff] as [UInt8] where file.bytes[place] != value {
                if !Self.isExhaustive, value == 0, file.bytes[place] % 2 == 0 { continue }
                var bytes = file.bytes
                bytes[place] = value
                try check(
                    image.files(replacing: file.name, with: bytes),
                    "\(file.name) at \(place) := \(value)")
            }
        }
    }

    @Test("a file cut short") func truncation() throws {
        try forEachByte(step: 41) { file, place, _ in
            try check(
                image.files(replacing: file.name, with: Array(file.bytes.prefix(place))),
                "\(file.name) cut to \(place)")
        }
    }

    @Test("a block of zeros, and a block in the place of another") func blocks() throws {
        for size in [512, 4096] {
            for file in image.files where file.name != "lock" {
                for start in stride(from: 0, to: file.bytes.count, by: size) {
                    let range = start..<min(start + size, file.bytes.count)
                    var zeroed = file.bytes
                    zeroed.replaceSubrange(range, with: repeatElement(0, count: range.count))
                    try check(
                        image.files(replacing: file.name, with: zeroed),
                        "\(file.name): zeros at \(range)")
                    let source = (start + size) % max(file.bytes.count - size, 1) / size * size
                    guard source != start, source + range.count <= file.bytes.count else {
                        continue
                    }
                    var doubled = file.bytes
                    doubled.replaceSubrange(
                        range, with: file.bytes[source..<source + range.count])
                    try check(
                        image.files(replacing: file.name, with: doubled),
                        "\(file.name): \(source) also at \(range)")
                }
            }
        }
    }

    // MARK: Changes of files

    @Test("a missing file") func missing() throws {
        for file in image.files {
            try check(image.files.filter { $0.name != file.name }, "\(file.name) is missing")
        }
    }

    @Test("two files in each other's places") func swapped() throws {
        for (place, left) in image.files.enumerated() {
            for right in image.files[(place + 1)...] {
                let files = image.files.map { file in
                    StoreImage.File(
                        name: file.name,
                        bytes: file.name == left.name
                            ? right.bytes : file.name == right.name ? left.bytes : file.bytes)
                }
                try check(files, "\(left.name) and \(right.name) swapped")
            }
        }
    }

    @Test("an older version of one file") func stale() throws {
        var count = 0
        for files in history.earlier {
            for old in files where image.files.contains(where: { $0.name == old.name }) {
                if image[old.name] == old.bytes { continue }
                count += 1
                try check(
                    image.files(replacing: old.name, with: old.bytes), "an older \(old.name)")
            }
        }
        #expect(count > 2)
    }

    // MARK: Steps

    private func forEachByte(
        step: Int,
        _ body: (StoreImage.File, Int, inout SeededGenerator) throws -> Void
    ) rethrows {
        var random = SeededGenerator(seed: seed)
        for file in image.files where file.name != "lock" {
            let end = file.bytes.lastIndex { $0 != 0 } ?? 0
            // The manifest and what was written to segments more closely than the rest.
            let isDense = !file.name.hasSuffix(".pages")
            var place = Self.isExhaustive ? 0 : Int.random(in: 0..<step, using: &random)
            while place < file.bytes.count {
                try body(file, place, &random)
                place +=
                    Self.isExhaustive
                    ? 1
                    : (isDense && place <= end ? step : step * 8)
                        + Int.random(in: 0..<8, using: &random)
            }
        }
    }

    private func check(_ files: [StoreImage.File], _ what: String) throws {
        var faults: [String] = []
        let isDetected = try verify(files, &faults)
        try read(files, isDetected: isDetected, &faults)
        try salvage(files, &faults)
        #expect(faults.isEmpty, "\(what), seed \(seed): \(faults)")
    }

    private func machine(_ files: [StoreImage.File]) -> SimulatedMachine {
        SimulatedMachine(files, seed: seed, fileCapacity: 64 << 10)
    }

    /// Whether `fsck` finds something.
    private func verify(
        _ files: [StoreImage.File], _ faults: inout [String]
    ) throws -> Bool {
        let machine = machine(files)
        do {
            return try StoreVerifier.verify(
                path: SimulatedMachine.path, environment: machine.environment
            ).worst ?? .note > .note
        } catch {
            if !isExpected(error) { faults.append("fsck throws \(error)") }
            return true
        }
    }

    private func isExpected(_ error: any Error) -> Bool {
        (error as? StoreError).map { Self.expectedCodes.contains($0.code) } ?? false
    }

    /// Opens and reads; what opens shows what was written, or throws.
    private func read(
        _ files: [StoreImage.File], isDetected: Bool, _ faults: inout [String]
    ) throws {
        let machine = machine(files)
        do {
            var options = machine.options(.verified, segmentByteCount: 4096)
            options.createIfMissing = false
            let store = try Store.open(at: SimulatedMachine.path, options: options)
            let contents = try StoreImage.contents(of: store)
            if let difference = difference(contents, image.contents) {
                faults.append("a reader sees something else: \(difference)")
            }
            try store.close()
        } catch {
            if !isExpected(error) { faults.append("reading throws \(error)") }
            if !isDetected { faults.append("fsck finds nothing, but \(error)") }
        }
    }

    private func salvage(_ files: [StoreImage.File], _ faults: inout [String]) throws {
        let machine = machine(files)
        let expected = history.expectation(in: files)
        do {
            let report = try StoreSalvage.recover(
                directory: SimulatedMachine.path, to: "/recovered",
                options: machine.options(segmentByteCount: 16 << 10))
            let store = try Store.open(at: "/recovered", options: machine.options())
            let contents = try StoreImage.contents(of: store)
            try store.close()
            if let difference = difference(contents, expected) {
                faults.append("salvage: \(difference)")
            }
            if report.isComplete, difference(expected, image.contents) != nil {
                faults.append("salvage does not say that something is lost")
            }
        } catch {
            if !isExpected(error) || expected.values.contains(where: { !$0.isEmpty }) {
                faults.append("salvage throws \(error)")
            }
        }
    }

    private func difference(
        _ found: StoreImage.Contents, _ expected: StoreImage.Contents
    ) -> String? {
        if found.keys.sorted() != expected.keys.sorted() {
            return "keyspaces \(found.keys.sorted()), not \(expected.keys.sorted())"
        }
        for (name, records) in expected {
            let other = found[name] ?? []
            if other.map(\.key) != records.map(\.key) {
                return
                    "\(name) has the keys \(other.map { String(decoding: $0.key, as: UTF8.self) })"
                    + ", not \(records.map { String(decoding: $0.key, as: UTF8.self) })"
            }
            for (left, right) in zip(other, records) where left.value != right.value {
                return "\(name): another value of \(String(decoding: left.key, as: UTF8.self))"
            }
        }
        return nil
    }
}
