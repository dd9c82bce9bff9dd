import Foundation
import SimulatedDisk
import TestSupport
import Testing

@testable import StoreFixtures
@testable import StoreMaintenance
@testable import TravertineStore

/// A bit flipped in any byte of any file of a small store, a file cut short, garbage after its end:
/// opening or `fsck` reports it, or it is harmless. Never a trap, never a wrong value. Of an
/// encrypted store no value is wrong either that is read without verification.
///
/// By default one bit of about every eighth byte of the manifest and of the log's records is tried,
/// of every 50th byte of page files and of every 64th of unused ends; of an encrypted store fewer.
/// With `TRAVERTINE_EXHAUSTIVE=1` in the environment it is one bit of every byte of every file:
/// `Tools/test --long damage`.
@Suite struct ByteDamageTests {
    private static let isExhaustive = SampledNumbers.isExhaustive
    private static let fileCapacity = 64 << 10
    private static let expectedCodes: Set<StoreError.Code> = [
        .damaged, .notAStore, .newerFormat, .wrongStore,
    ]

    private static func cipher(_ isEncrypted: Bool) -> RecordingCipher? {
        isEncrypted ? RecordingCipher() : nil
    }

    /// What became of one damaged store.
    private struct Outcome {
        /// Whether opening, a read or `fsck` said that something is wrong.
        var isDetected = false
        /// Rules that were broken.
        var faults: [String] = []
    }

    // MARK: The tests

    @Test("a bit flipped in any byte of the manifest is detected", arguments: [false, true])
    func manifest(isEncrypted: Bool) throws {
        try flipBits(
            inFilesWithSuffix: "manifest", every: isEncrypted ? 24 : 8, isEncrypted: isEncrypted)
    }

    @Test(
        "a bit flipped in any byte of a segment is detected, or is harmless padding",
        arguments: [false, true])
    func segments(isEncrypted: Bool) throws {
        try flipBits(
            inFilesWithSuffix: ".segment", every: isEncrypted ? 40 : 8, isEncrypted: isEncrypted)
    }

    @Test(
        "a bit flipped in a page file is detected, unless no checkpoint needs the page any more",
        arguments: [false, true])
    func pageFiles(isEncrypted: Bool) throws {
        try flipBits(
            inFilesWithSuffix: ".pages", every: isEncrypted ? 200 : 50, isEncrypted: isEncrypted)
    }

    @Test("a bit flipped in a page that only a checkpoint before the kept ones had does no harm")
    func pageOfNobody() throws {
        let count = try flipBits(
            inFilesWithSuffix: "1.pages", every: 250, isEncrypted: false, seed: 4_244_481_187)
        #expect(count > 0, "this store has no such page any more: look for another seed")
    }

    @Test("a bit flipped in the lock file changes nothing")
    func lockFile() throws {
        let image = try StoreImage.make(seed: 1)
        let step = Self.isExhaustive ? 1 : 8
        let first = Int.random(in: 0..<step)
        for place in stride(from: first, to: image["lock"].count, by: step) {
            var bytes = image["lock"]
            bytes[place] ^= 0x10
            let outcome = examine(
                image, image.files(replacing: "lock", with: bytes), seed: 1, false)
            #expect(outcome.faults.isEmpty, "offset \(place)")
        }
    }

    @Test(
        "a file cut short at any length is detected, or only unused bytes are missing",
        arguments: [false, true])
    func truncation(isEncrypted: Bool) throws {
        let seed = UInt64.random(in: 0..<1 << 32)
        let image = try StoreImage.make(seed: seed, cipher: Self.cipher(isEncrypted))
        var random = SeededRandom(seed: seed)
        for file in image.files where file.name != "lock" {
            var lengths: Set<Int> = [0, 1, 7, 8, 63, 64, 127, 128, 129, file.bytes.count - 1]
            for _ in 0..<(Self.isExhaustive ? 200 : 8) {
                lengths.insert(Int.random(in: 0..<file.bytes.count, using: &random))
            }
            let end = endOfContent(file.bytes)
            for length in lengths.sorted() {
                let files = image.files(
                    replacing: file.name, with: Array(file.bytes.prefix(length)))
                let outcome = examine(image, files, seed: seed, isEncrypted, goesOn: true)
                let place = "\(file.name) cut to \(length), seed \(seed)"
                #expect(outcome.faults.isEmpty, "\(place): \(outcome.faults)")
                #expect(outcome.isDetected || length >= end, "\(place) went unnoticed")
            }
        }
    }

