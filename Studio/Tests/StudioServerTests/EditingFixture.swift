import Foundation
import Travertine

@testable import StudioServer

class Shelter: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var tags: MutableSet<String>
    @Persisted var sizes: List<Int?>
    @Persisted var homes: List<Room>
    @Persisted var rooms: Map<String, Room?>
    @Persisted var guests: List<Guest>
    @Persisted var best: Guest?
    @Persisted var seats: Map<String, Guest?>
    @Persisted var friends: MutableSet<Guest>
    @Persisted var value: AnyRealmValue
    @Persisted var values: List<AnyRealmValue>
    @Persisted var picture: Data?

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// Without a primary key, so that its addresses are numbers.
class Guest: Object {
    @Persisted var name: String
    @Persisted var friend: Guest?
    @Persisted var room: Room?
    @Persisted var notes: Map<String, AnyRealmValue>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class Room: EmbeddedObject {
    @Persisted var name: String
    @Persisted var guest: Guest?

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// A realm that is changed by requests, without a server.
struct EditingFixture {
    let directory = FileManager.default.temporaryDirectory
        .appendingPathComponent("studio-\(UUID().uuidString)", isDirectory: true)
    let explorer: RealmExplorer
    private let place: Place

    /// Removes the directory when the test has ended.
    private final class Place: Sendable {
        let url: URL

        init(_ url: URL) { self.url = url }

        deinit { try? FileManager.default.removeItem(at: url) }
    }

    /// - Parameter change: made beside what every fixture has.
    init(_ types: [ObjectBase.Type] = [], _ change: (Realm) -> Void = { _ in }) async throws {
        place = Place(directory)
        try Self.fill(directory, types, change)
        explorer = try await RealmExplorer(directory, isWritable: true)
    }

    private static func fill(
        _ directory: URL, _ types: [ObjectBase.Type], _ change: (Realm) -> Void
    ) throws {
        let all = [Shelter.self, Guest.self, Room.self] + types
        let realm = try Realm(
            configuration: Realm.Configuration(fileURL: directory, objectTypes: all))
        try realm.write {
            change(realm)
            let guests = ["Ana", "Bo", "Cem"].map { name in
                realm.create(Guest.self, value: ["name": name])
            }
            guests[0].friend = guests[0]
            guests[0].notes["age"] = .int(5)
            guests[0].notes["nested"] = .fromArray([.string("x"), .double(1.5)])
            guests[0].room = Room(value: ["name": "own", "guest": guests[0]])
            guests[1].friend = guests[0]
            let shelter = realm.create(Shelter.self, value: ["id": 1])
            shelter.tags.insert(objectsIn: ["a", "b", "c"])
            shelter.sizes.append(objectsIn: [1, nil, 3])
            shelter.homes.append(Room(value: ["name": "first", "guest": guests[0]]))
            shelter.homes.append(Room(value: ["name": "second"]))
            shelter.rooms["attic"] = Room(value: ["name": "attic"])
            shelter.guests.append(objectsIn: [guests[0], guests[1], guests[0], guests[2]])
            shelter.best = guests[0]
            shelter.seats["left"] = guests[0]
            shelter.seats["right"] = guests[1]
            shelter.friends.insert(objectsIn: guests)
            shelter.value = .object(guests[0])
            shelter.values.append(objectsIn: [.object(guests[0]), .int(1), .string("two")])
            shelter.picture = Data([1, 2, 3])
        }
    }

    // MARK: What is there

    /// The address of the guest with a name.
    func guest(_ name: String) async throws -> String {
        let rows = try await rows("Guest", "name == '\(name)'")
        guard let id = rows.first?["id"] as? String else { throw RequestFailure(410, name) }
        return id
    }

    func rows(_ type: String, _ filter: String) async throws -> [[String: Any]] {
        let query = QueryDescription(type: type, filter: filter, order: [])
        let text = try await explorer.rows(RowsRequest(query: query, from: 0, count: 100))
            .textForTest
        let json = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
        return json?["rows"] as? [[String: Any]] ?? []
    }

    /// All values of the realm as text, with names of guests for their addresses, which change when
    /// one is deleted and restored.
    func everything() async throws -> String { await explorer.describeForTest() }

    // MARK: Changes

    func commit(_ changes: Change...) async throws {
        _ = try await explorer.commit(ChangesRequest(changes: changes))
    }

    /// The text of a value, as the page has it.
    func shown(_ path: String, of id: String = "=1", _ type: String = "Shelter") async throws
        -> String?
    {
        try await explorer.shown(path.split(separator: "/").map(String.init), type, id)
    }

    /// Undoes the last commit; false if there is none.
    func undo() async throws -> Bool {
        guard let number = await explorer.undoNumber else { return false }
        _ = try await explorer.undo(UndoRequest(number: number))
        return true
    }
}

extension RealmExplorer {
    /// The number of the commit that is undone next.
    var undoNumber: Int? { undoHistory.commits.last?.number }

    fileprivate func shown(_ path: [String], _ type: String, _ id: String) throws -> String? {
        let place = try ValuePlace(path, of: object(type, id))
        return values.text(try place.value(), isMixed: place.isMixed)
    }

    fileprivate func describeForTest() -> String {
        ["Guest", "Shelter"].flatMap { name in
            realm.dynamicObjects(name).map { object in
                object.objectSchema.properties.map { property in
                    "\(property.name)=\(describe(object[property.name], isSet: property.isSet))"
                }.joined(separator: " ")
            }.sorted()
        }.joined(separator: "\n")
    }

    private func describe(_ value: Any?, isSet: Bool = false) -> String {
        let stored = StoredValue(value)
        switch stored {
        case .object(let object) where object.objectSchema.isEmbedded:
            let values = object.objectSchema.properties.map { describe(object[$0.name]) }
            return "{\(values.joined(separator: ","))}"
        case .object(let object): return "→\(object["name"] ?? "?")"
        case .elements(let elements):
            let texts = elements.values(from: 0, count: 100).map { describe($0) }
            return "[\((isSet ? texts.sorted() : texts).joined(separator: ","))]"
        case .entries(let entries):
            let texts = entries.entries(from: 0, count: 100).map {
                "\($0.key):\(describe($0.value))"
            }
            return "[\(texts.joined(separator: ","))]"
        case .null: return "nil"
        case .data(let data): return ValueText.hex(data)
        default: return "\(stored.kind) \(ValueText.short(value))"
        }
    }
}

extension JSON {
    var textForTest: String { String(decoding: bytes, as: UTF8.self) }
}
