import Travertine

// Its `id` distinguishes objects without a primary key. Nothing else in the program makes the class
// conform.
// swift-format-ignore: AvoidRetroactiveConformances
extension DynamicObject: @retroactive ObjectKeyIdentifiable {}

/// Objects that the page was given an address of, where they have no primary key to be found by.
///
/// The oldest are let go of when there are too many; the page then asks for the rows again.
final class ReferenceTable {
    private let capacity: Int
    /// Those that were given since `older` was let go of, and those before.
    private var newer: [UInt64: DynamicObject] = [:]
    private var older: [UInt64: DynamicObject] = [:]
    /// Those that commits which can be undone refer to.
    private var pinned: [UInt64: DynamicObject] = [:]

    init(capacity: Int = 20_000) { self.capacity = capacity }

    /// The address of an object: its primary key after `=`, or a number after `@`.
    func address(of object: DynamicObject) -> String {
        let schema = object.objectSchema
        if let key = schema.primaryKeyProperty, let text = Self.text(object[key.name]) {
            return "=" + text
        }
        let number: UInt64 = object.id
        newer[number] = object
        if newer.count >= capacity {
            older = newer
            newer = [:]
        }
        return "@\(number)"
    }

    /// The object with a number.
    func object(_ number: UInt64) -> DynamicObject? {
        (pinned[number] ?? newer[number] ?? older[number]).flatMap { $0.isInvalidated ? nil : $0 }
    }

    /// Keeps the objects with some numbers for as long as they are named here.
    func pin(_ numbers: Set<UInt64>) {
        var kept: [UInt64: DynamicObject] = [:]
        for number in numbers { kept[number] = pinned[number] ?? newer[number] ?? older[number] }
        pinned = kept
    }

    /// Has an address lead to the object that was made in the place of another.
    func replace(_ address: String, with object: DynamicObject) {
        guard address.hasPrefix("@"), let number = UInt64(address.dropFirst()) else { return }
        pinned[number] = object
        newer[number] = object
    }

    /// A primary key as text; nil for null.
    private static func text(_ key: Any?) -> String? {
        switch StoredValue(key) {
        case .int(let number): String(number)
        case .string(let text), .identifier(let text): text
        default: nil
        }
    }
}
