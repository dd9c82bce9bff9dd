import Foundation
import RealmSwift
import TestSupport
import Testing

@Suite("Names of RealmSwift")
struct RealmSwiftNamesTests {
    private func open(_ directory: TemporaryDirectory) throws -> (Realm, Kennel) {
        let realm = try directory.open(Kennel.types)
        let kennel = Kennel(value: [
            "id": 1, "dogs": [["name": "Rex", "age": 3], ["name": "Ida", "age": 5]],
            "baskets": [["width": 0], ["width": 1], ["width": 2], ["width": 3]],
            "scores": ["a": 1.5, "b": 2],
        ])
        try realm.write { realm.add(kennel) }
        return (realm, kennel)
    }

    @Test("codes of errors are patterns")
    func codes() throws {
        let directory = TemporaryDirectory()
        do {
            _ = try Realm(
                configuration: Realm.Configuration(
                    fileURL: directory.url, objectTypes: [TwoKeys.self]))
            Issue.record("a class with two keys was opened")
        } catch Realm.Error.fileNotFound {
            Issue.record("another code matched")
        } catch Realm.Error.schemaMismatch {
            #expect(Realm.Error.callFailed == .fail && Realm.Error.Code(rawValue: 15) != nil)
        }
        #expect(!(Realm.Error.schemaMismatch ~= Stop()))
        for number in [15, 17, 18, 21, 22] {
            #expect(Realm.Error.Code(rawValue: number) != nil, "\(number)")
        }
        _ = try open(directory)
    }

    @Test("the schema version of a directory is read without opening its realm")
    func schemaVersion() throws {
        let directory = TemporaryDirectory()
        #expect(throws: Realm.Error.self) { try schemaVersionAtURL(directory.url) }
        do {
            let realm = try directory.open(Kennel.types, version: 7)
            #expect(try schemaVersionAtURL(directory.url) == 7)
            withExtendedLifetime(realm) {}
        }
        #expect(try schemaVersionAtURL(directory.url) == 7)
    }

    @Test("views distinguish objects by their identity")
    func identity() throws {
        let directory = TemporaryDirectory()
        let (realm, kennel) = try open(directory)
        #expect(kennel.dogs[0].id == kennel.dogs[0].id && kennel.dogs[0].id != kennel.dogs[1].id)
        let hound = Hound()
        #expect(hound.id == hound.id && hound.id != Hound().id)
        try realm.write(withoutNotifying: []) { realm.add(hound) }
        #expect(Set(realm.objects(Hound.self).map(\.id)).count == 3)
        let object: RealmSwiftObject = kennel
        let basket: RealmSwiftEmbeddedObject = kennel.baskets[0]
        #expect(object.realm == realm && basket.realm == realm)
    }

    @Test("cases of an enum are in the order of their raw values")
    func enums() {
        #expect(HoundKind.hound < .pointer && HoundKind.allCases.sorted() == [.hound, .pointer])
        #expect([HoundKind.pointer, .hound].min() == .hound)
    }

    @Test("a transaction is committed without notifying, and maps delete their objects")
    func writing() throws {
        let directory = TemporaryDirectory()
        let (realm, kennel) = try open(directory)
        realm.beginWrite()
        kennel.byName["x"] = kennel.dogs[0]
        kennel.byName["none"] = .some(nil)
        try realm.commitWrite(withoutNotifying: [])
        try realm.write { realm.delete(kennel.byName) }
        #expect(realm.objects(Hound.self).map(\.name) == ["Ida"] && kennel.dogs.count == 1)
        #expect(kennel.byName.count == 2 && kennel.byName["x"] == .some(nil))
    }

    @Test("several elements of a list are removed and moved by their positions")
    func offsets() throws {
        let directory = TemporaryDirectory()
        let (realm, kennel) = try open(directory)
        let unmanaged = Kennel(value: ["baskets": (0..<4).map { ["width": $0] }])
        func widths(_ kennel: Kennel) -> [Int] { kennel.baskets.map(\.width) }
        for kennel in [kennel, unmanaged] {
            let handle = kennel.baskets[3]
            try realm.write {
                kennel.baskets.move(fromOffsets: IndexSet([1, 3]), toOffset: 1)
                #expect(widths(kennel) == [0, 1, 3, 2])
                kennel.baskets.move(fromOffsets: IndexSet([0, 2]), toOffset: 4)
                #expect(widths(kennel) == [1, 2, 0, 3])
                kennel.baskets.move(fromOffsets: IndexSet(), toOffset: 0)
            }
            #expect(!handle.isInvalidated && handle.width == 3)
            try realm.write { kennel.baskets.remove(atOffsets: IndexSet([0, 1, 3])) }
            #expect(widths(kennel) == [0])
        }
        #expect(realm.isEmpty == false && kennel.baskets[0].realm == realm)
    }

