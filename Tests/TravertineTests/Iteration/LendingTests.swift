import RealmSwift
import TestSupport
import Testing

/// Lending one handle for all objects of results: it shows each of them as the realm has it.
@Suite("Lending")
struct LendingTests {
    private let directory = TemporaryDirectory()

    /// Chests 0..<count; each links to the one before it, except every tenth.
    private func open(_ count: Int) throws -> Realm {
        let realm = try directory.open([Chest.self, ChestLid.self, ChestCover.self])
        try realm.write {
            var before: Chest?
            for id in 0..<count {
                let chest = Chest(value: ["id": id])
                chest.labels.append(objectsIn: ["a\(id)", "b\(id)"])
                chest.marks.insert(id)
                chest.prices["\(id)"] = id
                if id % 10 != 0 { chest.before = before }
                realm.add(chest)
                before = chest
            }
        }
        return realm
    }

    private func contents(of chest: Chest?) -> String {
        guard let chest else { return "none" }
        return "\(chest.id) \(Array(chest.labels)) \(Array(chest.marks)) "
            + "\(chest.prices.map { "\($0.key): \($0.value)" })"
    }

    @Test("a lent object has its own list, set and map, and code that takes one keeps it")
    func collections() throws {
        let realm = try open(40)
        let chests = realm.objects(Chest.self)
        let expected = Array(chests).map { contents(of: $0) }
        for results in [chests, chests.where { $0.id >= 0 }] {
            var found: [String] = []
            var lists: [List<String>] = []
            try results.forEachLending {
                found.append(contents(of: $0))
                lists.append($0.labels)
            }
            #expect(found == expected)
            #expect(lists.map { Array($0) } == (0..<40).map { ["a\($0)", "b\($0)"] })
        }
    }

    @Test("so have a lent object and the one that it links to")
    func collectionsOfLinked() throws {
        let realm = try open(40)
        let chests = realm.objects(Chest.self)
        let expected = Array(chests).map { [contents(of: $0), contents(of: $0.before)] }
        var found: [[String]] = []
        try chests.forEachLending(following: \.before) {
            found.append([contents(of: $0), contents(of: $1)])
        }
        #expect(found == expected)
    }

    @Test("lent objects show what was written while they were lent", arguments: [false, true])
    func writing(isFollowing: Bool) throws {
        let realm = try open(40)
        let chests = realm.objects(Chest.self)
        var (writeCount, met): (Int, [Int]) = (0, [])
        func meet(_ chest: Chest, _ before: Chest?) throws {
            met.append(chest.id)
            #expect(before?.number == chest.before?.number)
            if chest.number > 0 { return }
            writeCount += 1
            try realm.write { for other in chests { other.number = 1 } }
            #expect(chest.number == 1)
        }
        if isFollowing {
            try chests.forEachLending(following: \.before) { try meet($0, $1) }
        } else {
            try chests.forEachLending { try meet($0, $0.before) }
        }
        #expect(writeCount == 1 && met == Array(0..<40))
        #expect(chests.sum(of: \.number) == 40)
        // A number is added to what is stored, not to what was there at the start.
        if isFollowing {
            try chests.forEachLending(following: \.before) { chest, before in
                try realm.write {
                    chest.number += 1
                    before?.number += 1
                }
            }
        } else {
            try chests.forEachLending { chest in
                try realm.write {
                    chest.number += 1
                    chest.before?.number += 1
                }
            }
        }
        #expect(chests.sum(of: \.number) == 40 + 40 + 36)
    }

    @Test("a lent object that is deleted in the meantime is invalid", arguments: [false, true])
    func deleting(isFollowing: Bool) throws {
        let realm = try open(40)
        let chests = realm.objects(Chest.self)
        var (gone, unlinked) = (0, 0)
        func meet(_ chest: Chest, _ before: Chest?) throws {
            if chest.isInvalidated {
                gone += 1
                #expect(before == nil)
                return
            }
            #expect(before?.id == chest.before?.id)
            if chest.id % 10 != 0, before == nil { unlinked += 1 }
            if chest.id == 3 {
                try realm.write { realm.delete(chests.where { $0.id.in([7, 15, 35]) }) }
            }
        }
        if isFollowing {
            try chests.forEachLending(following: \.before) { try meet($0, $1) }
        } else {
            try chests.forEachLending { try meet($0, $0.isInvalidated ? nil : $0.before) }
        }
        #expect(gone == 3 && unlinked == 3)
    }

    @Test("in a write transaction an object that was deleted in the meantime links to none")
    func deletingInWrite() throws {
        let realm = try open(40)
        let chests = realm.objects(Chest.self)
        var gone = 0
        try realm.write {
            try chests.forEachLending(following: \.before) { chest, before in
                if chest.isInvalidated {
                    gone += 1
                    #expect(before == nil)
                } else if chest.id == 3 {
                    realm.delete(chests.where { $0.id.in([7, 15, 35]) })
                }
            }
        }
        #expect(gone == 3)
    }
}

class Chest: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var number: Int
    @Persisted var labels: List<String>
    @Persisted var marks: MutableSet<Int>
    @Persisted var prices: Map<String, Int>
    @Persisted var before: Chest?
    @Persisted var lid: ChestLid?
}

class ChestCover: Object {
    @Persisted var name: String
}

class ChestLid: ChestCover {}
