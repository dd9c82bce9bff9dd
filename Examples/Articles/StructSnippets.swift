import Testing
import Travertine

@Suite("Snippets: values of structs")
struct StructSnippets {
    struct Address: PersistedStruct, Equatable {
        var street: String
        var zip: String?
        static func objectKind() -> ObjectSchema.Kind { .embedded }
    }

    struct Guest: PersistedStruct, Equatable {
        var id: Int
        var name: String
        var nights = 1
        var home: Address?
        var languages: [String] = []
        static func primaryKey() -> String? { "id" }
        static func indexedProperties() -> [String] { ["full_name"] }

        enum CodingKeys: String, CodingKey {
            case id
            case name = "full_name"
            case nights, home, languages
        }
    }

    class Room: Object {
        @Persisted(primaryKey: true) var number: Int
        @Persisted var beds = 2
        @Persisted var notes: String?
    }

    struct RoomSize: PersistedStruct {
        var number: Int
        var beds: Int
        static func objectTypeName() -> String { "Room" }
    }

    @Test("a type that a struct alone declares")
    func alone() throws {
        let directory = SnippetDirectory()
        let file = directory.url
        var configuration = Realm.Configuration(fileURL: file, objectTypes: [])
        configuration.objectSchemas = [
            try ObjectSchema(Guest.self), try ObjectSchema(Address.self),
        ]
        let realm = try Realm(configuration: configuration)
        let ada = Guest(
            id: 1, name: "Ada", home: Address(street: "Quay 1"), languages: ["en", "fr"])
        try realm.write { try realm.insert(ada) }
        let everybody = try realm.values(Guest.self)
        let same = try realm.value(ofType: Guest.self, forPrimaryKey: 1)
        #expect(everybody == [ada] && same == ada)
        var changed = ada
        changed.nights = 3
        changed.home = nil
        try realm.write { try realm.insert(changed, update: .modified) }
        let found = try realm.dynamicObjects("Guest").sorted(byKeyPath: "full_name")
            .values(as: Guest.self)
        #expect(found == [changed])
    }

    @Test("a struct beside a class")
    func besideClass() throws {
        let directory = SnippetDirectory()
        let rooms = try directory.open([Room.self])
        try rooms.write { rooms.create(Room.self, value: ["number": 12, "notes": "view"]) }
        let sizes = try rooms.objects(Room.self).values(as: RoomSize.self)
        try rooms.write { try rooms.insert(RoomSize(number: 12, beds: 3), update: .modified) }
        #expect(sizes.map(\.beds) == [2] && rooms.objects(Room.self)[0].beds == 3)
        #expect(rooms.objects(Room.self)[0].notes == "view")
    }
}
