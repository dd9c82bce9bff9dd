import RealmSwift
import TestSupport
import Testing

@testable import Travertine

/// A condition on a computed property once compared the property that it reads:
/// `where { $0.isOld }` compared `age` with 1, and what was deleted by it were the wrong objects.
@Suite("Key paths of computed properties")
struct ComputedPropertyTests {
    @Test("stop the program with what they read", arguments: ComputedUse.all.map(\.name))
    func computed(_ name: String) async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { [name = name as String] in
            let directory = TemporaryDirectory()
            let realm = try directory.open(Shepherd.types)
            try ComputedUse.all.first { $0.name == name }?.body(realm)
            withExtendedLifetime(directory) {}
        }
        let text = result.errorText
        let read = ComputedUse.all.first { $0.name == name }?.read ?? "?"
        #expect(text.contains("is not a persisted property of"), "\(name): \(text)")
        #expect(text.contains(read), "\(name): \(text)")
        if name == "a condition" { #expect(text.contains("Sheep.isOld"), "\(text)") }
    }

    @Test("of persisted properties lead to them, however they are written")
    func persisted() {
        #expect(names(of: \Sheep.age) == "age")
        #expect(names(of: \Lamb.age) == "age")
        #expect(names(of: \Lamb.weight) == "weight")
        #expect(names(of: \Lamb.mark) == "mark")
        #expect(names(of: \Ram.horns) == "horns")
        #expect(names(of: \Sheep.keeper) == "keeper")
        #expect(names(of: \Sheep.keeper?.name) == "keeper.name")
        #expect(names(of: \Lamb.keeper!.best?.keeper?.name) == "keeper.best.keeper.name")
        #expect(names(of: \Shepherd.flock) == "flock")
        #expect(names(of: \Shepherd.flock[0].age) == "flock.age")
        #expect(names(of: \Shepherd.flock.first?.keeper?.name) == "flock.keeper.name")
        #expect(names(of: \Shepherd.named) == "named")
        #expect(names(of: \Sheep.keepers) == "keepers")
        #expect(names(of: \Pen<String>.size) == "size")
        #expect(names(of: \Fold.sheep) == "sheep")
        #expect(names(of: \Fold.sheep[0].age) == "sheep.age")
        #expect(names(of: \Fold.number) == "number")
        #expect(names(of: \Fold.number.value) == "number")
    }

    @Test("of a protocol's requirement lead to the property that fulfils it")
    func requirement() {
        func name<Animal: Object & Marked>(_ type: Animal.Type) -> String {
            KeyPathTracer.requiredName(of: \Animal.mark)
        }
        #expect(name(Sheep.self) == "mark" && name(Lamb.self) == "mark")
    }

    @Test("differ in their components, which this standard library lays out as described")
    func components() {
        #expect(KeyPathComponent.components(of: \Sheep.age)?.count == 1)
        #expect(
            KeyPathComponent.components(of: \Lamb.age)
                == KeyPathComponent.components(of: \Sheep.age))
        #expect(
            KeyPathComponent.components(of: \Sheep.years)
                != KeyPathComponent.components(of: \Sheep.age))
        #expect(KeyPathComponent.components(of: \Shepherd.flock[0].age)?.count == 3)
        #expect(KeyPathComponent.components(of: \Lamb.keeper!.best?.keeper?.name)?.count == 8)
    }

    private func names<Root: ObjectBase>(of keyPath: PartialKeyPath<Root>) -> String {
        KeyPathTracer.requiredName(of: keyPath)
    }
}

/// A use of a key path that leads to no persisted property, and what is said of it.
private struct ComputedUse: Sendable {
    var name: String
    var read: String
    var body: @Sendable (Realm) throws -> Void

    init(_ name: String, reads read: String, _ body: @escaping @Sendable (Realm) throws -> Void) {
        self.name = name
        self.read = read
        self.body = body
    }

