import Foundation
import Locks
import RealmSwift
import SimulatedDisk
import StoreMaintenance
import TestSupport
import TravertineStore

@testable import StoreFixtures
@testable import Travertine

/// A realm on a simulated disk that is migrated, with a power cut or a failed call on the way.
///
/// After it, a program of the old version finds all of the old schema and data, or one of the new
/// version all of the new: never something between.
final class MigrationSimulation {
    private let seed: UInt64
    private var random: SeededRandom
    private let machine: SimulatedMachine
    /// Where the realm is. Realms of one process are distinguished by their paths.
    private var path: String { "/migrated-\(seed)" }
    private let shipCount: Int
    /// Whether steps are declared, or a block is called.
    private let isDeclared: Bool
    /// What did not hold, for a test to compare with nothing.
    private(set) var problems: [String] = []
    /// Whether the migration was committed when the program ended.
    private(set) var isNew = false
    /// Whether the block, or the closure of a declared step, was called since this was cleared.
    private let calls = Calls()

    private final class Calls: Sendable {
        let wereMade = Locked(false)
    }

    init(seed: UInt64) {
        self.seed = seed
        random = SeededRandom(seed: seed)
        machine = SimulatedMachine(seed: seed)
        shipCount = 5 + random.below(60)
        isDeclared = random.chance(40)
    }

    /// Migrates with a fault at one of the calls to the disk.
    ///
    /// - Parameter callCount: of a migration of the seed without a fault; nil for no fault.
    /// - Returns: the number of calls that the migration made.
    @discardableResult
    func run(faultIn callCount: Int?) throws -> Int {
        // Jobs that were not run have the store, and the store has the executor.
        defer { machine.executor.removeAll() }
        try open(isNew: false) { realm in
            for _ in 0..<3 { try fill(realm) }
            if random.chance(50) { try realm.store.checkpoint() }
        }
        machine.restart()
        let first = machine.disk.callCount
        var place = "seed \(seed)"
        var faultIndex = 0
        if let callCount {
            let fault = random.pick(DiskFault.allCases)
            faultIndex = random.below(callCount)
            machine.disk.setFault(fault, atCall: faultIndex)
            place += ", \(fault) at call \(faultIndex) of \(callCount)"
        }
        var wasOpened = false
        do {
            try open(isNew: true) { _ in wasOpened = true }
        } catch {
            if callCount == nil { throw error }
        }
        let count = machine.disk.callCount - first
        require(callCount == nil || count > faultIndex, "the fault was not reached", place)
        machine.disk.clearFaults()
        // After a call that failed the program ends, and the machine may go on.
        if machine.disk.hasCrashed || random.chance(50) {
            machine.crashAndRestart()
        } else {
            machine.restart()
        }
        do {
            try check(wasCommitted: wasOpened, place)
        } catch {
            problems.append("\(place): \(error)")
        }
        return count
    }

    // MARK: Opening

    private func configuration(isNew: Bool) -> Realm.Configuration {
        var configuration = Realm.Configuration(
            fileURL: URL(filePath: path, directoryHint: .isDirectory),
            schemaVersion: isNew ? 1 : 0,
            objectTypes: isNew ? SimulatedModels.new : SimulatedModels.old, durability: .commit)
        guard isNew else { return configuration }
        let calls = calls
        if isDeclared {
            configuration.migrations = [
                MigrationVersion(
                    1, .rename("Ship", from: "captain", to: "master"),
                    .map("Ship", "load") { (load: Int) in Double(load) / 2 },
                    .map("Ship", "id") { (id: Int) in
                        calls.wereMade.withLock { $0 = true }
                        return "s\(id)"
                    }, .delete("Note"))
            ]
        } else {
            configuration.migrationBlock = { migration, _ in
                calls.wereMade.withLock { $0 = true }
                Self.migrate(migration)
            }
        }
        return configuration
    }

    private static func migrate(_ migration: Migration) {
        migration.renameProperty(onType: "Ship", from: "captain", to: "master")
        migration.enumerateObjects(ofType: "Ship") { old, new in
            guard let old, let new, let id = old["id"] as? Int, let load = old["load"] as? Int
            else { return }
            new["id"] = "s\(id)"
            new["load"] = Double(load) / 2
        }
        migration.deleteData(forType: "Note")
    }

    private func open(isNew: Bool, _ body: (Realm) throws -> Void) throws {
        try SharedStore.$simulatedOptions.withValue(machine.options(.verified)) {
            try body(try Realm(configuration: configuration(isNew: isNew)))
        }
    }

