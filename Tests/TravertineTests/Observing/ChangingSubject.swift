import Foundation
import RealmSwift
import TestSupport

@testable import Travertine

final class ChangingRoom: EmbeddedObject {
    @Persisted var area = 0.0
    @Persisted var name: String?
}

final class ChangingHouse: EmbeddedObject {
    @Persisted var number = 0
    @Persisted var room: ChangingRoom?
    @Persisted var guest: ChangingKeyed?
}

final class ChangingKeyed: Object {
    @Persisted(primaryKey: true) var id = 0
    @Persisted var value = ""
}

/// An object with a property of each kind.
final class ChangingSubject: Object {
    @Persisted(indexed: true) var int = 0
    @Persisted var optional: Int?
    @Persisted var small: Int8 = 0
    @Persisted var bool = false
    @Persisted var float: Float = 0
    @Persisted var double = 0.0
    @Persisted var text = ""
    @Persisted var optionalText: String?
    @Persisted var data = Data()
    @Persisted var date = Date(timeIntervalSince1970: 0)
    @Persisted var uuid = UUID(uuidString: "00000000-0000-0000-0000-000000000000")
    @Persisted var decimal: Decimal128 = 0
    @Persisted var objectID: ObjectId?
    @Persisted var any: AnyRealmValue
    @Persisted var link: ChangingKeyed?
    @Persisted var links: List<ChangingKeyed>
    @Persisted var numbers: List<Int>
    @Persisted var set: MutableSet<String>
    @Persisted var map: Map<String, Int>
    @Persisted var house: ChangingHouse?
    @Persisted var houses: List<ChangingHouse>
    @Persisted var named: Map<String, ChangingHouse?>

    /// The values as texts, by the names of the properties.
    func texts(_ text: (Any?) -> String) -> [String: String] {
        [
            "int": "\(int)", "optional": text(optional), "small": "\(small)", "bool": "\(bool)",
            "float": "\(float)", "double": "\(double)", "text": self.text,
            "optionalText": text(optionalText), "data": "\(Array(data))",
            "date": "\(date.timeIntervalSince1970)", "uuid": text(uuid), "decimal": "\(decimal)",
            "objectID": text(objectID), "any": anyText, "link": text(link),
            "links": links.map(text).joined(separator: " "),
            "numbers": numbers.map { "\($0)" }.joined(separator: " "),
            "set": set.map { $0 }.sorted().joined(separator: " "),
            "map": map.asKeyValueSequence().map { "\($0)=\($1)" }.sorted().joined(separator: " "),
            "house": text(house), "houses": houses.map(text).joined(separator: " "),
            "named": named.asKeyValueSequence().map { "\($0)=\(text($1))" }.sorted()
                .joined(separator: " "),
        ]
    }

    private var anyText: String {
        switch any {
        case .list(let list): "list " + list.map { "\($0)" }.joined(separator: " ")
        case .object(let object): "object \(object.key)"
        default: "\(any)"
        }
    }

    /// Changes a property, often to what it is already.
    func change(_ random: inout SeededRandom, _ realm: Realm) {
        let number = random.below(3)
        switch random.below(20) {
        case 0: int = number << (number * 16)
        case 1: optional = number == 0 ? nil : number
        case 2: small = Int8(number)
        case 3: bool = number == 0
        case 4: float = Float(number)
        case 5: double = Double(number)
        case 6: text = String(repeating: "text ", count: number)
        case 7: optionalText = number == 0 ? nil : "\(number)"
        case 8: data = Data(repeating: 1, count: number * 300)
        case 9: date = Date(timeIntervalSince1970: Double(number))
        case 10:
            uuid = number == 0 ? nil : UUID(uuid: (1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1))
        case 11: decimal = Decimal128(number)
        case 12: objectID = number == 0 ? nil : ObjectId.generate()
        case 13: changeAny(number, &random, realm)
        case 14: link = number == 0 ? nil : realm.objects(ChangingKeyed.self).first
        case 15:
            if let first = realm.objects(ChangingKeyed.self).first { links.append(first) }
            if links.count > 4 { links.removeAll() }
        case 16: changeNumbers(&random)
        case 17: set.insert("\(random.below(9))")
        case 18: map["\(random.below(4))"] = number == 0 ? nil : number
        default: set.remove("\(random.below(9))")
        }
    }

    private func changeAny(_ number: Int, _ random: inout SeededRandom, _ realm: Realm) {
        switch (any, number) {
        case (.list(let list), 0...1): list.append(.int(list.count))
        case (_, 0): any = .fromArray([.string("a"), .int(random.below(1 << 40))])
        case (_, 1): any = realm.objects(ChangingKeyed.self).first.map { .object($0) } ?? .none
        default: any = .string("text")
        }
    }

    /// A list that becomes a tree and stays one.
    private func changeNumbers(_ random: inout SeededRandom) {
        if numbers.count < 600 {
            numbers.append(objectsIn: numbers.count..<(numbers.count + 200))
        } else {
            numbers[random.below(numbers.count)] = random.below(3)
        }
    }
}
