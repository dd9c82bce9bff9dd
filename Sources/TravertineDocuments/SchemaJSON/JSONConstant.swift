/// A value of JSON that is kept and written again as it was read: numbers digit by digit.
public indirect enum JSONConstant: Sendable, Hashable {
    /// No value.
    case null
    /// A truth value.
    case bool(Bool)
    /// A number as it is written.
    case number(String)
    /// A text.
    case string(String)
    /// Values in order.
    case array([JSONConstant])
    /// Values under names, in order.
    case object([Member])

    /// A name with its value.
    public struct Member: Sendable, Hashable {
        /// The name.
        public var key: String
        /// The value.
        public var value: JSONConstant

        /// A name with its value.
        public init(key: String, value: JSONConstant) {
            self.key = key
            self.value = value
        }

        /// Whether it is a keyword of a schema with what holds without it.
        var saysNothing: Bool {
            switch (key, value) {
            case ("required", .array(let names)): names.isEmpty
            case ("uniqueItems", .bool(false)): true
            default: false
            }
        }
    }

    /// This value with the names of objects in the order of an older value; a new name comes after
    /// the one that is before it here, and an older one that says nothing stays in a schema whose
    /// type stays.
    ///
    /// Elements of arrays are compared by their positions. Costs time in proportion to both.
    func ordered(as older: JSONConstant) -> JSONConstant {
        switch (self, older) {
        case (.object(let members), .object(let olderMembers)):
            let own = Dictionary(members.map { (NameBytes($0.key), $0) }) { first, _ in first }
            let before = Set(olderMembers.map { NameBytes($0.key) })
            let type = Self.bsonType(members)
            let isOfOneType = type != nil && type == Self.bsonType(olderMembers)
            let kept = olderMembers.compactMap { member in
                own[NameBytes(member.key)].map {
                    Member(key: $0.key, value: $0.value.ordered(as: member.value))
                } ?? (isOfOneType && member.saysNothing ? member : nil)
            }
            return .object(Self.inserting(members, before, into: kept))
        case (.array(let elements), .array(let olderElements)):
            return .array(
                elements.enumerated().map { index, element in
                    index < olderElements.count
                        ? element.ordered(as: olderElements[index]) : element
                })
        default: return self
        }
    }

    /// The type that a schema names; nil for what is no schema.
    private static func bsonType(_ members: [Member]) -> String? {
        guard case .string(let type)? = members.first(where: { $0.key == "bsonType" })?.value
        else { return nil }
        return type
    }

    /// Members in the order of those that are kept, with new ones after what is before them.
    private static func inserting(
        _ members: [Member], _ before: Set<NameBytes>, into kept: [Member]
    ) -> [Member] {
        // The new ones, by the old one that they follow; those at the beginning follow none.
        var followers: [NameBytes?: [Member]] = [:]
        var last: NameBytes?
        for member in members {
            let name = NameBytes(member.key)
            if before.contains(name) {
                last = name
            } else {
                followers[last, default: []].append(member)
            }
        }
        return (followers[nil] ?? [])
            + kept.flatMap { [$0] + (followers[NameBytes($0.key)] ?? []) }
    }

    /// The number as an integer; nil for all else.
    public var integer: Int? {
        if case .number(let text) = self { return Int(text) }
        return nil
    }

    /// The number, rounded to floating point; nil for all else.
    public var double: Double? {
        if case .number(let text) = self { return Double(text) }
        return nil
    }
}