    @Test(
        "garbage after the end of a file is detected or harmless", arguments: [false, true])
    func garbage(isEncrypted: Bool) throws {
        let seed = UInt64.random(in: 0..<1 << 32)
        let image = try StoreImage.make(seed: seed, cipher: Self.cipher(isEncrypted))
        var random = SeededRandom(seed: seed)
        for file in image.files {
            for length in [1, 8, 64, 4096] {
                let files = image.files(
                    replacing: file.name, with: file.bytes + random.bytes(length))
                let outcome = examine(image, files, seed: seed, isEncrypted, goesOn: true)
                let place = "\(length) bytes after \(file.name), seed \(seed)"
                #expect(outcome.faults.isEmpty, "\(place): \(outcome.faults)")
                #expect(outcome.isDetected || file.name != "manifest", "\(place) went unnoticed")
            }
        }
    }

    // MARK: Steps

    /// Returns how many flips were in pages that nobody reads.
    @discardableResult
    private func flipBits(
        inFilesWithSuffix suffix: String, every step: Int, isEncrypted: Bool,
        seed: UInt64 = .random(in: 0..<1 << 32)
    ) throws -> Int {
        var unusedCount = 0
        let image = try StoreImage.make(seed: seed, cipher: Self.cipher(isEncrypted))
        var random = SeededRandom(seed: seed)
        for file in image.files where file.name.hasSuffix(suffix) {
            let end = endOfContent(file.bytes)
            var place = Self.isExhaustive ? 0 : Int.random(in: 0..<step, using: &random)
            while place < file.bytes.count {
                let bit = Int.random(in: 0..<8, using: &random)
                var bytes = file.bytes
                bytes[place] ^= 1 << UInt8(bit)
                let files = image.files(replacing: file.name, with: bytes)
                let outcome = examine(
                    image, files, seed: seed, isEncrypted, goesOn: place % 16 == 0)
                let flip = "\(file.name), offset \(place), bit \(bit), seed \(seed)"
                #expect(outcome.faults.isEmpty, "\(flip): \(outcome.faults)")
                if !outcome.isDetected, !isPadding(file, place) {
                    let isUnused = isUnusedPage(image, file, place, seed, isEncrypted)
                    #expect(isUnused, "\(flip) went unnoticed")
                    if isUnused { unusedCount += 1 }
                }
                // The distances differ: every second one would be that to an even place.
                let distance = Self.isExhaustive ? 1 : place < end ? step : max(step, 64)
                place += 1 + Int.random(in: 0..<2 * distance - 1, using: &random)
            }
        }
        return unusedCount
    }

    /// Whether a byte can belong to the zeros that fill a record up to a multiple of eight: the
    /// only bytes of a segment that no checksum covers.
    private func isPadding(_ file: StoreImage.File, _ place: Int) -> Bool {
        let end = min((place / 8 + 1) * 8, file.bytes.count)
        return file.name.hasSuffix(".segment") && file.bytes[place..<end].allSatisfy { $0 == 0 }
    }

    /// Whether a byte is in a page that nobody reads: a page file is kept for the pages that kept
    /// checkpoints refer to, and may have others. All bytes of such a page may change unnoticed.
    private func isUnusedPage(
        _ image: StoreImage, _ file: StoreImage.File, _ place: Int, _ seed: UInt64,
        _ isEncrypted: Bool
    ) -> Bool {
        // Encrypted, a page has a tag, the header's block is two of them, and 64 bytes come before.
        let pageByteCount = isEncrypted ? 2064 : 2048
        let first = isEncrypted ? 64 + 2 * pageByteCount : 4096
        guard file.name.hasSuffix(".pages"), place >= first else { return false }
        let start = first + (place - first) / pageByteCount * pageByteCount
        var bytes = file.bytes
        for index in start..<min(start + pageByteCount, bytes.count) { bytes[index] ^= 0xff }
        let files = image.files(replacing: file.name, with: bytes)
        let outcome = examine(image, files, seed: seed, isEncrypted, goesOn: true)
        return !outcome.isDetected && outcome.faults.isEmpty
    }

    private func endOfContent(_ bytes: [UInt8]) -> Int {
        // A segment's last record may itself end in zeros, all of which count.
        ((bytes.lastIndex { $0 != 0 } ?? -1) + 8) / 8 * 8
    }

    /// Verifies, opens and reads a damaged store in all ways.
    ///
    /// - Parameter goesOn: also writes to the store, closes it and reads it again.
    private func examine(
        _ image: StoreImage, _ files: [StoreImage.File], seed: UInt64, _ isEncrypted: Bool,
        goesOn: Bool = false
    ) -> Outcome {
        var outcome = Outcome()
        func machine() -> SimulatedMachine {
            SimulatedMachine(
                files, seed: seed, fileCapacity: Self.fileCapacity,
                cipher: Self.cipher(isEncrypted))
        }
        verify(machine(), &outcome)
        read(machine(), .verified, image, &outcome)
        read(machine(), .mapped, image, &outcome)
        if goesOn { write(machine(), image, &outcome) }
        return outcome
    }

