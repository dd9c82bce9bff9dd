import Foundation
import RealmSwift
import TestSupport
import Testing
import TravertineStore

@testable import Travertine

/// Embedded objects that updates change where they are, and objects that `create` copies.
@Suite("Updating embedded objects in place")
struct EmbeddedUpdateTests {
    private let directory = TemporaryDirectory()
    private let types: [ObjectBase.Type] = [Quarry.self, QuarryBlock.self, QuarryVein.self]

    @Test(
        "the embedded objects of a list are changed by their positions", arguments: [false, true])
    func byPosition(isDynamic: Bool) throws {
        let realm = try directory.open(types)
        try realm.write {
            realm.create(
                Quarry.self,
                value: [
                    "id": 1, "blocks": [[1, "a", [[3], [4]]], [2, "b"], [3, "c"]] as [[Any]],
                ])
        }
        let quarry = try #require(realm.objects(Quarry.self).first)
        let blocks = Array(quarry.blocks)
        let vein = quarry.blocks[0].veins[0]
        func update(_ values: [String: Any]) throws {
            try realm.write {
                if isDynamic {
                    realm.dynamicCreate("Quarry", value: values, update: .modified)
                } else {
                    realm.create(Quarry.self, value: values, update: .modified)
                }
            }
        }
        try update(["id": 1, "blocks": [["weight": 5, "veins": [["depth": 8]]], [6]] as [Any]])
        #expect(quarry.blocks.map(\.weight) == [5, 6] && quarry.blocks.map(\.name) == ["a", "b"])
        #expect(blocks[0].isSameObject(as: quarry.blocks[0]) && !blocks[1].isInvalidated)
        #expect(blocks[2].isInvalidated && vein.depth == 8 && quarry.blocks[0].veins.count == 1)
        try update(["id": 1, "blocks": [[Any](), ["name": "z"], ["weight": 9]] as [Any]])
        #expect(quarry.blocks.map(\.weight) == [5, 6, 9] && blocks[1].name == "z")
        try update(["id": 1, "blocks": quarry.blocks])
        #expect(quarry.blocks.count == 3 && !blocks[0].isInvalidated)
        try update(["id": 1, "blocks": [Any]()])
        #expect(quarry.blocks.isEmpty && blocks[0].isInvalidated)
        let veins = realm.session.table(of: QuarryVein.self)
        #expect(realm.session.count(of: veins) == 0)
    }

    @Test("adding with `.modified` keeps embedded objects and changes them; `.all` makes others")
    func adding() throws {
        let realm = try directory.open(types)
        func quarry(_ number: Int) -> Quarry {
            Quarry(
                value: [
                    "id": 1, "first": [number, "f", [[number]]],
                    "blocks": [[number, "b", [[number], [number + 1]]]],
                ])
        }
        let first = quarry(1)
        try realm.write { realm.add(first) }
        let (block, vein) = (try #require(first.first), first.blocks[0].veins[1])
        let second = quarry(5)
        let added = try #require(second.first)
        try realm.write { realm.add(second, update: .modified) }
        #expect(block.weight == 5 && vein.depth == 6 && added.isSameObject(as: block))
        #expect(first.blocks.map(\.weight) == [5] && first.first?.veins.map(\.depth) == [5])
        #expect(block.quarries.count == 1)
        let third = quarry(7)
        third.first = nil
        third.blocks.append(QuarryBlock(value: [8]))
        try realm.write { realm.add(third, update: .modified) }
        #expect(block.isInvalidated && vein.depth == 8 && first.blocks.map(\.weight) == [7, 8])
        try realm.write { realm.add(quarry(9), update: .all) }
        #expect(vein.isInvalidated && first.blocks.map(\.weight) == [9])
        #expect(first.blocks[0].veins.map(\.depth) == [9, 10])
        let veins = realm.session.table(of: QuarryVein.self)
        #expect(realm.session.count(of: veins) == 3)
    }

    @Test("setting an embedded object where it is changes nothing", arguments: [false, true])
    func settingItself(isDynamic: Bool) throws {
        let realm = try directory.open(types)
        let quarry = Quarry(value: ["id": 1, "first": [1, "a"]])
        try realm.write { realm.add(quarry) }
        let object: Object =
            isDynamic ? try #require(realm.dynamicObjects("Quarry").first) : quarry
        let block = try #require(quarry.first)
        try realm.write {
            object["first"] = object["first"]
            quarry.first = quarry.first
        }
        #expect(quarry.first?.isSameObject(as: block) == true && block.weight == 1)
        let other = QuarryBlock(value: [2])
        try realm.write {
            quarry.first = other
            quarry.first = other
            object["first"] = isDynamic ? object["first"] : other
        }
        #expect(quarry.first?.weight == 2 && block.isInvalidated && !other.isInvalidated)
    }

    @Test("`create` copies unmanaged objects, nested ones too, and links to managed ones")
    func copies() throws {
        let realm = try directory.open([QuarryCart.self, QuarrySample.self])
        let sample = QuarrySample(value: ["count": 1])
        let owner = QuarryCart(value: ["id": 2])
        owner.samples.append(sample)
        owner.others.append(owner)
        try realm.write {
            let managed = realm.create(QuarrySample.self, value: ["count": 5])
            let cart = realm.create(
                QuarryCart.self,
                value: ["id": 1, "samples": [sample, managed, sample], "others": [owner]])
            #expect(
                cart.samples.map(\.count) == [1, 5, 1] && cart.samples[1].isSameObject(as: managed))
            #expect(cart.samples[0].isSameObject(as: cart.samples[2]))
            #expect(cart.others[0].others[0].isSameObject(as: cart.others[0]))
            #expect(cart.others[0].samples[0].isSameObject(as: cart.samples[0]))
        }
        #expect(sample.realm == nil && owner.realm == nil && owner.samples[0] === sample)
        try realm.write {
            owner.id = 3
            realm.create(QuarryCart.self, value: owner)
        }
        #expect(owner.realm == nil && sample.realm == nil)
        #expect(realm.objects(QuarrySample.self).count == 3)
        sample.count = 9
        #expect(realm.objects(QuarrySample.self).where { $0.count == 9 }.isEmpty)
    }
}