    private func fill(_ realm: Realm) throws {
        let first = realm.objects(SimulatedShipV0.self).count
        try realm.write {
            let port = realm.create(
                SimulatedPortV0.self, value: ["id": first, "name": "port \(first)"])
            realm.create(SimulatedNoteV0.self, value: ["text": "note \(first)"])
            for id in first..<first + shipCount {
                realm.create(
                    SimulatedShipV0.self,
                    value: [
                        "id": id, "captain": "c\(id % 7)", "text": Self.text(id), "load": id * 3,
                        "port": id % 3 == 0 ? nil : port, "stops": [port, port],
                    ])
            }
        }
    }

    private static func text(_ id: Int) -> String {
        "ship \(id) " + String(repeating: "x", count: id % 5 * 100)
    }

    // MARK: Checking

    /// - Parameter wasCommitted: whether opening returned, and what it did must be there.
    private func check(wasCommitted: Bool, _ place: String) throws {
        isNew = true
        // A program of the old version opens what was not migrated.
        do {
            try open(isNew: false) { realm in
                isNew = false
                verifyOld(realm, place)
            }
        } catch let error as Realm.Error where isNew {
            require(
                "\(error)".contains("version"), "the old program is refused: \(error)", place)
        }
        require(isNew || !wasCommitted, "the migration was lost", place)
        machine.restart()
        // Either way a program of the new version opens it, and migrates it only if it must.
        calls.wereMade.withLock { $0 = false }
        try open(isNew: true) { verifyNew($0, place) }
        require(
            calls.wereMade.withLock { $0 } != isNew,
            isNew ? "what was committed was migrated again" : "nothing was migrated", place)
        machine.restart()
        let report = try StoreVerifier.verify(
            path: path, level: .deep, environment: machine.environment)
        if !report.isSound { problems.append("\(place): \(report.findings)") }
    }

    private func require(_ holds: Bool, _ what: String, _ place: String) {
        if !holds { problems.append("\(place): \(what)") }
    }

    private var allCount: Int { shipCount * 3 }

    private func verifyOld(_ realm: Realm, _ place: String) {
        let ships = realm.objects(SimulatedShipV0.self)
        require(ships.map(\.id) == Array(0..<allCount), "the old ships differ", place)
        for ship in ships {
            let id = ship.id
            require(
                ship.captain == "c\(id % 7)" && ship.text == Self.text(id) && ship.load == id * 3
                    && (ship.port == nil) == (id % 3 == 0) && ship.stops.count == 2,
                "the old ship \(id) differs", place)
        }
        require(
            ships.where { $0.captain == "c1" }.map(\.id)
                == (0..<allCount).filter { $0 % 7 == 1 }, "the old index differs", place)
        require(realm.objects(SimulatedNoteV0.self).count == 3, "the notes differ", place)
        require(realm.objects(SimulatedPortV0.self).count == 3, "the ports differ", place)
        invariants(realm, place)
    }

    private func verifyNew(_ realm: Realm, _ place: String) {
        let ships = realm.objects(SimulatedShipV1.self)
        require(ships.count == allCount, "\(ships.count) new ships", place)
        for (id, ship) in ships.enumerated() {
            require(
                ship.id == "s\(id)" && ship.master == "c\(id % 7)" && ship.text == Self.text(id)
                    && ship.load == Double(id * 3) / 2 && (ship.port == nil) == (id % 3 == 0)
                    && ship.stops.count == 2,
                "the new ship \(id) differs", place)
            require(
                realm.object(ofType: SimulatedShipV1.self, forPrimaryKey: "s\(id)")?.load
                    == ship.load, "the new ship \(id) isn't found by its key", place)
        }
        require(ships.where { $0.load < 3 }.count == 2, "the new index differs", place)
        require(
            realm.objects(SimulatedShipV1.self).where { $0.text.fullText("ship") }.count
                == allCount,
            "the full text index differs", place)
        let ports = realm.objects(SimulatedPortV1.self)
        require(
            ports.count == 3 && ports.allSatisfy { $0.isOpen && $0.ships.count == shipCount * 2 },
            "the new ports differ", place)
        require(ports.where { $0.name == "port 0" }.count == 1, "the index of names differs", place)
        require(!realm.hasType("Note"), "the removed class is there", place)
        invariants(realm, place)
    }

    private func invariants(_ realm: Realm, _ place: String) {
        do {
            problems += try realm.brokenInvariants().map { "\(place): \($0)" }
        } catch {
            problems.append("\(place): \(error)")
        }
    }
}
