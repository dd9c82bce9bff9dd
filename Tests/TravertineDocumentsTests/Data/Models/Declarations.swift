// What generated classes refer to, with the members that they must not hide.

class ObjectBase {
    init() {}
    class func objectTypeName() -> String { "" }
    class func propertiesMapping() -> [String: String] { [:] }
    class func className() -> String { "" }
    var description: String { "" }
    var isInvalidated: Bool { false }
    var realm: Int? { nil }
    var objectSchema: Int { 0 }
    var hash: Int { 0 }
}

class Object: ObjectBase {}
class EmbeddedObject: ObjectBase {}
final class List<Element> {}
final class MutableSet<Element: Hashable> {}
final class Map<Key, Value> {}
struct AnyRealmValue: Hashable {}
struct ObjectId: Hashable {}
struct Decimal128: Hashable {}

extension ObjectBase: Hashable {
    static func == (left: ObjectBase, right: ObjectBase) -> Bool { left === right }
    func hash(into hasher: inout Hasher) {}
}

@propertyWrapper
struct Persisted<Value> {
    init() {}
    init(primaryKey: Bool) {}
    var wrappedValue: Value {
        get { fatalError() }
        set {}
    }
}
