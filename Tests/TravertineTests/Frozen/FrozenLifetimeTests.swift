import Foundation
import RealmSwift
import TestSupport
import Testing

@testable import Travertine

@Suite("Lifetimes of frozen versions")
struct FrozenLifetimeTests {
    private func realm(_ directory: TemporaryDirectory) throws -> Realm {
        let realm = try directory.open(Valley.classes)
        try realm.write { for id in 0..<20 { _ = addValley(realm, id) } }
        return realm
    }

    private func snapshotCount(_ realm: Realm) throws -> Int {
        try realm.store.statistics.snapshots.count
    }

    @Test("a version is given back with the last object, collection or results of it")
    func lastThing() throws {
        let directory = TemporaryDirectory()
        let realm = try realm(directory)
        let before = try snapshotCount(realm)
        var kept: [Any] = []
        for number in 0..<6 {
            let valley = realm.objects(Valley.self)[number]
            let frozen = valley.freeze()
            switch number {
            case 0: kept.append(frozen)
            case 1: kept.append(frozen.glaciers)
            case 2: kept.append(frozen.streams)
            case 3: kept.append(realm.objects(Valley.self).where { $0.id > 3 }.freeze())
            case 4: kept.append(realm.freeze())
            default: kept.append(frozen.anything)
            }
            try realm.write { valley.depth += 1 }
            _ = realm.objects(Valley.self).count
        }
        #expect(try snapshotCount(realm) >= before + 6)
        for count in (0..<6).reversed() {
            kept.removeLast()
            #expect(try snapshotCount(realm) <= before + count + 1)
        }
        #expect(try snapshotCount(realm) <= before + 1)
    }

    @Test("sessions of other threads go with the last frozen thing, whichever thread releases it")
    func sessionsOfThreads() throws {
        let directory = TemporaryDirectory()
        let realm = try realm(directory)
        weak var version: FrozenVersion?
        do {
            nonisolated(unsafe) var glaciers: [Frozen<Glacier>?] = [nil, nil, nil]
            let valleys = Frozen(realm.objects(Valley.self).where { $0.id > 3 })
            version = valleys.value.realm?.session.frozen
            let lock = NSLock()
            try onThreads(3) { number in
                let glacier = valleys.value[number].glacier
                lock.withLock { glaciers[number] = glacier.map { Frozen($0) } }
            }
            try realm.write { realm.deleteAll() }
            let made = lock.withLock { glaciers }
            try onThreads(3) { number in
                #expect(made[(number + 1) % 3]?.value.valleys.count == 1)
            }
            #expect(version != nil)
            try onThreads(1) { _ in lock.withLock { glaciers = [] } }
            withExtendedLifetime(made) {}
        }
        // The blocks of the threads go when these end, which is not awaited.
        let deadline = Deadline(seconds: 30)
        while version != nil, !deadline.isOver { Thread.sleep(forTimeInterval: 0.01) }
        #expect(version == nil)
    }

    @Test("the session that a thread read with goes with the thread")
    func endedThreads() throws {
        let directory = TemporaryDirectory()
        let realm = try realm(directory)
        let valley = Frozen(realm.objects(Valley.self)[0])
        let sessions = Sessions()
        for _ in 0..<20 {
            try onThreads(1) { _ in
                guard let glacier = valley.value.glacier else { return }
                sessions.note(glacier.session)
            }
        }
        // A thread's end is not awaited by the group: the last ones may still be ending.
        let deadline = Deadline(seconds: 30)
        while sessions.livingCount > 1, !deadline.isOver { Thread.sleep(forTimeInterval: 0.01) }
        #expect(sessions.livingCount <= 1)
        #expect(valley.value.glacier?.name == "g0.0")
    }

    @Test("a realm of which something frozen is left is not deleted for other classes")
    func notDeleted() throws {
        let directory = TemporaryDirectory()
        let frozen = try {
            let realm = try directory.open([NarrowValley.self])
            try realm.write { realm.create(NarrowValley.self, value: ["id": 1, "name": "left"]) }
            return Frozen(realm.objects(NarrowValley.self))
        }()
        var configuration = Realm.Configuration(
            fileURL: directory.url, objectTypes: Valley.classes, durability: .unsynced)
        configuration.deleteRealmIfMigrationNeeded = true
        let error = #expect(throws: Realm.Error.self) { try Realm(configuration: configuration) }
        #expect(error?.code == .alreadyOpen, "\(String(describing: error))")
        #expect(frozen.value.map(\.name) == ["left"])
    }

    @Test("a frozen realm outlives the live one, and keeps the store open")
    func outliving() throws {
        let directory = TemporaryDirectory()
        let frozen = try { Frozen(try realm(directory).objects(Valley.self)) }()
        try onThreads(2) { _ in #expect(frozen.value.map(\.id) == Array(0..<20)) }
        #expect(frozen.thaw()?.count == 20)
    }
}

/// Sessions that are not retained.
private final class Sessions: @unchecked Sendable {
    private struct Weak { weak var session: RealmSession? }
    private let lock = NSLock()
    private var all: [Weak] = []

    func note(_ session: RealmSession?) { lock.withLock { all.append(Weak(session: session)) } }

    var livingCount: Int { lock.withLock { all.filter { $0.session != nil }.count } }
}
