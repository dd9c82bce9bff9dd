import Foundation
import ShippingFixtures
import Testing
import TravertineStore

@testable import StoreShipping

/// Whether an image goes on from the newest point, or begins a history (U6).
@Suite("What goes on from the newest point")
struct ContinuityTests {
    private let clock = TestClock()
    private let storage = MemoryStorage()

    private func withStore(_ body: (ShippedStore) async throws -> Void) async throws {
        let store = try ShippedStore()
        defer { store.remove() }
        try await body(store)
    }

    @Test("Another store is refused, with advice; or begins a history")
    func otherStore() async throws {
        try await withStore { store in
            try store.put("a", "1")
            let first = Shipper(of: store.path, to: storage, options: clock.options())
            try await first.round()
            try await first.end()
            try await withStore { other in
                try other.put("b", "2")
                var options = clock.options()
                let refused = Shipper(of: other.path, to: storage, options: options)
                let error = await #expect(throws: ShippingError.self) { try await refused.round() }
                #expect("\(try #require(error))".contains("--new"))
                try await refused.end()
                options.beginsNew = true
                let second = Shipper(of: other.path, to: storage, options: options)
                let round = try #require(try await second.round())
                #expect(round.point.history == 2)
                #expect(try await other.restored(.newest, from: storage).contents == other.model)
                #expect(try await store.restored(.number(1), from: storage).contents == store.model)
            }
        }
    }

    @Test(
        "A store that was put back begins a history, and the old points stay",
        arguments: [false, true])
    func putBack(withLock: Bool) async throws {
        try await withStore { store in
            try store.put("a", "1")
            try store.save()
            try store.put("a", "2")
            let lost = store.model
            try await Shipper(of: store.path, to: storage, options: clock.options()).round()
            #expect(try store.putBack(withLock: withLock))
            for number in 0..<5 { try store.put("other \(number)", "3") }
            let shipper = Shipper(
                of: store.path, to: storage, options: clock.options(process: 1))
            let round = try #require(try await shipper.round())
            #expect(round.point.history == 2)
            #expect(try await store.restored(.newest, from: storage).contents == store.model)
            #expect(try await store.restored(.number(1), from: storage).contents == lost)
            let contents = try await Restorer(storage: storage).contents()
            #expect(contents.histories.map(\.firstPoint) == [1, 2])
        }
    }

    @Test("A store that was put back, and has come to the same LSN by other commits, is shipped")
    func sameLSN() async throws {
        try await withStore { store in
            store.store.pauseCompaction()
            try store.put("a", "1")
            try store.save()
            try store.put("a", "2")
            let shipped = try await Shipper(
                of: store.path, to: storage, options: clock.options()
            ).round()
            #expect(try store.putBack(withLock: true))
            try store.put("a", "3")
            #expect(try store.store.snapshot().lsn == shipped?.point.lsn)
            let round = try await Shipper(
                of: store.path, to: storage, options: clock.options()
            ).round()
            #expect(round?.point.history == 2)
            #expect(try await store.restored(.newest, from: storage).contents == store.model)
            let again = Shipper(of: store.path, to: storage, options: clock.options())
            #expect(try await again.round() == nil)
        }
    }

    @Test("A segment that was written again with the same end is found at the first round")
    func sameEnd() async throws {
        try await withStore { store in
            try store.put("a", "1")
            try store.save()
            store.store.pauseCompaction()
            let first = Shipper(of: store.path, to: storage, options: clock.options())
            // Each of the two commits becomes a separate part.
            for (key, value) in [("a", "2"), ("b", "the same")] {
                try store.put(key, value)
                try await first.round()
            }
            try await first.end()
            #expect(try store.putBack(withLock: true))
            store.store.pauseCompaction()
            for (key, value) in [("a", "3"), ("b", "the same")] { try store.put(key, value) }

            // Neither the LSN nor the last part shows that something else is before it.
            let manifest = try ObjectCoding.manifest(
                try await storage.get("manifest", byteCountMax: ObjectCoding.byteCountMax).bytes)
            let point = try #require(manifest.point)
            #expect(point.lsn == (try store.store.snapshot().lsn))
            let segment = try #require(point.files.first)
            let last = try #require(segment.locatedParts.last)
            let contents = try Data(contentsOf: URL(filePath: store.path + "/" + segment.name))
            let end = Array(contents[Int(last.start)..<Int(last.part.end)])
            #expect(ContentHash(of: end) == last.part.sha256)

            let second = Shipper(of: store.path, to: storage, options: clock.options())
            #expect(try await second.round()?.point.history == 2)
            #expect(try await store.restored(.newest, from: storage).contents == store.model)
        }
    }

