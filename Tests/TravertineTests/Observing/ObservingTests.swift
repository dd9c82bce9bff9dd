import Foundation
import RealmSwift
import TestSupport
import Testing

/// Documentation/Live.md, section 2: what each kind of observation is notified of.
@Suite("Observing")
struct ObservingTests {
    let directory = try! TemporaryDirectory()
    let reports = Reports()

    private func open() throws -> Realm {
        try directory.open([
            ObservedOwner.self, ObservedPet.self, ObservedAddress.self,
        ])
    }

    private func owner(_ realm: Realm, _ id: Int = 1, pets: Int = 0) throws -> ObservedOwner {
        try realm.write {
            let owner = realm.create(
                ObservedOwner.self, value: ["id": id, "name": "owner \(id)"], update: .modified)
            for index in 0..<pets {
                owner.pets.append(ObservedPet(value: ["name": "pet \(index)"]))
            }
            return owner
        }
    }

    @Test("results are notified of what came, went and changed, by old and new positions")
    func results() throws {
        let realm = try open()
        for id in 0..<5 { _ = try owner(realm, id) }
        let owners = realm.objects(ObservedOwner.self).where { $0.name != "hidden" }
        let token = owners.observe { reports.note($0) }
        #expect(reports.take() == [], "the first state is notified by the next delivery")
        realm.refresh()
        #expect(reports.take() == ["initial"])
        try realm.write {
            owners[0].name = "changed"
            realm.delete(owners[1])
            _ = realm.create(ObservedOwner.self, value: ["id": 9])
        }
        #expect(reports.take() == [], "collections are reported after the commit")
        realm.refresh()
        #expect(reports.take() == ["-[1] +[4] ~[0]"])
        try realm.write { owners[0].name = "hidden" }
        realm.refresh()
        #expect(reports.take() == ["-[0] +[] ~[]"])
        realm.refresh()
        #expect(reports.take() == [])
        token.invalidate()
        try realm.write { realm.delete(owners[0]) }
        realm.refresh()
        #expect(reports.take() == [])
    }

    @Test("a moved element of sorted results is a deletion and an insertion")
    func moves() throws {
        let realm = try open()
        for id in 0..<4 { _ = try owner(realm, id) }
        let owners = realm.objects(ObservedOwner.self).sorted(byKeyPath: "name")
        let token = owners.observe { reports.note($0) }
        realm.refresh()
        _ = reports.take()
        try realm.write { owners[0].name = "zzz" }
        realm.refresh()
        #expect(reports.take() == ["-[0] +[3] ~[]"])
        try realm.write { owners[3].name = "zz" }
        realm.refresh()
        #expect(reports.take() == ["-[] +[] ~[3]"], "one that keeps its place is modified")
        token.invalidate()
    }

    @Test("a value set to itself, or changed and changed back, is no change (D-L1)")
    func same() throws {
        let realm = try open()
        let owner = try owner(realm)
        let token = realm.objects(ObservedOwner.self).observe { reports.note($0) }
        let objectToken = owner.observe { reports.note($0) }
        realm.refresh()
        _ = reports.take()
        try realm.write { owner.name = "owner 1" }
        try realm.write {
            owner.name = "other"
            owner.name = "owner 1"
        }
        realm.refresh()
        #expect(reports.take() == [])
        token.invalidate()
        objectToken.invalidate()
    }

    @Test("properties that are not stored never notify")
    func ignored() throws {
        let realm = try open()
        let owner = try owner(realm)
        let token = owner.observe { reports.note($0) }
        try realm.write { owner.ignored = 5 }
        realm.refresh()
        #expect(reports.take() == [])
        token.invalidate()
    }

    @Test("without key paths changes up to four links deep make an element modified")
    func depth() throws {
        let realm = try open()
        var chain: [ObservedOwner] = []
        for id in 0..<7 { chain.append(try owner(realm, id)) }
        try realm.write { for index in 0..<6 { chain[index].next = chain[index + 1] } }
        let first = realm.objects(ObservedOwner.self).where { $0.id == 0 }
        let token = first.observe { reports.note($0) }
        realm.refresh()
        _ = reports.take()
        for (index, isTold) in [true, true, true, true, true, false, false].enumerated() {
            try realm.write { chain[index].name = "new \(index)" }
            realm.refresh()
            #expect(reports.take() == (isTold ? ["-[] +[] ~[0]"] : []), "\(index) links away")
        }
        token.invalidate()
    }

