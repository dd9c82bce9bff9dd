import Foundation
import RealmSwift

final class Quarry: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var first: QuarryBlock?
    @Persisted var blocks: List<QuarryBlock>
    @Persisted var note: String
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

final class QuarryBlock: EmbeddedObject {
    @Persisted var weight: Int
    @Persisted var name = "rough"
    @Persisted var veins: List<QuarryVein>
    @Persisted(originProperty: "first") var quarries: LinkingObjects<Quarry>
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

final class QuarryVein: EmbeddedObject {
    @Persisted var depth = 1
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

final class QuarryCart: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var samples: List<QuarrySample>
    @Persisted var chosen: MutableSet<QuarrySample>
    @Persisted var others: List<QuarryCart>
    @Persisted var numbers: List<Int>
    @Persisted var codes: MutableSet<Int>
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

struct QuarryMoment: CustomPersistable {
    typealias PersistedType = Date
    var date: Date
    init(persistedValue: Date) { date = persistedValue }
    var persistableValue: Date { date }
}

final class QuarrySample: Object {
    @Persisted var count: Int
    @Persisted var taken: Date
    @Persisted var seen: QuarryMoment
    @Persisted var declared = Date(timeIntervalSince1970: 5)
    @Persisted var checked: Date?
    @Persisted(originProperty: "samples") var carts: LinkingObjects<QuarryCart>
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

final class QuarryDay: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var begun: Date
    @Persisted var text: String
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

final class QuarryShiftV0: Object {
    @Persisted var number: Int
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
    override class func _realmObjectName() -> String? { "QuarryShift" }
}

final class QuarryShift: Object {
    @Persisted var number: Int
    @Persisted var begun: Date
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// A number that is never zero.
struct QuarryGrade: FailableCustomPersistable, Hashable {
    typealias PersistedType = Int
    var number: Int
    init(_ number: Int) { self.number = number }
    init?(persistedValue: Int) {
        if persistedValue == 0 { return nil }
        number = persistedValue
    }
    var persistableValue: Int { number }
}

enum QuarryKind: Int, PersistableEnum {
    case hammer, pick, wedge
}

final class QuarryTool: Object {
    @Persisted var grade: QuarryGrade
    @Persisted var declared = QuarryGrade(9)
    @Persisted var spare: QuarryGrade?
    @Persisted var sort: QuarryKind
    @Persisted var kind: QuarryKind?
    @Persisted var spares: List<QuarryGrade?>
    @Persisted var kinds: List<QuarryKind?>
    @Persisted var named: Map<String, QuarryGrade?>
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

final class QuarrySpot: EmbeddedObject {
    @Persisted var depth = 1
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

struct QuarryPoint: CustomPersistable {
    typealias PersistedType = QuarrySpot
    var depth: Int
    init(persistedValue: QuarrySpot) { depth = persistedValue.depth }
    var persistableValue: QuarrySpot { QuarrySpot(value: [depth]) }
}

final class QuarryPlace: Object {
    @Persisted var spot: QuarryPoint
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}
