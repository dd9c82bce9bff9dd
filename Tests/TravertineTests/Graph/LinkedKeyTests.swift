import Foundation
import RealmSwift
import TestSupport
import Testing

/// What becomes of a stored object when an unmanaged one with its primary key is linked to.
@Suite("Links to unmanaged objects with keys that exist")
struct LinkedKeyTests {
    private let directory = TemporaryDirectory()
    private let types: [ObjectBase.Type] = [KeyedPet.self, KeyedCollar.self, KeyedKeeper.self]

    /// A realm with the pet 1, whose values a new pet 1 would take away, and the keeper 1.
    private func open() throws -> (Realm, KeyedPet, KeyedKeeper) {
        let realm = try directory.open(types)
        return try realm.write {
            let pet = realm.create(
                KeyedPet.self,
                value: ["id": 1, "name": "Rex", "age": 7, "collar": ["text": "R"]])
            return (realm, pet, realm.create(KeyedKeeper.self, value: ["id": 1]))
        }
    }

    private static var pet: KeyedPet { KeyedPet(value: ["id": 1]) }

    private struct Route: Sendable {
        let name: String
        let link: @Sendable (Realm, KeyedKeeper) throws -> Void

        init(_ name: String, _ link: @escaping @Sendable (Realm, KeyedKeeper) throws -> Void) {
            (self.name, self.link) = (name, link)
        }
    }

    /// Every way of linking the keeper to an unmanaged pet with the key 1.
    private static var routes: [Route] { oneByOne + inCollections + inMixed + byNames + byCreating }

    private static let oneByOne = [
        Route("property") { $1.pet = pet },
        Route("set(_:for:)") { try $1.set(pet, for: \.pet) },
        Route("projection") { realm, _ in realm.objects(KeeperView.self)[0].pet = pet },
        Route("a graph that the link leads to") { _, keeper in
            let other = KeyedKeeper(value: ["id": 2])
            other.pet = pet
            keeper.keeper = other
        },
    ]

    private static let inCollections = [
        Route("list, append") { $1.pets.append(pet) },
        Route("list, append contents") { $1.pets.append(objectsIn: [pet]) },
        Route("list, insert") { $1.pets.insert(pet, at: 0) },
        Route("list, element") { $1.others[0] = pet },
        Route("list, replace") { $1.others.replace(index: 0, object: pet) },
        Route("list, assignment") { _, keeper in
            let pets = List<KeyedPet>()
            pets.append(pet)
            keeper.pets = pets
        },
        Route("set") { $1.petSet.insert(pet) },
        Route("map") { $1.petsByName["a"] = pet },
        Route("map, updateValue") { $1.petsByName.updateValue(pet, forKey: "a") },
    ]

    private static let inMixed = [
        Route("mixed") { $1.mixed = .object(pet) },
        Route("mixed, list inside") { $1.mixed = .fromArray([.fromArray([.object(pet)])]) },
        Route("mixed, dictionary inside") { $1.mixed = .fromDictionary(["a": .object(pet)]) },
        Route("list of mixed") { $1.mixedList.append(.object(pet)) },
    ]

    private static let byNames = [
        Route("by name") { $1["pet"] = pet },
        Route("list, by name") { $1["pets"] = [pet] },
        Route("set, by name") { $1["petSet"] = [pet] },
        Route("map, by name") { $1["petsByName"] = ["a": pet] },
        Route("mixed, by name") { $1["mixed"] = pet },
        Route("by a dictionary") { $1["keeper"] = ["id": 1, "pet": pet] as [String: Any] },
        Route("by a dictionary for a new object") {
            $1["keeper"] = ["id": 2, "pet": pet] as [String: Any]
        },
        Route("by an array") { $1["pet"] = [1, "Bo", 3, NSNull()] as [Any] },
        Route("dynamic object") { realm, _ in
            realm.dynamicObjects("KeyedKeeper")[0]["mixed"] = pet
        },
    ]

    private static let byCreating = [
        Route("create") { realm, _ in
            realm.create(KeyedKeeper.self, value: ["id": 2, "pet": pet] as [String: Any])
        },
        Route("insert") { realm, _ in
            try realm.insert(KeyedKeeper(value: ["id": 2, "pet": pet] as [String: Any]))
        },
        Route("dynamic create") { realm, _ in
            realm.dynamicCreate("KeyedKeeper", value: ["id": 2, "mixed": pet] as [String: Any])
        },
        Route("struct") { realm, _ in
            try realm.insert(KeeperValue(id: 2, pet: PetValue(id: 1)))
        },
    ]