    @Test("random moves of several elements are those of an array", arguments: [3, 4] as [UInt64])
    func randomMoves(_ seed: UInt64) throws {
        let directory = TemporaryDirectory()
        let (realm, kennel) = try open(directory)
        var random = SeededRandom(seed: seed)
        var wanted = Array(0..<500)
        try realm.write { kennel.numbers.append(objectsIn: wanted) }
        for round in 0..<40 {
            let offsets = Set((0..<random.below(12)).map { _ in random.below(wanted.count) })
            let target = random.below(wanted.count + 1)
            let moved = offsets.sorted().map { wanted[$0] }
            let before = wanted[..<target].enumerated().filter { !offsets.contains($0.offset) }
            let after = wanted.enumerated().filter {
                $0.offset >= target && !offsets.contains($0.offset)
            }
            try realm.write {
                kennel.numbers.move(fromOffsets: offsets, toOffset: target)
            }
            wanted = before.map(\.element) + moved + after.map(\.element)
            #expect(Array(kennel.numbers) == wanted, "seed \(seed), round \(round)")
        }
    }

    @Test("a path of names sets through links, collections and maps, and refuses what setting does")
    func settingByPath() throws {
        let directory = TemporaryDirectory()
        let (realm, kennel) = try open(directory)
        try realm.write {
            kennel.best = kennel.dogs[0]
            kennel.byName["i"] = kennel.dogs[1]
            kennel.setValue(9, forKeyPath: "best.age")
            kennel.setValue("Ada", forKeyPath: "byName.i.name")
            kennel.setValue(7, forKeyPath: "scores.x")
            kennel.setValue(["t"], forKeyPath: "tags")
        }
        #expect(kennel.dogs.map(\.age) == [9, 5] && kennel.dogs.map(\.name) == ["Rex", "Ada"])
        #expect(kennel.scores["x"] == 7 && Array(kennel.tags) == ["t"])
        try realm.write { kennel.setValue(1, forKeyPath: "dogs.age") }
        #expect(kennel.dogs.map(\.age) == [1, 1])
        let failing: [(Any?, String, String)] = [
            ("x", "best.age", "Hound.age has type Int"), (1, "scores.x.y", "has no \"x.y\""),
        ]
        for (value, path, message) in failing {
            let error = #expect(throws: Realm.Error.self) {
                try realm.write { kennel.setValue(value, forKeyPath: path) }
            }
            #expect(error?.message.contains(message) == true, "\(path): \(error?.message ?? "")")
        }
        let error = #expect(throws: Realm.Error.self) {
            try realm.write {
                kennel.best = nil
                kennel.setValue(1, forKeyPath: "best.age")
            }
        }
        #expect(error?.message.contains("Kennel.best is nil or a value") == true)
        #expect(kennel.best != nil && AsyncTransactionId.self == Realm.AsyncTransactionId.self)
    }

    @Test("names lead through collections, linking objects and maps")
    func names() throws {
        let directory = TemporaryDirectory()
        let (realm, kennel) = try open(directory)
        #expect(kennel.value(forKeyPath: "dogs.name") as? [String] == ["Rex", "Ida"])
        #expect(kennel.dogs.value(forKey: "age") as? [Int] == [3, 5])
        let ids = kennel.dogs.value(forKeyPath: "kennels.id") as? [[Int]]
        #expect(ids == [[1], [1]])
        #expect(kennel.value(forKeyPath: "scores.b") as? Double == 2)
        #expect(kennel.value(forKeyPath: "best.name") == nil)
        #expect(kennel.scores.value(forKey: "none") == nil)
        #expect(kennel.dogs[0].kennels.value(forKey: "id") as? [Int] == [1])
        #expect(realm.objects(HoundView.self).value(forKey: "name") as? [String] == ["Rex", "Ida"])
        try realm.write {
            kennel.dogs.where { $0.age > 3 }.setValue("Old", forKey: "name")
            kennel.dogs[0].kennels.setValue(["z"], forKey: "tags")
            kennel.scores.setValue(4, forKey: "c")
            kennel.scores.setValue(nil, forKey: "a")
            kennel.byName["o"] = kennel.dogs[1]
            kennel.numbers.append(objectsIn: [2, 1])
        }
        #expect(kennel.dogs.map(\.name) == ["Rex", "Old"] && Array(kennel.tags) == ["z"])
        #expect(kennel.scores.keys == ["b", "c"] && kennel.scores["c"] == 4)
        #expect(kennel.byName.value(forKeyPath: "o.name") as? String == "Old")
        #expect(kennel.numbers.value(forKey: "self") as? [Int] == [2, 1])
    }

    @Test("a dynamic object has the linking objects that its class declares")
    func dynamicLinkingObjects() throws {
        let directory = TemporaryDirectory()
        let (realm, _) = try open(directory)
        let hound = try #require(realm.dynamicObjects("Hound").first)
        let kennels = try #require(hound["kennels"] as? LinkingObjects<DynamicObject>)
        #expect(kennels.count == 1 && kennels[0]["id"] as? Int == 1)
        #expect(kennels.sorted(byKeyPath: "id").count == 1 && Array(kennels).count == 1)
    }

    @Test("entries of a map are found by positions, and filtered as entries")
    func mapPositions() throws {
        let directory = TemporaryDirectory()
        let (_, kennel) = try open(directory)
        let scores = kennel.scores
        #expect(scores[scores.startIndex].key == "a")
        #expect(scores[scores.index(after: scores.startIndex)].value == 2)
        #expect(scores.index(after: scores.startIndex) < scores.endIndex)
        let large: [SingleMapEntry<String, Double>] = scores.filter { $0.value > 1.7 }
        #expect(large.map(\.key) == ["b"])
        var pairs: RLMKeyValueIterator<String, Double> = scores.asKeyValueSequence().makeIterator()
        #expect(pairs.next()?.key == "a")
        var entries: RLMMapIterator<SingleMapEntry<String, Double>> = scores.makeIterator()
        #expect(entries.next()?.value == 1.5)
    }
}