    @Test(
        "A store whose files were overwritten with older ones is shipped in the next round",
        arguments: [true, false])
    func overwritten(isMachineKnown: Bool) async throws {
        try await withStore { store in
            try store.put("a", "1")
            try store.save()
            var options = clock.options()
            if !isMachineKnown { (options.boot, options.machine) = (nil, nil) }
            let shipper = Shipper(of: store.path, to: storage, options: options)
            for number in 2..<8 { try store.put("a", "\(number)") }
            let lost = (point: try #require(try await shipper.round()).point, model: store.model)
            try store.overwrite()
            try store.put("a", "other")
            #expect(try store.store.snapshot().lsn < lost.point.lsn)
            #expect(try await shipper.round()?.point.history == 2)
            #expect(try await store.restored(.newest, from: storage).contents == store.model)
            let earlier = try await store.restored(.number(1), from: storage)
            #expect(earlier.contents == lost.model)
            // And what follows goes on there.
            try store.put("b", "1")
            #expect(try await shipper.round()?.point.history == 2)
            #expect(try await store.restored(.newest, from: storage).contents == store.model)
        }
    }

    @Test("A store that was overwritten and has passed the point's LSN since begins a history")
    func overwrittenAndPassed() async throws {
        // The last part is far larger than what little is read in each round anyway.
        let store = try ShippedStore(segmentByteCount: 8 << 20)
        defer { store.remove() }
        store.store.pauseCompaction()
        var random = SeededRandom(seed: 5)
        try store.put("a", "1")
        let shipper = Shipper(of: store.path, to: storage, options: clock.options())
        try await shipper.round()
        try store.save()
        store.store.pauseCompaction()
        try store.commit([("large", random.bytes(1_000_000))])
        let lost = (point: try #require(try await shipper.round()).point, model: store.model)
        try store.overwrite()
        store.store.pauseCompaction()
        try store.commit([("large", random.bytes(1_000_000))])
        for number in 0..<4 { try store.put("b", "\(number)") }
        #expect(try store.store.snapshot().lsn > lost.point.lsn)
        #expect(try await shipper.round()?.point.history == 2)
        #expect(try await store.restored(.newest, from: storage).contents == store.model)
        let earlier = try await store.restored(.number(2), from: storage)
        #expect(earlier.contents == lost.model)
    }

    @Test("After a power cut nothing older is shipped before the writer has opened the store")
    func powerCut() async throws {
        try await withStore { store in
            store.store.pauseCompaction()
            try store.put("a", "1")
            let lock = try store.lockContents()
            for number in 2..<20 { try store.put("a", "\(number)") }
            let first = Shipper(of: store.path, to: storage, options: clock.options())
            let newest = try #require(try await first.round()).point
            try await first.end()
            let lost = store.model
            try store.losePower(lock: lock)
            let second = Shipper(of: store.path, to: storage, options: clock.options(process: 2))
            for _ in 0..<3 {
                #expect(try await second.round() == nil)
                clock.advance(seconds: 70)
            }
            let contents = try await Restorer(storage: storage).contents()
            #expect(contents.points.last == newest)
            // It gives signs of life while it waits.
            #expect(clock.now - contents.holder.timeMilliseconds <= 70_000)
            #expect(try await store.restored(.newest, from: storage).contents == lost)
            try store.start()
            #expect(try await second.round()?.point.history ?? 1 == 1)
            try store.put("b", "1")
            #expect(try await second.round()?.point.history == 1)
            #expect(try await store.restored(.newest, from: storage).contents == store.model)
        }
    }

    @Test("A copy on another machine does not go on in the backup of the original unasked")
    func copyElsewhere() async throws {
        try await withStore { store in
            try store.put("a", "1")
            let original = Shipper(of: store.path, to: storage, options: clock.options())
            let newest = try #require(try await original.round()).point
            try await original.end()
            let copy = try store.copied()
            let opened = try Store.open(at: copy)
            try opened.write { try $0.put("staging", forKey: "a") }
            var options = clock.options(process: 2)
            // Also where a machine has nothing that it is recognised by.
            for (boot, machine) in [("other", "machine 2"), (nil, nil)] as [(String?, String?)] {
                (options.boot, options.machine) = (boot, machine)
                for _ in 0..<2 {
                    let shipper = Shipper(of: copy, to: storage, options: options)
                    let error = await #expect(throws: ShippingError.self) {
                        try await shipper.round()
                    }
                    let text = "\(try #require(error))"
                    #expect(text.contains("--new") && text.contains("another prefix"), "\(text)")
                    #expect(text.contains("here"), "\(text)")
                }
            }
            #expect(try await Restorer(storage: storage).contents().points.last == newest)
            // The original is not kept from going on by those that were refused.
            try store.put("b", "2")
            let next = Shipper(of: store.path, to: storage, options: clock.options(process: 3))
            #expect(try await next.round()?.point.history == 1)
            try await next.end()
            // A machine that replaces the other one needs the option once.
            (options.boot, options.machine) = ("other", "machine 2")
            options.beginsNew = true
            let successor = Shipper(of: copy, to: storage, options: options)
            #expect(try await successor.round()?.point.history == 2)
            try await successor.end()
            try opened.write { try $0.put("more", forKey: "a") }
            options.beginsNew = false
            let again = Shipper(of: copy, to: storage, options: options)
            #expect(try await again.round()?.point.history == 2)
            try opened.close()
        }
    }

    @Test("A copy that is shipped before it was written is found when it is")
    func unwrittenCopy() async throws {
        try await withStore { store in
            try store.put("a", "1")
            let original = Shipper(of: store.path, to: storage, options: clock.options())
            try await original.round()
            try await original.end()
            let copy = try store.copied()
            var options = clock.options(process: 2)
            (options.boot, options.machine) = ("other", "machine 2")
            // Nothing distinguishes it from the original that was moved to this machine.
            let shipper = Shipper(of: copy, to: storage, options: options)
            #expect(try await shipper.round() == nil)
            let opened = try Store.open(at: copy)
            try opened.write { try $0.put("staging", forKey: "a") }
            await #expect(throws: (any Error).self) {
                for _ in 0..<3 { try await shipper.round() }
            }
            try opened.close()
            #expect(try await Restorer(storage: storage).contents().histories.count == 1)
        }
    }

