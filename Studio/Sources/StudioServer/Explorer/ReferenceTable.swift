import Travertine

// Its `id` distinguishes objects without a primary key. Nothing else in the program makes the class
// conform.
// swift-format-ignore: AvoidRetroactiveConformances
extension DynamicObject: @retroactive ObjectKeyIdentifiable {}

/// Objects that the page was given an address of, where they have no primary key to be found by.
///
/// The oldest are let go of when there are too many; the page then asks for the rows again.
final class ReferenceTable {
    /// What is known, which a change that fails sets back.
    struct Entries {
        /// Those that were given since `older` was let go of, and those before.
        fileprivate var newer: [UInt64: DynamicObject] = [:]
        fileprivate var older: [UInt64: DynamicObject] = [:]
        /// Those that commits which can be undone refer to, and while a change is made all others.
        fileprivate var pinned: [UInt64: DynamicObject] = [:]
        /// The number under which an object is known that was made in the place of another.
        fileprivate var numbers: [UInt64: UInt64] = [:]
    }

    private let capacity: Int
    var entries = Entries()
    /// Whether no address is let go of that is given.
    var isHolding = false

    init(capacity: Int = 20_000) { self.capacity = capacity }

    /// The address of an object: its primary key after `=`, or a number after `@`.
    func address(of object: DynamicObject) -> String {
        let schema = object.objectSchema
        if let key = schema.primaryKeyProperty, let text = Self.text(object[key.name]) {
            return "=" + text
        }
        let id: UInt64 = object.id
        let number = entries.numbers[id] ?? id
        entries.newer[number] = object
        if isHolding { entries.pinned[number] = object }
        if entries.newer.count >= capacity {
            entries.older = entries.newer
            entries.newer = [:]
        }
        return "@\(number)"
    }

    /// The object with a number.
    func object(_ number: UInt64) -> DynamicObject? {
        [entries.pinned[number], entries.newer[number], entries.older[number]].lazy
            .compactMap(\.self).first { !$0.isInvalidated }
    }

    /// Keeps the objects with some numbers for as long as they are named here.
    func pin(_ numbers: Set<UInt64>) {
        var kept: [UInt64: DynamicObject] = [:]
        for number in numbers {
            kept[number] = object(number) ?? entries.pinned[number]
        }
        entries.pinned = kept
    }

    /// Makes an address lead to the object that replaces another.
    func replace(_ address: String, with object: DynamicObject) {
        guard address.hasPrefix("@"), let number = UInt64(address.dropFirst()) else { return }
        entries.numbers[object.id] = number
        entries.pinned[number] = object
        entries.newer[number] = object
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
