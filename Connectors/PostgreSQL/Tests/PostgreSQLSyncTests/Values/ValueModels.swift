import Foundation
import Travertine

class Everything: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var tiny: Int8
    @Persisted var small: Int16
    @Persisted var medium: Int32
    @Persisted var large: Int64
    @Persisted var flag: Bool
    @Persisted var text: String
    @Persisted var data: Data
    @Persisted var date: Date
    @Persisted var float: Float
    @Persisted var double: Double
    @Persisted var decimal: Decimal128
    @Persisted var uuid: UUID
    @Persisted var objectId: ObjectId
    @Persisted var any: AnyRealmValue
}

class Optionals: Object {
    @Persisted var number: Int?
    @Persisted var flag: Bool?
    @Persisted var text: String?
    @Persisted var data: Data?
    @Persisted var date: Date?
    @Persisted var float: Float?
    @Persisted var double: Double?
    @Persisted var decimal: Decimal128?
    @Persisted var uuid: UUID?
    @Persisted var objectId: ObjectId?
}

class TextTarget: Object {
    @Persisted(primaryKey: true) var code: String
}

class NumberTarget: Object {
    @Persisted(primaryKey: true) var number: Int
}

class IdTarget: Object {
    @Persisted(primaryKey: true) var id: ObjectId
}

class BareTarget: Object {
    @Persisted var note: String
}

class Animal: Object {
    @Persisted(primaryKey: true) var name: String
}

class Bird: Animal {
    @Persisted var wingspan: Double
}

class Linking: Object {
    @Persisted(primaryKey: true) var id: UUID
    @Persisted var text: TextTarget?
    @Persisted var number: NumberTarget?
    @Persisted var identified: IdTarget?
    @Persisted var bare: BareTarget?
    @Persisted var animal: Animal?
    @Persisted var texts: List<TextTarget>
    @Persisted var bares: List<BareTarget>
    @Persisted var animals: List<Animal>
    @Persisted var numbers: MutableSet<NumberTarget>
    @Persisted var named: Map<String, TextTarget?>
}

class Collected: Object {
    @Persisted(primaryKey: true) var id: ObjectId
    @Persisted var numbers: List<Int?>
    @Persisted var flags: List<Bool?>
    @Persisted var texts: List<String?>
    @Persisted var blobs: List<Data?>
    @Persisted var dates: List<Date?>
    @Persisted var floats: List<Float?>
    @Persisted var doubles: List<Double?>
    @Persisted var decimals: List<Decimal128?>
    @Persisted var uuids: List<UUID?>
    @Persisted var objectIds: List<ObjectId?>
    @Persisted var anything: List<AnyRealmValue>
    @Persisted var numberSet: MutableSet<Int?>
    @Persisted var textSet: MutableSet<String?>
    @Persisted var blobSet: MutableSet<Data?>
    @Persisted var anySet: MutableSet<AnyRealmValue>
    @Persisted var numberMap: Map<String, Int?>
    @Persisted var textMap: Map<String, String?>
    @Persisted var dateMap: Map<String, Date?>
    @Persisted var anyMap: Map<String, AnyRealmValue>
}

class Town: EmbeddedObject {
    @Persisted var name: String
    @Persisted var since: Date?
    @Persisted var codes: List<String>
    @Persisted var country: Country?
}

class Country: EmbeddedObject {
    @Persisted var name: String
    @Persisted var cities: List<String>
}

class Owning: Object {
    @Persisted var home: Town?
    @Persisted var places: List<Town>
    @Persisted var named: Map<String, Town?>
}

class Renamed: Object {
    @Persisted(primaryKey: true) var key: String
    @Persisted var number: Int
    @Persisted var marks: List<Int>
    override class func objectTypeName() -> String { "stored things" }
    override class func propertiesMapping() -> [String: String] {
        ["key": "the key", "number": "Nr.", "marks": "m"]
    }
}

class Measured: AsymmetricObject {
    @Persisted var celsius: Double
    @Persisted var notes: List<String>
    @Persisted var place: Town?
}

/// The types of values of all kinds, with objects of all of them.
enum ValueModels {
    static let types: [ObjectBase.Type] = [
        Everything.self, Optionals.self, TextTarget.self, NumberTarget.self, IdTarget.self,
        BareTarget.self, Animal.self, Bird.self, Linking.self, Collected.self, Town.self,
        Country.self, Owning.self, Renamed.self, Measured.self,
    ]