    @Test("A copy that was not written, of before the newest point, does not take the backup over")
    func olderCopy() async throws {
        try await withStore { store in
            try store.put("a", "1")
            let copy = try store.copied()
            try store.put("a", "2")
            let original = Shipper(of: store.path, to: storage, options: clock.options())
            let newest = try #require(try await original.round()).point
            try await original.end()
            var options = clock.options(process: 2)
            (options.boot, options.machine) = ("other", "machine 2")
            let error = await #expect(throws: ShippingError.self) {
                try await Shipper(of: copy, to: storage, options: options).round()
            }
            #expect("\(try #require(error))".contains("--new"))
            #expect(try await Restorer(storage: storage).contents().points.last == newest)
            try store.put("b", "2")
            let next = Shipper(of: store.path, to: storage, options: clock.options(process: 3))
            #expect(try await next.round()?.point.history == 1)
            try await next.end()
            options.beginsNew = true
            let successor = Shipper(of: copy, to: storage, options: options)
            #expect(try await successor.round()?.point.history == 2)
        }
    }

    @Test(
        "A copy beside the store that is shipped does not go on in its backup",
        arguments: [false, true])
    func copyBeside(isWritten: Bool) async throws {
        try await withStore { store in
            try store.put("a", "1")
            let original = Shipper(of: store.path, to: storage, options: clock.options())
            let newest = try #require(try await original.round()).point
            try await original.end()
            let copy = try store.copied()
            if isWritten {
                let opened = try Store.open(at: copy)
                try opened.write { try $0.put("staging", forKey: "a") }
                try opened.close()
            }
            for _ in 0..<2 {
                let shipper = Shipper(of: copy, to: storage, options: clock.options(process: 2))
                let error = await #expect(throws: ShippingError.copy(of: store.path)) {
                    try await shipper.round()
                }
                let text = "\(try #require(error))"
                #expect(text.contains(store.path) && text.contains("--new"), "\(text)")
            }
            #expect(try await Restorer(storage: storage).contents().points == [newest])
            // The original goes on, also by another name of its directory.
            try store.put("b", "2")
            let alias = store.directory + "/alias"
            try FileManager.default.createSymbolicLink(
                atPath: alias, withDestinationPath: store.path)
            let next = Shipper(of: alias, to: storage, options: clock.options(process: 3))
            #expect(try await next.round()?.point.history == 1)
            try await next.end()
            let last = Shipper(of: store.path, to: storage, options: clock.options(process: 4))
            #expect(try await last.round() == nil)
            try await last.end()
            // Once it is gone, the copy takes its place.
            try store.store.close()
            try FileManager.default.removeItem(atPath: store.path)
            let successor = Shipper(of: copy, to: storage, options: clock.options(process: 5))
            #expect(try await successor.round()?.point.history == 2)
            try await successor.end()
        }
    }

    @Test("Where a copy is to take the place of the store beside it, the other one is the copy")
    func copyInPlace() async throws {
        try await withStore { store in
            try store.put("a", "1")
            let original = Shipper(of: store.path, to: storage, options: clock.options())
            try await original.round()
            try await original.end()
            let copy = try store.copied()
            var options = clock.options(process: 2)
            options.beginsNew = true
            // Nothing is new, except which of the two is shipped from now on.
            let successor = Shipper(of: copy, to: storage, options: options)
            #expect(try await successor.round() == nil)
            try await successor.end()
            try store.put("a", "2")
            let refused = Shipper(of: store.path, to: storage, options: clock.options(process: 3))
            await #expect(throws: ShippingError.copy(of: copy)) { try await refused.round() }
            let opened = try Store.open(at: copy)
            try opened.write { try $0.put("more", forKey: "a") }
            let again = Shipper(of: copy, to: storage, options: clock.options(process: 4))
            #expect(try await again.round()?.point.history == 2)
            try opened.close()
        }
    }

    @Test("A store that is restored to the path of the one that was shipped goes on there")
    func restoredInPlace() async throws {
        try await withStore { store in
            try store.put("a", "1")
            let original = Shipper(of: store.path, to: storage, options: clock.options())
            try await original.round()
            try await original.end()
            try store.store.close()
            try FileManager.default.moveItem(atPath: store.path, toPath: store.path + ".old")
            _ = try await Restorer(storage: storage).restore(to: store.path)
            try store.start()
            try store.put("b", "2")
            let next = Shipper(of: store.path, to: storage, options: clock.options(process: 2))
            #expect(try await next.round()?.point.history == 2)
        }
    }

    @Test(
        "A store of the same lineage with other commits is refused where another machine shipped",
        arguments: [1, 5])
    func putBackElsewhere(commitCount: Int) async throws {
        try await withStore { store in
            store.store.pauseCompaction()
            try store.put("a", "1")
            try store.save()
            try store.put("a", "2")
            let first = Shipper(of: store.path, to: storage, options: clock.options())
            try await first.round()
            try await first.end()
            #expect(try store.putBack(withLock: true))
            for number in 0..<commitCount { try store.put("a", "other \(number)") }
            var options = clock.options(process: 2)
            (options.boot, options.machine) = ("other", "machine 2")
            await #expect(throws: ShippingError.otherMachine("process 1 on here")) {
                try await Shipper(of: store.path, to: storage, options: options).round()
            }
            let next = Shipper(of: store.path, to: storage, options: clock.options(process: 3))
            #expect(try await next.round()?.point.history == 2)
        }
    }

    @Test("That a machine replaces another one holds also if nothing is new yet")
    func newBeforeWriting() async throws {
        try await withStore { store in
            try store.put("a", "1")
            let original = Shipper(of: store.path, to: storage, options: clock.options())
            try await original.round()
            try await original.end()
            let copy = try store.copied()
            var options = clock.options(process: 2)
            (options.boot, options.machine) = ("other", "machine 2")
            options.beginsNew = true
            let successor = Shipper(of: copy, to: storage, options: options)
            for _ in 0..<2 { #expect(try await successor.round() == nil) }
            try await successor.end()
            let opened = try Store.open(at: copy)
            try opened.write { try $0.put("more", forKey: "a") }
            options.beginsNew = false
            let again = Shipper(of: copy, to: storage, options: options)
            #expect(try await again.round()?.point.history == 2)
            try opened.close()
        }
    }

    @Test("Where a list of the newest point was deleted, everything is put again")
    func deletedList() async throws {
        try await withStore { store in
            try store.put("a", "1")
            try store.store.checkpoint()
            try await Shipper(of: store.path, to: storage, options: clock.options()).round()
            try await storage.delete(storage.keys("lists/") + storage.keys("data/"))
            try store.put("b", "2")
            let shipper = Shipper(of: store.path, to: storage, options: clock.options())
            let round = try #require(try await shipper.round())
            #expect(round.point.history == 2)
            #expect(try await store.restored(.newest, from: storage).contents == store.model)
        }
    }
}
