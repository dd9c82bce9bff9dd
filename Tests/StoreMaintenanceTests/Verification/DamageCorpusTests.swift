import Foundation
import SegmentLog
import TestSupport
import Testing

@testable import StoreFixtures
@testable import StoreMaintenance
@testable import TravertineStore

/// Every kind of damage to two small stores, one with several keyspaces and a derived one, and one
/// that was compacted, with packs: opening or `fsck` reports it, or nothing is different for a
/// reader; nothing traps; and salvage returns the newest version of every key whose bytes are still
/// somewhere.
///
/// By default another sample of the same stores each time; with `TRAVERTINE_EXHAUSTIVE=1` in the
/// environment every bit and four values of every byte of every file, every length, every pair, of
/// new stores each time: `Tools/test --long damage`. `TRAVERTINE_SEED=N` chooses the store.
@Suite(.serialized) struct DamageCorpusTests {
    private static let isExhaustive = SampledNumbers.isExhaustive
    private static let expectedCodes: Set<StoreError.Code> = [
        .damaged, .notAStore, .newerFormat, .wrongStore,
    ]

    /// A store to damage.
    private struct Subject {
        var name: String
        var seed: UInt64
        var history: History
        var image: StoreImage { history.image }

        /// A store that was written to only.
        static func plain(_ seed: UInt64) throws -> Subject {
            Subject(name: "the plain store", seed: seed, history: try History.make(seed: seed))
        }

        /// A store that was compacted too.
        static func compacted(_ seed: UInt64) throws -> Subject {
            Subject(
                name: "the compacted store", seed: seed,
                history: try History.makeCompacted(seed: seed))
        }
    }

    private let subjects: [Subject]

    init() throws {
        let given = ProcessInfo.processInfo.environment["TRAVERTINE_SEED"].flatMap { UInt64($0) }
        let seed = given ?? (Self.isExhaustive ? UInt64.random(in: 0..<1 << 32) : 20_261_121)
        subjects = [try .plain(seed), try .compacted(seed)]
    }

    @Test("the compacted store has moves, packs, and tombstones that were copied")
    func subject() throws {
        var kinds: Set<RecordKind> = []
        let history = try History.makeCompacted(seed: 20_261_121)
        for batch in history.batches {
            history.image[batch.file].withUnsafeBytes { bytes in
                guard let base = bytes.baseAddress else { return }
                var place = batch.offset + BatchHeader.byteCount
                for _ in 0..<batch.recordCount {
                    let record = RecordPointer(unsafeBase: base + place, offset: place)
                    if let kind = record.kind { kinds.insert(kind) }
                    place += record.storedByteCount
                }
            }
        }
        #expect(kinds.isSuperset(of: [.put, .delete, .move, .pack, .retireSegment]), "\(kinds)")
    }

    // MARK: Changes of bytes

    @Test("a changed bit") func bits() throws {
        try forEachByte(step: 120) { subject, file, place, random in
            let bits = Self.isExhaustive ? Array(0..<8) : [Int.random(in: 0..<8, using: &random)]
            for bit in bits {
                var bytes = file.bytes
                bytes[place] ^= 1 << UInt8(bit)
                try check(
                    subject, subject.image.files(replacing: file.name, with: bytes),
                    "bit \(bit) of \(file.name) at \(place)")
            }
        }
    }

    @Test("a changed byte") func bytes() throws {
        try forEachByte(step: 150) { subject, file, place, random in
            let old = file.bytes[place]
            var values: Set<UInt8> = [0, 0xff, ~old, UInt8.random(in: 0...0xff, using: &random)]
            values.remove(old)
            let all = values.sorted()
            let tried = Self.isExhaustive ? all : [all[place % all.count]]
            for value in tried {
                var bytes = file.bytes
                bytes[place] = value
                try check(
                    subject, subject.image.files(replacing: file.name, with: bytes),
                    "\(file.name) at \(place) := \(value)")
            }
        }
    }

    @Test("a file cut short") func truncation() throws {
        try forEachByte(step: 160) { subject, file, place, _ in
            try check(
                subject,
                subject.image.files(replacing: file.name, with: Array(file.bytes.prefix(place))),
                "\(file.name) cut to \(place)")
        }
    }

    @Test("a block of zeros, and a block in the place of another") func blocks() throws {
        for subject in subjects { try changeBlocks(of: subject, oneOf: 4) }
    }

    // A copy of the first block of a segment, with the header, was in the middle of the last batch.
    // What lay after it was searched only as if the segment began with the copy.
    @Test("a copy of a segment's beginning hides nothing that is after it")
    func copiedBeginning() throws { try changeBlocks(of: try .plain(705_845_138), oneOf: 1) }

    @Test("a last segment of one batch whose headers are lost is all that is lost")
    func lostSalt() throws { try changeBlocks(of: try .compacted(497_156_888), oneOf: 1) }

    /// Changes about one of `step` blocks, other ones each time.
    private func changeBlocks(of subject: Subject, oneOf step: Int) throws {
        var blocks: [(file: StoreImage.File, start: Int, byteCount: Int)] = []
        for size in [512, 4096] {
            for file in subject.image.files where file.name != "lock" {
                for start in stride(from: 0, to: file.bytes.count, by: size) {
                    blocks.append((file, start, size))
                }
            }
        }
        for number in SampledNumbers(below: blocks.count, oneOf: step) {
            let (file, start, size) = blocks[number]
            try changeBlock(at: start, byteCount: size, of: file, subject)
        }
    }