    /// Notes an error that has one of the expected codes as a detection.
    private func note(_ error: any Error, _ step: String, _ outcome: inout Outcome) {
        outcome.isDetected = true
        if let error = error as? StoreError, Self.expectedCodes.contains(error.code) { return }
        // What a manifest begins with says which key it has.
        if (error as? StoreError)?.code == .invalidEncryptionKey { return }
        outcome.faults.append("\(step) throws \(error)")
    }

    private func verify(_ machine: SimulatedMachine, _ outcome: inout Outcome) {
        do {
            let report = try StoreVerifier.verify(
                path: SimulatedMachine.path, environment: machine.environment)
            if report.worst ?? .note > .note { outcome.isDetected = true }
        } catch {
            note(error, "fsck", &outcome)
        }
    }

    private func open(
        _ machine: SimulatedMachine, _ mode: ReadMode, _ outcome: inout Outcome
    ) -> Store? {
        do {
            var options = machine.options(mode, segmentByteCount: 4096)
            options.createIfMissing = false
            let store = try Store.open(at: SimulatedMachine.path, options: options)
            let report = store.openingReport
            if !report.damagedCheckpoints.isEmpty || report.ignoredTail != nil {
                outcome.isDetected = true
            }
            return store
        } catch {
            note(error, "opening", &outcome)
            return nil
        }
    }

    private func read(
        _ machine: SimulatedMachine, _ mode: ReadMode, _ image: StoreImage,
        _ outcome: inout Outcome
    ) {
        guard let store = open(machine, mode, &outcome) else { return }
        if mode == .mapped { compareKeys(store, image, machine.cipher != nil, &outcome) }
        compareValues(store, image, &outcome)
    }

    /// Reads everything without verifying: a value may be wrong, a key or a count never.
    private func compareKeys(
        _ store: Store, _ image: StoreImage, _ isEncrypted: Bool, _ outcome: inout Outcome
    ) {
        do {
            let snapshot = try store.snapshot()
            for (name, records) in image.contents {
                guard let keyspace = try store.keyspace(named: name) else {
                    outcome.faults.append("keyspace \(name) is gone")
                    continue
                }
                if snapshot.count(in: keyspace) != records.count {
                    outcome.faults.append("another number of keys in \(name)")
                }
                let cursor = snapshot.cursor(in: keyspace)
                var isValid = try cursor.seekToFirst()
                for record in records {
                    guard isValid, cursor.key == record.key else {
                        outcome.faults.append("keys of \(name) differ")
                        break
                    }
                    do {
                        let value = try cursor.withValue { $0.withUnsafeBytes { Array($0) } }
                        if value.count > 1 << 20 { outcome.faults.append("a value of a megabyte") }
                        if isEncrypted, value != record.value {
                            outcome.faults.append("a value that is not authentic")
                        }
                    } catch {
                        note(error, "an unverified read", &outcome)
                    }
                    isValid = try cursor.next()
                }
                if isValid { outcome.faults.append("\(name) has more keys") }
            }
        } catch {
            note(error, "reading", &outcome)
        }
    }

    /// Reads every key with verified checksums: the right value, or a typed error.
    private func compareValues(_ store: Store, _ image: StoreImage, _ outcome: inout Outcome) {
        do {
            let snapshot = try store.snapshot()
            for (name, records) in image.contents {
                guard let keyspace = try store.keyspace(named: name) else {
                    outcome.faults.append("keyspace \(name) is gone")
                    continue
                }
                for (key, value) in records {
                    do {
                        if try snapshot.get(key, in: keyspace) != value {
                            outcome.faults.append("key \(key) of \(name) has another value")
                        }
                    } catch {
                        note(error, "reading", &outcome)
                    }
                }
            }
        } catch {
            note(error, "a snapshot", &outcome)
        }
    }

    /// Writes to the store if it opens, closes it, and finds everything again.
    private func write(
        _ machine: SimulatedMachine, _ image: StoreImage, _ outcome: inout Outcome
    ) {
        guard let store = open(machine, .mapped, &outcome) else { return }
        compareValues(store, image, &outcome)
        do {
            try store.write { try $0.put("after", forKey: "~") }
            if try store.get("~") != Array("after".utf8) {
                outcome.faults.append("a new key does not read back")
            }
            machine.executor.drain()
            try store.close()
            let again = try Store.open(at: SimulatedMachine.path, options: machine.options())
            compareValues(again, image, &outcome)
            if try again.get("~") != Array("after".utf8) {
                outcome.faults.append("the new key is gone after reopening")
            }
            try again.close()
        } catch {
            // Damage may surface here, but not if nothing was wrong before.
            if !outcome.isDetected { outcome.faults.append("writing throws \(error)") }
            note(error, "writing", &outcome)
        }
    }
}