    @Test("with key paths exactly these count, through links, backlinks and embedded objects")
    func keyPaths() throws {
        let realm = try open()
        let owner = try owner(realm, pets: 1)
        let pet = owner.pets[0]
        try realm.write { owner.address = ObservedAddress(value: ["city": "Rome"]) }
        let owners = realm.objects(ObservedOwner.self)
        let pets = realm.objects(ObservedPet.self)
        let tokens = [
            owners.observe(keyPaths: ["name"]) { reports.note($0, "name") },
            owners.observe(keyPaths: [\ObservedOwner.pets[0].age]) { reports.note($0, "age") },
            owners.observe(keyPaths: ["address.city"]) { reports.note($0, "city") },
            owners.observe(keyPaths: ["pets"]) { reports.note($0, "pets") },
            owners.observe(keyPaths: []) { reports.note($0, "none") },
            pets.observe(keyPaths: ["owners.name"]) { reports.note($0, "owners") },
            pets.observe(keyPaths: ["owners"]) { reports.note($0, "links") },
        ]
        realm.refresh()
        _ = reports.take()
        func told(_ change: () -> Void) throws -> [String] {
            try realm.write(change)
            realm.refresh()
            return reports.take()
        }
        let modified = ": -[] +[] ~[0]"
        #expect(try told { owner.name = "x" } == ["name" + modified, "owners" + modified])
        #expect(try told { pet.age = 3 } == ["age" + modified])
        #expect(try told { owner.address?.city = "Bonn" } == ["city" + modified])
        #expect(try told { owner.any = .int(1) } == [])
        #expect(
            try told { owner.pets.removeAll() }
                == ["age", "pets", "owners", "links"].map { $0 + modified })
        for token in tokens { token.invalidate() }
    }

    @Test("a wildcard stands for every property, and leads on by every link and value of any type")
    func wildcards() throws {
        let realm = try open()
        let owner = try owner(realm)
        let (linked, nested) = (ObservedPet(), ObservedPet())
        try realm.write {
            realm.add([linked, nested])
            owner.favourite = linked
            owner.any = .fromDictionary([
                "pet": .object(nested), "list": .fromArray([.int(1), .object(nested)]),
            ])
        }
        let owners = realm.objects(ObservedOwner.self)
        let tokens = [
            owners.observe(keyPaths: ["*"]) { reports.note($0, "own") },
            owners.observe(keyPaths: ["*.age"]) { reports.note($0, "ages") },
            owners.observe(keyPaths: [#"any["pet"].age"#]) { reports.note($0, "any") },
            owner.observe(keyPaths: ["*.age"]) { reports.note($0) },
        ]
        realm.refresh()
        _ = reports.take()
        func told(_ change: () -> Void) throws -> [String] {
            try realm.write(change)
            realm.refresh()
            return reports.take()
        }
        let modified = ": -[] +[] ~[0]"
        #expect(try told { linked.age = 1 } == ["ages" + modified, "favourite"])
        #expect(try told { nested.age = 1 } == ["ages" + modified, "any" + modified, "any"])
        #expect(try told { owner.name = "x" } == ["own" + modified, "ages" + modified, "name"])
        #expect(
            try told { owner.any.dictionaryValue?["list"]?.listValue?.append(.int(2)) }
                == ["own", "ages", "any"].map { $0 + modified } + ["any"])
        #expect(try told { (linked.name, nested.name) = ("y", "y") } == [])
        // The list in the dictionary still leads to it.
        #expect(
            try told { owner.any.dictionaryValue?["pet"] = nil }
                == ["own", "ages", "any"].map { $0 + modified } + ["any"])
        #expect(try told { nested.age = 2 } == ["ages" + modified, "any" + modified, "any"])
        #expect(
            try told { owner.any = .none }
                == ["own", "ages", "any"].map { $0 + modified } + ["any"])
        #expect(try told { nested.age = 3 } == [])
        for token in tokens { token.invalidate() }
    }

    @Test("conditions, sorting and distinct through links are followed")
    func links() throws {
        let realm = try open()
        for id in 0..<4 { _ = try owner(realm, id, pets: 1) }
        let all = realm.objects(ObservedOwner.self)
        try realm.write { for owner in all { owner.favourite = owner.pets[0] } }
        let tokens = [
            all.where { $0.favourite.age > 5 }.observe { reports.note($0, "condition") },
            all.sorted(byKeyPath: "favourite.age").observe(keyPaths: []) {
                reports.note($0, "sorted")
            },
            all.distinct(by: ["favourite.age"]).observe(keyPaths: []) {
                reports.note($0, "distinct")
            },
            all.where { $0.pets.age.max > 6 }.observe(keyPaths: []) {
                reports.note($0, "greatest")
            },
        ]
        realm.refresh()
        _ = reports.take()
        try realm.write { all[1].favourite?.age = 7 }
        realm.refresh()
        #expect(
            reports.take() == [
                "condition: -[] +[0] ~[]", "sorted: -[1] +[3] ~[]", "distinct: -[] +[1] ~[]",
                "greatest: -[] +[0] ~[]",
            ])
        for token in tokens { token.invalidate() }
    }

    @Test("lists of objects and of values, sets and linking objects are notified by positions")
    func collections() throws {
        let realm = try open()
        let owner = try owner(realm, pets: 3)
        try realm.write { owner.numbers.append(objectsIn: [1, 2, 3, 4]) }
        let pet = owner.pets[1]
        let tokens = [
            owner.pets.observe { reports.note($0, "pets") },
            owner.numbers.observe { reports.note($0, "numbers") },
            owner.tags.observe { reports.note($0, "tags") },
            pet.owners.observe(keyPaths: []) { reports.note($0, "owners") },
            AnyRealmCollection(owner.numbers).observe { reports.note($0, "any") },
        ]
        realm.refresh()
        _ = reports.take()
        func told(_ change: () -> Void) throws -> [String] {
            try realm.write(change)
            realm.refresh()
            return reports.take()
        }
        #expect(try told { owner.pets.move(from: 0, to: 2) } == ["pets: -[0] +[2] ~[]"])
        #expect(try told { pet.age = 9 } == ["pets: -[] +[] ~[0]"])
        #expect(
            try told {
                owner.numbers[1] = 20
                owner.numbers.insert(0, at: 0)
            } == ["numbers: -[] +[0] ~[1]", "any: -[] +[0] ~[1]"])
        #expect(try told { owner.tags.insert(objectsIn: ["b", "a"]) } == ["tags: -[] +[0, 1] ~[]"])
        #expect(
            try told { owner.pets.remove(at: 0) } == ["pets: -[0] +[] ~[]", "owners: -[0] +[] ~[]"])
        #expect(
            try told { realm.delete(owner) }.sorted() == [
                "any: -[0, 1, 2, 3, 4] +[] ~[]", "numbers: -[0, 1, 2, 3, 4] +[] ~[]",
                "pets: -[0, 1] +[] ~[]", "tags: -[0, 1] +[] ~[]",
            ])
        for token in tokens { token.invalidate() }
    }

    @Test("maps are notified by keys, and lists and dictionaries in values of any type as well")
    func maps() throws {
        let realm = try open()
        let owner = try owner(realm, pets: 1)
        try realm.write {
            owner.byName["a"] = owner.pets[0]
            owner.any = .fromArray([
                .int(1), .int(2), .fromDictionary(["k": .string("v")]),
            ])
        }
        let tokens = [
            owner.scores.observe { reports.note($0) },
            owner.byName.observe { reports.note($0) },
            owner.any.listValue!.observe { reports.note($0, "list") },
        ]
        realm.refresh()
        _ = reports.take()
        func told(_ change: () -> Void) throws -> [String] {
            try realm.write(change)
            realm.refresh()
            return reports.take()
        }
        #expect(
            try told {
                owner.scores["b"] = 1
                owner.scores["a"] = 2
            } == [#"-[] +["a", "b"] ~[]"#])
        #expect(
            try told {
                owner.scores["b"] = 3
                owner.scores["a"] = nil
            } == [#"-["a"] +[] ~["b"]"#])
        #expect(try told { owner.pets[0].age = 4 } == [#"-[] +[] ~["a"]"#])
        #expect(try told { owner.byName["n"] = .some(nil) } == [#"-[] +["n"] ~[]"#])
        #expect(
            try told { owner.any.listValue?[2].dictionaryValue?["k"] = .string("w") }
                == ["list: -[] +[] ~[2]"])
        #expect(try told { owner.any.listValue?.remove(at: 0) } == ["list: -[0] +[] ~[]"])
        for token in tokens { token.invalidate() }
    }

    @Test(
        "objects are notified of their properties with old and new values, and that they were deleted once"
    )
    func objects() throws {
        let realm = try open()
        let owner = try owner(realm, pets: 1)
        var changes: [PropertyChange] = []
        let token = owner.observe { change in
            if case .change(_, let properties) = change { changes = properties }
            reports.note(change)
        }
        try realm.write {
            owner.name = "new"
            owner.favourite = owner.pets[0]
        }
        realm.refresh()
        #expect(reports.take() == ["name,favourite"])
        #expect(changes[0].oldValue as? String == "owner 1")
        #expect(changes[0].newValue as? String == "new")
        #expect(changes[1].oldValue == nil)
        #expect((changes[1].newValue as? ObservedPet)?.name == "pet 0")
        try realm.write { owner.pets[0].age = 8 }
        realm.refresh()
        #expect(reports.take() == [], "linked objects count with key paths only")
        let deep = owner.observe(keyPaths: ["favourite.age", "tags"]) { reports.note($0) }
        try realm.write { owner.pets[0].age = 9 }
        realm.refresh()
        #expect(reports.take() == ["favourite"])
        try realm.write { realm.delete(owner) }
        realm.refresh()
        #expect(reports.take() == ["deleted", "deleted"])
        try realm.write { _ = realm.create(ObservedOwner.self, value: ["id": 1]) }
        realm.refresh()
        #expect(reports.take() == [])
        token.invalidate()
        deep.invalidate()
    }

    @Test("an object that is deleted and added again under its key is modified")
    func addedAgain() throws {
        let realm = try open()
        let owner = try owner(realm)
        let token = owner.observe { reports.note($0) }
        try realm.write {
            realm.delete(owner)
            _ = realm.create(ObservedOwner.self, value: ["id": 1, "name": "again"])
        }
        realm.refresh()
        #expect(reports.take() == ["name"])
        token.invalidate()
    }

    @Test("sections are notified by places, and those that came or went by their positions")
    func sections() throws {
        let realm = try open()
        for (id, name) in ["ant", "ape", "bee", "cat"].enumerated() {
            _ = try realm.write {
                realm.create(ObservedOwner.self, value: ["id": id, "name": name])
            }
        }
        let sections = realm.objects(ObservedOwner.self).sectioned(
            by: { String($0.name.prefix(1)) }, sortDescriptors: ["name"])
        let token = sections.observe { reports.note($0) }
        let only = sections[0].observe { reports.note($0) }
        realm.refresh()
        #expect(reports.take() == ["initial", "initial"])
        let all = realm.objects(ObservedOwner.self)
        try realm.write {
            all[0].name = "azo"
            all[2].name = "dog"
            _ = realm.create(ObservedOwner.self, value: ["id": 8, "name": "cow"])
        }
        realm.refresh()
        #expect(
            reports.take() == [
                "-[[0, 0]] +[[0, 1], [1, 1]] ~[] sections -[1] +[2]",
                "-[[0, 0]] +[[0, 1]] ~[] sections -[] +[]",
            ])
        token.invalidate()
        only.invalidate()
    }

    @Test("projections are notified of what they show, and no more")
    func projections() throws {
        let realm = try open()
        let owner = try owner(realm, pets: 2)
        let view = ObservedOwnerView(projecting: owner)
        var changes: [PropertyChange] = []
        let tokens = [
            view.observe { change in
                if case .change(_, let properties) = change { changes = properties }
                reports.note(change)
            },
            view.petNames.observe { reports.note($0, "names") },
            realm.objects(ObservedOwnerView.self).observe { reports.note($0, "views") },
            view.observe(keyPaths: ["title"]) { reports.note($0) },
        ]
        realm.refresh()
        _ = reports.take()
        func told(_ change: () -> Void) throws -> [String] {
            try realm.write(change)
            realm.refresh()
            return reports.take()
        }
        #expect(try told { owner.any = .int(4) } == [])
        #expect(try told { owner.name = "t" } == ["title", "views: -[] +[] ~[0]", "title"])
        #expect(changes[0].oldValue as? String == "owner 1")
        #expect(changes[0].newValue as? String == "t")
        #expect(
            try told { owner.pets[1].name = "rex" } == [
                "petNames", "names: -[] +[] ~[1]", "views: -[] +[] ~[0]",
            ])
        #expect(try told { owner.pets[0].age = 3 } == [])
        for token in tokens { token.invalidate() }
    }
}
