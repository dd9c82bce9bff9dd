import Foundation
import PostgreSQLServer
import Travertine

/// Types whose objects go to a server and come back.
enum ImportModels {
    class Port: Object {
        @Persisted(primaryKey: true) var code: String
        @Persisted var depth: Double
    }

    class Address: EmbeddedObject {
        @Persisted var street: String
        @Persisted var since: Date?
        @Persisted var seal: Data?
        @Persisted var id: UUID?
        @Persisted var score: Float
    }

    class Ship: Object {
        @Persisted(primaryKey: true) var id: UUID
        @Persisted var number: Int64
        @Persisted var flag: Bool
        @Persisted var name: String?
        @Persisted var photo: Data?
        @Persisted var built: Date?
        @Persisted var draught: Float
        @Persisted var length: Double
        @Persisted var value: Decimal128?
        @Persisted var maker: ObjectId?
        @Persisted var any: AnyRealmValue
        @Persisted var home: Port?
        @Persisted var owner: Address?
        @Persisted var ports: List<Port>
        @Persisted var addresses: List<Address>
        @Persisted var days: List<Date?>
        @Persisted var seals: List<Data?>
        @Persisted var prices: List<Decimal128?>
        @Persisted var makers: MutableSet<ObjectId?>
        @Persisted var names: MutableSet<String>
        @Persisted var counts: Map<String, Int?>
        @Persisted var dates: Map<String, Date?>
    }

    static let types: [ObjectBase.Type] = [Port.self, Address.self, Ship.self]

    /// A time with microseconds, as the server has it.
    static func time(_ microseconds: Int64) -> Date {
        Date(timeIntervalSinceReferenceDate: Double(microseconds) / 1e6)
    }

    static func fill(_ realm: Realm, random seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        try realm.write {
            let ports = ["PT LIS", "it's", "é\n\"x\""].map { code in
                realm.create(Port.self, value: ["code": code, "depth": 0.1])
            }
            for _ in 0..<40 { realm.add(ship(ports, &random)) }
            let bare = Ship()
            bare.id = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
            realm.add(bare)
        }
    }

    private static func ship(_ ports: [Port], _ random: inout SeededRandom) -> Ship {
        let ship = Ship()
        ship.id = UUID(
            uuid: unsafeBitCast((random.next(), random.next()), to: uuid_t.self))
        ship.number = Int64(bitPattern: random.next())
        ship.flag = Bool.random(using: &random)
        ship.name = [nil, "", "NULL", "a\\b\t\"c\"", "{1,2}"].randomElement(using: &random)!
        ship.photo = Data((0..<Int.random(in: 0..<40, using: &random)).map { UInt8($0) &* 7 })
        let microseconds = Int64(3_000_000_000_000_000)
        ship.built = time(Int64.random(in: -microseconds...microseconds, using: &random))
        ship.draught = Float(bitPattern: UInt32.random(in: 0..<0x7f80_0000, using: &random))
        ship.length = [.nan, .infinity, -0.0, 1, Double(bitPattern: random.next() >> 2)]
            .randomElement(using: &random)!
        ship.value = [nil, "12345678901234567890123456789012.34", "-0.50", "1E+3", "NaN"]
            .randomElement(using: &random)!
        ship.maker = try? ObjectId(string: "0102030405060708090a0b0c")
        ship.any = [.none, .int(-5), .string("x"), .bool(true), .double(1.5)]
            .randomElement(using: &random)!
        ship.home = ([nil] + ports).randomElement(using: &random)!
        ship.ports.append(objectsIn: ports.shuffled(using: &random))
        let address = Address()
        (address.street, address.since) = ("\"s\" \(random.next() % 10)", time(123_456))
        (address.seal, address.id, address.score) = (Data([0, 1]), ship.id, 0.1)
        ship.owner = address
        ship.addresses.append(Address(value: ["street": "b", "score": Float.infinity]))
        ship.days.append(objectsIn: [time(1), nil])
        ship.seals.append(objectsIn: [Data(), nil, Data([0x5c, 0x22])])
        ship.prices.append(objectsIn: ["1.50", nil, "12345678901234567890.5"])
        ship.makers.insert(objectsIn: [ship.maker, nil])
        ship.names.insert(objectsIn: ["b", "", "a,\"b\""])
        ship.counts["one"] = 1
        ship.counts["none"] = .some(nil)
        ship.dates["d"] = time(7)
        return ship
    }
}