    private func changeBlock(
        at start: Int, byteCount size: Int, of file: StoreImage.File, _ subject: Subject
    ) throws {
        let range = start..<min(start + size, file.bytes.count)
        var zeroed = file.bytes
        zeroed.replaceSubrange(range, with: repeatElement(0, count: range.count))
        try check(
            subject, subject.image.files(replacing: file.name, with: zeroed),
            "\(file.name): zeros at \(range)")
        // Exhaustively every block of every file in every place, else one of the same file.
        for other in subject.image.files
        where other.name == file.name || Self.isExhaustive && other.name != "lock" {
            let next = (start + size) % max(other.bytes.count - size, 1) / size * size
            let sources =
                Self.isExhaustive
                ? Array(stride(from: 0, to: other.bytes.count, by: size)) : [next]
            for source in sources
            where source + range.count <= other.bytes.count
                && (other.name != file.name || source != start)
            {
                var doubled = file.bytes
                doubled.replaceSubrange(
                    range, with: other.bytes[source..<source + range.count])
                if doubled == file.bytes { continue }
                try check(
                    subject, subject.image.files(replacing: file.name, with: doubled),
                    "\(other.name): \(source) also at \(range) of \(file.name)")
            }
        }
    }

    // MARK: Changes of files

    @Test("a missing file") func missing() throws {
        for subject in subjects {
            for file in subject.image.files {
                try check(
                    subject, subject.image.files.filter { $0.name != file.name },
                    "\(file.name) is missing")
            }
        }
    }

    @Test("two files in each other's places") func swapped() throws {
        for subject in subjects {
            let files = subject.image.files
            for (place, left) in files.enumerated() {
                for right in files[(place + 1)...] {
                    let swapped = files.map { file in
                        StoreImage.File(
                            name: file.name,
                            bytes: file.name == left.name
                                ? right.bytes : file.name == right.name ? left.bytes : file.bytes)
                    }
                    try check(subject, swapped, "\(left.name) and \(right.name) swapped")
                }
            }
        }
    }

    @Test("an older version of one file") func stale() throws {
        for subject in subjects {
            var count = 0
            for files in subject.history.earlier {
                for old in files
                where subject.image.files.contains(where: { $0.name == old.name })
                    && subject.image[old.name] != old.bytes
                {
                    count += 1
                    try check(
                        subject, subject.image.files(replacing: old.name, with: old.bytes),
                        "an older \(old.name)")
                }
            }
            #expect(count > 2, "\(subject.name)")
        }
    }

    // MARK: Steps

    private func forEachByte(
        step: Int,
        _ body: (Subject, StoreImage.File, Int, inout SeededRandom) throws -> Void
    ) rethrows {
        for subject in subjects { try forEachByte(of: subject, step: step, body) }
    }

    private func forEachByte(
        of subject: Subject, step: Int,
        _ body: (Subject, StoreImage.File, Int, inout SeededRandom) throws -> Void
    ) rethrows {
        let seed = Self.isExhaustive ? subject.seed : SampledNumbers.seed(for: subject.name)
        var random = SeededRandom(seed: seed)
        for file in subject.image.files where file.name != "lock" {
            let end = file.bytes.lastIndex { $0 != 0 } ?? 0
            // The manifest and what was written to segments more closely than the rest.
            let isDense = !file.name.hasSuffix(".pages")
            var place = Self.isExhaustive ? 0 : Int.random(in: 0..<step, using: &random)
            while place < file.bytes.count {
                try body(subject, file, place, &random)
                place +=
                    Self.isExhaustive
                    ? 1
                    : (isDense && place <= end ? step : step * 8)
                        + Int.random(in: 0..<40, using: &random)
            }
        }
    }

    private func check(
        _ subject: Subject, _ files: [StoreImage.File], _ what: String
    ) throws {
        var faults: [String] = []
        let isDetected = try verify(files, &faults)
        try read(files, subject, isDetected: isDetected, &faults)
        try salvage(files, subject, &faults)
        #expect(
            faults.isEmpty, "\(subject.name), \(what), seed \(subject.seed): \(faults)")
    }

    private func machine(_ files: [StoreImage.File]) -> SimulatedMachine {
        SimulatedMachine(files, seed: 1, fileCapacity: 64 << 10)
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
        _ files: [StoreImage.File], _ subject: Subject, isDetected: Bool,
        _ faults: inout [String]
    ) throws {
        let machine = machine(files)
        do {
            var options = machine.options(.verified, segmentByteCount: 4096)
            options.createIfMissing = false
            let store = try Store.open(at: SimulatedMachine.path, options: options)
            let contents = try StoreImage.contents(of: store)
            if let difference = difference(contents, subject.image.contents) {
                faults.append("a reader sees something else: \(difference)")
            }
            try store.close()
        } catch {
            if !isExpected(error) { faults.append("reading throws \(error)") }
            if !isDetected { faults.append("fsck finds nothing, but \(error)") }
        }
    }

    private func salvage(
        _ files: [StoreImage.File], _ subject: Subject, _ faults: inout [String]
    ) throws {
        let machine = machine(files)
        let expected = subject.history.expectation(in: files)
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
            if report.isComplete, difference(expected, subject.image.contents) != nil {
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
