/// Links of one property that wait for objects which are not there.
public struct LinksWithoutTarget: Sendable, Hashable, CustomStringConvertible {
    /// The stored name of the type that links.
    public let type: String
    /// The stored name of the property.
    public let property: String
    /// The stored name of the type that they lead to.
    public let target: String
    /// How many there are.
    public private(set) var count = 0
    /// The keys of some of the objects that they lead to.
    public private(set) var keys: [AnyBSON] = []

    init(_ type: String, _ property: String, _ target: String) {
        self.type = type
        self.property = property
        self.target = target
    }

    /// Counts a link of a property, and names the key that it leads to.
    static func note(
        _ place: (type: String, property: String, target: String), _ key: AnyBSON?,
        in found: inout [LinksWithoutTarget], _ keyCountMax: Int
    ) {
        let known = found.firstIndex {
            $0.type == place.type && $0.property == place.property && $0.target == place.target
        }
        let index = known ?? found.count
        if known == nil {
            found.append(LinksWithoutTarget(place.type, place.property, place.target))
        }
        found[index].count += 1
        if let key, found[index].keys.count < keyCountMax, !found[index].keys.contains(key) {
            found[index].keys.append(key)
        }
    }

    /// "Dog.owner: 3 links to objects of Person that are not there: 7, 9".
    public var description: String {
        let named = keys.map(\.shortText)
        return "\(type).\(property): \(count) link\(count == 1 ? "" : "s") to objects of "
            + "\(target) that are not there: " + named.joined(separator: ", ")
            + (keys.count < count ? ", …" : "")
    }
}

extension AnyBSON {
    /// The value alone as Extended JSON.
    var shortText: String {
        description
    }
}
