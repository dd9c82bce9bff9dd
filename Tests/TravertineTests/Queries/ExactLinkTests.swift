import RealmSwift
import TestSupport
import Testing

@testable import Travertine

/// A link that was added to a class leads to objects of its target alone. Who asks which of these
/// link to an object may ask objects of derived classes as well.
@Suite("@links by an exact link")
struct ExactLinkTests {
    private let directory = TemporaryDirectory()

    private func open(_ target: String) throws -> Realm {
        let link = Property("mark", .object, objectType: target)
        var configuration = Realm.Configuration(
            fileURL: directory.url, objectTypes: [PoolStone.self, PoolGem.self],
            durability: .unsynced)
        configuration.objectSchemas = [
            ObjectSchema(extending: PoolStone.self, adding: [link]),
            ObjectSchema(extending: PoolGem.self, adding: [link]),
        ]
        return try Realm(configuration: configuration)
    }

    /// A stone and a gem with one key are in the list of another stone; the gem is beside the
    /// first, which is the mark of two, and beside one of these.
    private func populate(_ realm: Realm) throws -> PoolStone {
        try realm.write {
            let stone = realm.create(PoolStone.self, value: ["id": 1])
            let gem = realm.create(PoolGem.self, value: ["id": 1])
            let owner = realm.create(PoolStone.self, value: ["id": 2])
            owner.kin.append(objectsIn: [stone, gem])
            stone.beside = gem
            let other = realm.create(PoolStone.self, value: ["id": 3])
            other.beside = stone
            other["mark"] = stone
            realm.create(PoolGem.self, value: ["id": 4])["mark"] = stone
            return owner
        }
    }

    private func names(_ stones: Results<PoolStone>) -> [String] {
        stones.map { "\(type(of: $0)) \($0.id)" }
    }

    // Found by random schemas: it stopped when a list had an object of a derived class.
    @Test("finds objects of the base class, and none of derived ones, wherever these are")
    func find() throws {
        let realm = try open("PoolStone")
        let owner = try populate(realm)
        let marked = "@links.PoolStone.mark.@count > 0"
        let (stones, gems) = (realm.objects(PoolStone.self), realm.objects(PoolGem.self))
        let all = realm.objects(PoolStone.self, includingSubclasses: true)
        #expect(names(owner.kin.filter(marked)) == ["PoolStone 1"])
        #expect(names(owner.kin.filter("NOT \(marked)")) == ["PoolGem 1"])
        #expect(names(owner.kin.filter("@links.PoolStone.mark.@count == 2")) == ["PoolStone 1"])
        #expect(names(owner.kin.filter("ANY @links.PoolStone.mark.id == 4")) == ["PoolStone 1"])
        #expect(names(all.filter(marked)) == ["PoolStone 1"])
        #expect(all.filter("NOT \(marked)").count == 4)
        #expect(stones.filter("beside.\(marked)").map(\.id) == [3])
        #expect(gems.filter(marked).isEmpty && gems.filter("NOT \(marked)").count == 2)
        #expect(gems.filter("ANY @links.PoolStone.mark.rank == 0").isEmpty)
    }

    @Test("is refused on the base class of its target")
    func refused() throws {
        let realm = try open("PoolGem")
        let marked = "@links.PoolStone.mark.@count > 0"
        let error = try #require(throws: Realm.Error.self) {
            try realm.objects(PoolStone.self).filter(validating: marked)
        }
        #expect(error.message.contains("'PoolStone.mark' is no link to 'PoolStone'"))
        #expect(realm.objects(PoolGem.self).filter(marked).isEmpty)
    }
}
