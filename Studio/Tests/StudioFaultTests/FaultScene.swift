import Foundation
import SimulatedDisk
import TravertineStore

@testable import StoreFixtures
@testable import StudioServer
@testable import Travertine

class Account: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var text: String

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// Without a primary key, so that its addresses are numbers.
class Remark: Object {
    @Persisted var text: String
    @Persisted var account: Account?

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// The server with `--write`, without its sockets, on a simulated disk.
final class FaultScene: Sendable {
    nonisolated(unsafe) let machine: SimulatedMachine
    let path: String
    let explorer: RealmExplorer
    private let router: Router

    /// A realm with two accounts and two remarks.
    convenience init() async throws {
        let machine = SimulatedMachine(seed: 17)
        let path = "/studio-\(UUID().uuidString)"
        try await self.init(machine, path, Self.fill(machine, path))
    }

    /// - Parameter store: that of the path. A realm of an actor is opened by a thread that knows
    ///   nothing of the simulated disk, and finds the store, because it is open already.
    private init(_ machine: SimulatedMachine, _ path: String, _ store: SharedStore) async throws {
        let directory = URL(filePath: path, directoryHint: .isDirectory)
        let explorer = try await RealmExplorer(directory, isWritable: true)
        let events = EventHub()
        (self.machine, self.path, self.explorer) = (machine, path, explorer)
        router = Router(
            explorer: explorer, events: events,
            maintenance: Maintenance(directory, explorer: explorer, events: events),
            guardian: RequestGuard(port: 1, token: AccessToken()))
        withExtendedLifetime(store) {}
    }

    private static func open(
        _ machine: SimulatedMachine, _ path: String, _ types: [ObjectBase.Type] = []
    ) throws -> Realm {
        let configuration = Realm.Configuration(
            fileURL: URL(filePath: path, directoryHint: .isDirectory), objectTypes: types)
        return try SharedStore.$simulatedOptions.withValue(machine.options()) {
            try Realm(configuration: configuration)
        }
    }

    private static func fill(_ machine: SimulatedMachine, _ path: String) throws -> SharedStore {
        let realm = try open(machine, path, [Account.self, Remark.self])
        try realm.write {
            for id in 1...2 {
                let account = realm.create(Account.self, value: ["id": id, "text": "old"])
                realm.create(Remark.self, value: ["text": "on \(id)", "account": account])
            }
        }
        return realm.session.shared
    }

    /// The files as a power cut leaves them, opened by another server on another machine.
    func afterPowerCut() async throws -> FaultScene {
        machine.disk.crash()
        let other = SimulatedMachine(seed: 18)
        let place = "/studio-\(UUID().uuidString)"
        try other.fileSystem.createDirectory(place)
        for file in machine.disk.paths where file.hasPrefix(path + "/") {
            other.disk.setContents(
                of: place + file.dropFirst(path.count), machine.disk.contents(of: file) ?? [])
        }
        let store = try Self.open(other, place).session.shared
        return try await FaultScene(other, place, store)
    }

    /// Ends the background work of the machine.
    func end() { machine.executor.removeAll() }

    // MARK: Requests

    /// What the server answers to a request of the page.
    func post(_ path: String, _ body: [String: Any]) async throws -> FaultAnswer {
        let guardian = router.guardian
        let request = Request(
            method: "POST", path: "/\(guardian.token.path)\(path)", query: [:],
            fields: [
                "host": "127.0.0.1:1", "origin": "http://127.0.0.1:1",
                "content-type": "application/json",
                "cookie": "\(guardian.cookieName)=\(guardian.token.text)",
            ],
            body: Array(try JSONSerialization.data(withJSONObject: body)), keepsAlive: true)
        return try FaultAnswer(await router.respond(to: request))
    }

    /// The addresses of the remarks, in the order of the table.
    func remarks() async throws -> [String] {
        let answer = try await post(
            "/api/rows",
            [
                "query": ["type": "Remark", "filter": "", "order": []] as [String: Any],
                "from": 0, "count": 10,
            ])
        let rows = answer.json["rows"] as? [[String: Any]] ?? []
        return rows.compactMap { $0["id"] as? String }
    }

    /// All values of the realm.
    func everything() async -> [String] { await explorer.everythingForFaults() }

    /// The number of the commit that is undone next.
    func undoNumber() async -> Int? { await explorer.undoNumberForFaults }
}

/// What the server has answered.
struct FaultAnswer {
    let status: Int
    let json: [String: Any]

    init(_ response: Response) throws {
        status = response.status
        guard case .bytes(let bytes) = response.body else {
            json = [:]
            return
        }
        json = try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any] ?? [:]
    }

    var error: String { json["error"] as? String ?? "" }
    var isOutcomeUnknown: Bool { json["isOutcomeUnknown"] as? Bool == true }
}

extension RealmExplorer {
    fileprivate var undoNumberForFaults: Int? { undoHistory.commits.last?.number }

    fileprivate func everythingForFaults() -> [String] {
        ["Account", "Remark"].flatMap { name in
            realm.dynamicObjects(name).map { object in
                let account = object.objectSchema["account"].flatMap { _ in
                    (object["account"] as? DynamicObject).map { "\($0["id"] ?? "")" }
                }
                return "\(name) \(object["text"] ?? "") \(account ?? "")"
            }.sorted()
        }
    }
}
