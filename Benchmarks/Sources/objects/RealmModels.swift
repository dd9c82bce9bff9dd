import Travertine

/// The models of Realm Swift's performance tests, as far as their workloads are here.
final class StringModel: Object {
    @Persisted var stringCol: String

    convenience init(_ value: String) {
        self.init()
        stringCol = value
    }
}

final class IndexedStringModel: Object {
    @Persisted(indexed: true) var stringCol: String
}

final class IntModel: Object {
    @Persisted var intCol: Int

    convenience init(_ value: Int) {
        self.init()
        intCol = value
    }
}

final class CollectionModel: Object {
    @Persisted var list: List<StringModel>
    @Persisted var set: MutableSet<StringModel>
    @Persisted var mixed: List<AnyRealmValue>
}

/// A property of each kind that arrays are made of.
final class MappedModel: Object {
    @Persisted var string: String
    @Persisted var optionalInt: Int?
    @Persisted var optionalString: String?
    @Persisted var list: List<Int>
    @Persisted var set: MutableSet<Int>
}

/// The same as it was written before `@Persisted`; plain values needed Objective-C.
final class LegacyMappedModel: Object {
    let optionalInt = RealmProperty<Int?>()
    let optionalString = RealmProperty<String?>()
    let list = List<Int>()
    let set = MutableSet<Int>()
}

final class StringView: Projection<StringModel> {
    @Projected(\StringModel.stringCol) var text
}