    static let text = "it's \"q\" \\ \t|\n|\r {NULL} é 🦊"
    static let uuid = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0xaf))
    static let objectId = ObjectId("0102030405060708090a0b0c")

    static func everything() -> Everything {
        let all = Everything()
        all.id = -7
        (all.tiny, all.small, all.medium, all.large) = (.min, .max, .min, .max)
        (all.flag, all.text, all.data) = (true, text, Data([0, 0x27, 0x5c, 0xff]))
        all.date = Date(timeIntervalSinceReferenceDate: 0.25)
        (all.float, all.double, all.decimal) = (1.5, -0.1, "-12.50")
        (all.uuid, all.objectId) = (uuid, objectId)
        all.any = .string("any \"\\ text")
        return all
    }

    static var anything: [AnyRealmValue] {
        [
            .none, .int(-5), .bool(true), .float(1.5), .double(-2.25), .double(.infinity),
            .string(text), .data(Data([0, 9])), .date(Date(timeIntervalSinceReferenceDate: 0.5)),
            .objectId(objectId), .decimal128("1.50"), .uuid(uuid),
        ]
    }

    static func collected() -> Collected {
        let all = Collected()
        all.id = objectId
        all.numbers.append(objectsIn: [3, nil, -1])
        all.flags.append(objectsIn: [true, nil, false])
        all.texts.append(objectsIn: ["", nil, "null", "NULL", text, "{a,\"b\"}"])
        all.blobs.append(objectsIn: [Data(), nil, Data([0x5c, 0x22, 0])])
        all.dates.append(objectsIn: [Date(timeIntervalSinceReferenceDate: 0), nil])
        all.floats.append(objectsIn: [1.5, nil, .nan, -.infinity])
        all.doubles.append(objectsIn: [0.1, nil, .infinity, -0.0])
        all.decimals.append(objectsIn: ["1.50", nil, "1E+3"])
        all.uuids.append(objectsIn: [uuid, nil])
        all.objectIds.append(objectsIn: [objectId, nil])
        all.anything.append(objectsIn: anything)
        all.anything.append(
            .fromArray([.int(1), .none, .fromDictionary(["k \"": .fromArray([.bool(false)])])]))
        all.numberSet.insert(objectsIn: [2, nil, 1])
        all.textSet.insert(objectsIn: ["b", nil, "a"])
        all.blobSet.insert(objectsIn: [Data([2]), nil, Data([1])])
        all.anySet.insert(objectsIn: [.int(1), .string("a"), .none])
        all.numberMap["one"] = 1
        all.numberMap["no"] = .some(nil)
        all.textMap["quote \" and \\"] = text
        all.dateMap["d"] = Date(timeIntervalSinceReferenceDate: 0)
        all.anyMap["list"] = .fromArray([.int(1), .string("x")])
        return all
    }

    /// Adds objects of all types.
    static func fill(_ realm: Realm) throws {
        try realm.write {
            realm.add(everything())
            realm.add(Optionals())
            realm.add(collected())
            let (text, number, bare) = (TextTarget(), NumberTarget(), BareTarget())
            (text.code, number.number, bare.note) = ("it's", -3, "b")
            let (animal, bird, identified) = (Animal(), Bird(), IdTarget())
            (animal.name, bird.name, bird.wingspan, identified.id) = ("cat", "gull", 1.5, objectId)
            let linking = Linking()
            linking.id = uuid
            (linking.text, linking.number, linking.bare) = (text, number, bare)
            (linking.identified, linking.animal) = (identified, bird)
            linking.texts.append(objectsIn: [text, text])
            linking.bares.append(bare)
            linking.animals.append(objectsIn: [animal, bird])
            linking.numbers.insert(number)
            linking.named["t"] = text
            linking.named["none"] = .some(nil)
            realm.add(linking)
            realm.add(Linking())
            addOwners(to: realm)
            realm.create(Measured.self, value: ["celsius": 1.5, "notes": ["a", "b"]])
        }
    }

    private static func addOwners(to realm: Realm) {
        let owning = Owning()
        owning.home = Town(value: ["name": "Porto", "codes": ["x", "y"]])
        owning.home?.country = Country(value: ["name": "PT", "cities": ["Lisboa"]])
        owning.places.append(Town(value: ["name": "A", "codes": ["1"]]))
        owning.places.append(Town(value: ["name": "B \"q\""]))
        owning.named["c"] = Town(value: ["name": "C"])
        realm.add(owning)
        realm.add(Owning())
        let renamed = Renamed()
        (renamed.key, renamed.number) = ("k", 4)
        renamed.marks.append(objectsIn: [5, 6])
        realm.add(renamed)
    }
}