@Suite("More spellings of RealmSwift")
struct RealmSwiftSmallNamesTests {
    private func sumOfAges<Objects: RealmCollection>(_ objects: Objects) -> Int
    where Objects.Element: Hound {
        objects.sum(of: \.age)
    }

    @Test("code for any collection of objects takes aggregates of their properties")
    func anyCollection() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open(Kennel.types)
        let kennel = Kennel(value: [
            "id": 1, "dogs": [["name": "Rex", "age": 3], ["name": "Ida", "age": 5]],
        ])
        #expect(sumOfAges(kennel.dogs) == 8)
        try realm.write { realm.add(kennel) }
        #expect(sumOfAges(kennel.dogs) == 8)
        #expect(sumOfAges(realm.objects(Hound.self)) == 8)
        #expect(sumOfAges(AnyRealmCollection(kennel.dogs)) == 8)
        withExtendedLifetime(directory) {}
    }

    @Test("a mean is of the type that is asked for")
    func average() {
        let numbers = List<Int>()
        numbers.append(objectsIn: [1, 2, 4])
        let real: Double? = numbers.average()
        let whole: Int? = numbers.average()
        #expect(real == 7.0 / 3 && whole == 2 && numbers.average() == real)
    }

    @Test("names of properties, descriptors, objects and schemas")
    func names() {
        #expect(_name(for: \Hound.age) == "age")
        #expect(
            SortDescriptor(keyPath: "age", ascending: false).description
                == "SortDescriptor {\n\tkeyPath: age;\n\tdirection: descending;\n}")
        let hound = Hound()
        #expect(hound.isEqual(hound) && !hound.isEqual(Hound()) && !hound.isEqual(nil))
        #expect(hound.hash == hound.hashValue)
        #expect(Hound.sharedSchema()?.className == "Hound")
    }
}