    @Test("a second object with a key is refused on every way", arguments: routes.map(\.name))
    func refused(_ name: String) throws {
        let (realm, pet, keeper) = try open()
        try realm.write { keeper.others.append(KeyedPet(value: ["id": 9])) }
        let route = try #require(Self.routes.first { $0.name == name })
        let error = #expect(throws: Realm.Error.self) {
            try realm.write { try route.link(realm, keeper) }
        }
        #expect(error?.code == .duplicatePrimaryKey)
        #expect(pet.name == "Rex" && pet.age == 7 && pet.collar?.text == "R")
        #expect(keeper.pet == nil && keeper.pets.isEmpty && realm.objects(KeyedPet.self).count == 2)
        #expect(realm.objects(KeyedKeeper.self).count == 1)
    }

    @Test("what was refused is unmanaged, and a savepoint lets the transaction go on")
    func goesOn() throws {
        let (realm, pet, keeper) = try open()
        let second = Self.pet
        try realm.write {
            #expect(throws: Realm.Error.self) { try keeper.set(second, for: \.pet) }
            keeper.pets.append(pet)
        }
        #expect(second.realm == nil && keeper.pet == nil && keeper.pets.map(\.name) == ["Rex"])
    }

    @Test("managed objects, and unmanaged ones with new keys, are linked to as ever")
    func linked() throws {
        let (realm, pet, keeper) = try open()
        try realm.write {
            keeper.pet = pet
            keeper.pets.append(objectsIn: [pet, KeyedPet(value: ["id": 2])])
            keeper["pet"] = ["id": 1, "age": 8] as [String: Any]
        }
        #expect(pet.name == "Rex" && pet.age == 8 && keeper.pets.map(\.id) == [1, 2])
    }

    @Test("an update changes what it leads to", arguments: [true, false])
    func updates(exists: Bool) throws {
        let (realm, pet, _) = try open()
        func named(_ name: String) -> KeyedPet { KeyedPet(value: ["id": 1, "name": name]) }
        let id = exists ? 1 : 2
        let values: [[String: Any]] = [
            ["id": id, "pet": named("a")], ["id": id, "pets": [named("b")]],
            ["id": id, "petSet": [named("c")]], ["id": id, "petsByName": ["k": named("d")]],
            ["id": id, "mixed": named("e")], ["id": id, "mixedList": [named("f")]],
            ["id": id, "keeper": ["id": 1, "pet": named("g")] as [String: Any]],
        ]
        for (value, name) in zip(values, "abcdefg") {
            try realm.write { realm.create(KeyedKeeper.self, value: value, update: .modified) }
            #expect(pet.name == String(name) && pet.age == 0)
        }
        try realm.write {
            realm.add(KeyedKeeper(value: ["id": id, "pets": [named("h")]]), update: .all)
        }
        #expect(pet.name == "h")
        try realm.write {
            realm.dynamicCreate(
                "KeyedKeeper", value: ["id": id, "mixed": named("i")], update: .modified)
        }
        #expect(pet.name == "i")
        try realm.write {
            try realm.insert(
                KeeperValue(id: id, pet: PetValue(id: 1, name: "j")), update: .modified)
        }
        #expect(pet.name == "j")
    }
}

final class KeyedPet: Object {
    override class func shouldIncludeInDefaultSchema() -> Bool { false }

    @Persisted(primaryKey: true) var id: Int
    @Persisted var name: String
    @Persisted var age: Int
    @Persisted var collar: KeyedCollar?
}

final class KeyedCollar: EmbeddedObject {
    override class func shouldIncludeInDefaultSchema() -> Bool { false }

    @Persisted var text: String
}

final class KeyedKeeper: Object {
    override class func shouldIncludeInDefaultSchema() -> Bool { false }

    @Persisted(primaryKey: true) var id: Int
    @Persisted var pet: KeyedPet?
    @Persisted var keeper: KeyedKeeper?
    @Persisted var pets: List<KeyedPet>
    @Persisted var others: List<KeyedPet>
    @Persisted var petSet: MutableSet<KeyedPet>
    @Persisted var petsByName: Map<String, KeyedPet?>
    @Persisted var mixed: AnyRealmValue
    @Persisted var mixedList: List<AnyRealmValue>
}

final class KeeperView: Projection<KeyedKeeper> {
    @Projected(\KeyedKeeper.pet) var pet
}

private struct PetValue: PersistedStruct {
    static func objectTypeName() -> String { "KeyedPet" }

    init(id: Int = 0, name: String = "") { (self.id, self.name) = (id, name) }
    init() { self.init(id: 0) }

    var id: Int
    var name: String
}

private struct KeeperValue: PersistedStruct {
    static func objectTypeName() -> String { "KeyedKeeper" }

    init(id: Int = 0, pet: PetValue? = nil) { (self.id, self.pet) = (id, pet) }
    init() { self.init(id: 0) }

    var id: Int
    var pet: PetValue?
}
