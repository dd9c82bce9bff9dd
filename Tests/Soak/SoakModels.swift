import RealmSwift

/// Between two of which transfers go: the sum of all balances never changes.
final class SoakAccount: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var balance: Int
    @Persisted(indexed: true) var group: Int
    @Persisted var note: String
    @Persisted var tags: List<Int>
    @Persisted var totals: Map<String, Int>
    @Persisted var partner: SoakAccount?
    @Persisted(originProperty: "partner") var partners: LinkingObjects<SoakAccount>

    static let count = 400
    static let groupCount = 8
    static let balance = 1000
    static let sum = count * balance
}

/// One that is added when the oldest is deleted: their number stays the same.
final class SoakEvent: Object {
    @Persisted(indexed: true) var number: Int
    @Persisted var text: String

    static let count = 1000
}

/// The number of the round that all writers have ended.
final class SoakRound: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var number: Int
}

enum SoakModels {
    static let types: [ObjectBase.Type] = [SoakAccount.self, SoakEvent.self, SoakRound.self]
}
