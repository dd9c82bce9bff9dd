import Foundation
import RealmSwift

@testable import Travertine

/// An example of a rule of `Documentation/Queries.md`: objects, a condition, and which of the
/// objects fulfil it.
struct MeaningRow: CustomStringConvertible {
    var rule: String
    var what: String
    var type = "WorldSpot"
    /// What is there before the objects.
    var others: [(String, [String: WorldValue])] = []
    var objects: [[String: WorldValue]]
    var predicate: (World) -> Predicate
    /// The positions of the objects.
    var expected: [Int]

    var description: String { "\(rule): \(what)" }

    /// Objects that have these values of a property, which is compared with a constant.
    init(
        _ rule: String, _ what: String, _ property: String, _ values: [WorldValue],
        _ operation: Comparison.Operation, _ constant: AnyRealmValue, _ expected: [Int],
        options: StringOptions = []
    ) {
        self.init(
            rule, what, property, values,
            .comparison(
                Comparison(
                    Self.path(property), operation, .constant(constant), options: options)),
            expected)
    }

    /// Objects that have these values of a property, which is compared with constants.
    init(
        _ rule: String, _ what: String, _ property: String, _ values: [WorldValue],
        _ operation: Comparison.Operation, _ constants: [AnyRealmValue], _ expected: [Int],
        options: StringOptions = []
    ) {
        self.init(
            rule, what, property, values,
            .comparison(
                Comparison(Self.path(property), operation, .list(constants), options: options)),
            expected)
    }

    /// Objects that have these values of a property, and a condition.
    init(
        _ rule: String, _ what: String, _ property: String, _ values: [WorldValue],
        _ predicate: @autoclosure @escaping () -> Predicate, _ expected: [Int]
    ) {
        let isOfSpot = WorldModels.types.first { $0.name == "WorldSpot" }?.property(property) != nil
        self.init(
            rule, what, type: isOfSpot ? "WorldSpot" : "WorldOwner",
            values.map { [property: $0] }, { _ in predicate() }, expected)
    }

    /// Objects and a condition.
    init(
        _ rule: String, _ what: String, type: String = "WorldSpot",
        others: [(String, [String: WorldValue])] = [], _ objects: [[String: WorldValue]],
        _ predicate: @escaping (World) -> Predicate, _ expected: [Int]
    ) {
        self.rule = rule
        self.what = what
        self.type = type
        self.others = others
        self.objects = objects
        self.predicate = predicate
        self.expected = expected
    }

    /// A world with the objects of the row, and their keys.
    func makeWorld() throws -> (World, [WorldKey]) {
        let world = try World()
        var keys: [WorldKey] = []
        try world.write {
            for (type, values) in others { try world.add(type, values) }
            keys = try objects.map { try world.add(type, $0) }
        }
        return (world, keys)
    }

    /// The path of properties with points between them.
    static func path(_ names: String) -> Operand {
        .path(PropertyPath(names: names.split(separator: ".")))
    }
}