    static let all = [
        ComputedUse("a condition", reads: "'age'") { realm in
            _ = realm.objects(Sheep.self).where { $0.isOld }
        },
        ComputedUse("a condition on an alias", reads: "'age'") { realm in
            _ = realm.objects(Sheep.self).where { $0.years == 3 }
        },
        ComputedUse("a condition on what can be set", reads: "'age'") { realm in
            _ = realm.objects(Sheep.self).where { $0.months > 3 }
        },
        ComputedUse("a condition on a subclass", reads: "'age'") { realm in
            _ = realm.objects(Lamb.self).where { $0.isOld }
        },
        ComputedUse("a condition through a link", reads: "'name'") { realm in
            _ = realm.objects(Sheep.self).where { $0.keeper.shortName == "A" }
        },
        ComputedUse("a condition through a list", reads: "'age'") { realm in
            _ = realm.objects(Shepherd.self).where { $0.flock.isOld }
        },
        ComputedUse("a condition through linking objects", reads: "'name'") { realm in
            _ = realm.objects(Sheep.self).where { $0.keepers.shortName == "A" }
        },
        ComputedUse("a link made of a list", reads: "'flock'") { realm in
            _ = realm.objects(Shepherd.self).where { $0.firstSheep.age > 1 }
        },
        ComputedUse("a condition of a projection", reads: "'age'") { realm in
            _ = realm.objects(SheepView.self).where { $0.isOld }
        },
        ComputedUse("a condition on the description", reads: " and others. Conditions") { realm in
            _ = realm.objects(Sheep.self).where { $0.description == "" }
        },
        ComputedUse("a property that reads two", reads: "'age', 'weight'") { realm in
            _ = realm.objects(Sheep.self).where { $0.score > 1 }
        },
        ComputedUse("a property that reads nothing", reads: "Sheep") { realm in
            _ = realm.objects(Sheep.self).where { $0.constant == 1 }
        },
        ComputedUse("a sum", reads: "'age'") { realm in
            _ = realm.objects(Sheep.self).sum(of: \.twice)
        },
        ComputedUse("a least value", reads: "'age'") { realm in
            _ = realm.objects(Lamb.self).min(of: \.twice)
        },
        ComputedUse("a mean", reads: "'age'") { realm in
            _ = realm.objects(Sheep.self).average(of: \.twice)
        },
        ComputedUse("an order", reads: "'age'") { realm in
            _ = realm.objects(Sheep.self).sorted(by: \.twice)
        },
        ComputedUse("an order through a link", reads: "'keeper', 'name'") { realm in
            _ = realm.objects(Sheep.self).sorted(by: \.keeper?.shortName)
        },
        ComputedUse("a descriptor", reads: "'flock', 'age'") { _ in
            _ = SortDescriptor(keyPath: \Shepherd.flock.first?.twice)
        },
        ComputedUse("distinct values", reads: "'age'") { realm in
            _ = realm.objects(Sheep.self).distinct(by: [\Sheep.years])
        },
        ComputedUse("the number of characters", reads: "'name'") { realm in
            _ = realm.objects(Shepherd.self).sorted(by: \.name.count)
        },
        ComputedUse("the number of elements", reads: "'flock'") { _ in
            _ = SortDescriptor(keyPath: \Shepherd.flock.count)
        },
        ComputedUse("a property of a struct", reads: "'spot'") { realm in
            _ = SortDescriptor(keyPath: \Sheep.spot.x)
        },
        ComputedUse("a field without wrapper", reads: "'number'") { _ in
            _ = SortDescriptor(keyPath: \Fold.next)
        },
    ]
}

protocol Marked {
    var mark: String { get }
}

class Sheep: Object, Marked {
    @Persisted var age: Int
    @Persisted var weight: Double?
    @Persisted private(set) var mark: String
    @Persisted var keeper: Shepherd?
    @Persisted var spot: Spot
    @Persisted(originProperty: "flock") var keepers: LinkingObjects<Shepherd>

    var isOld: Bool { age > 10 }
    var years: Int { age }
    var twice: Int { age * 2 }
    var months: Int {
        get { age }
        set { age = newValue }
    }
    var score: Double { Double(age) + (weight ?? 0) }
    var constant: Int { 1 }
}

class Lamb: Sheep {
    override var weight: Double? {
        didSet {}
    }
}

final class Ram: Object {
    @Persisted var horns: Int
}

class Shepherd: Object {
    @Persisted var name: String
    @Persisted var best: Sheep?
    @Persisted var flock: List<Sheep>
    @Persisted var named: Map<String, Sheep?>

    var shortName: String { String(name.prefix(1)) }
    var firstSheep: Sheep? { flock.first }

    static let types: [ObjectBase.Type] = [Sheep.self, Lamb.self, Shepherd.self]
}

class Pen<Name>: Object {
    @Persisted var size: Int
}

class Fold: Object {
    let sheep = List<Sheep>()
    let number = RealmProperty<Int?>()

    var next: Int? { number.value.map { $0 + 1 } }
}

class SheepView: Projection<Sheep> {
    @Projected(\Sheep.age) var age
}

struct Spot: CustomPersistable {
    typealias PersistedType = Int
    var x = 0
    init() {}
    init(persistedValue: Int) { x = persistedValue }
    var persistableValue: Int { x }
}
