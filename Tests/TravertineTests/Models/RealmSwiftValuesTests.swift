import Foundation
import RealmSwift
import TestSupport
import Testing
import TravertineStore

@testable import Travertine

/// What values make of an object as programs for RealmSwift expect it: arrays that end early,
/// dates, values that a type refuses, collections of any kind, and copies.
@Suite("Values as RealmSwift takes them")
struct RealmSwiftValuesTests {
    private let directory = TemporaryDirectory()
    private static let types: [ObjectBase.Type] = [
        Quarry.self, QuarryBlock.self, QuarryVein.self, QuarryCart.self, QuarrySample.self,
    ]

    private func open() throws -> Realm { try directory.open(Self.types) }

    @Test("an array has values for the first properties, and the rest have their defaults")
    func shortArrays() throws {
        let realm = try open()
        let block = QuarryBlock(value: [7])
        #expect(block.weight == 7 && block.name == "rough" && block.veins.isEmpty)
        #expect(QuarryBlock(value: [Any]()).weight == 0)
        try realm.write {
            realm.create(Quarry.self, value: [1, [5, "cut", [[2], [Any]()]] as [Any]] as [Any])
            realm.dynamicCreate("Quarry", value: [2, [6], [[1], [2, "b"]]] as [Any])
        }
        let quarries = Array(realm.objects(Quarry.self))
        #expect(quarries[0].first?.name == "cut" && quarries[0].blocks.isEmpty)
        #expect(quarries[0].first?.veins.map(\.depth) == [2, 1])
        #expect(quarries[1].first?.weight == 6 && quarries[1].first?.name == "rough")
        #expect(quarries[1].blocks.map(\.name) == ["rough", "b"])
    }

    @Test("an array that updates leaves the properties alone that it has no value for")
    func updatingArrays() throws {
        let realm = try open()
        try realm.write {
            realm.create(Quarry.self, value: ["id": 1, "first": [3, "cut"], "note": "deep"])
            realm.create(Quarry.self, value: [1, [4]] as [Any], update: .modified)
        }
        let quarry = try #require(realm.objects(Quarry.self).first)
        #expect(quarry.note == "deep" && quarry.first?.weight == 4 && quarry.first?.name == "cut")
        try realm.write {
            realm.dynamicCreate("Quarry", value: [1, [5]] as [Any], update: .modified)
        }
        #expect(quarry.note == "deep" && quarry.first?.weight == 5 && quarry.first?.name == "cut")
    }

    @Test("an array with more values than there are properties is an error")
    func longArrays() throws {
        let realm = try open()
        let tooLong: [Any] = [1, "a", [Any](), 4]
        let error = #expect(throws: Realm.Error.self) {
            try realm.write { realm.create(Quarry.self, value: [1, tooLong] as [Any]) }
        }
        #expect(error?.code == .invalidInput && error?.message.contains("3 properties") == true)
        #expect(throws: Realm.Error.self) {
            try realm.write {
                realm.dynamicCreate("Quarry", value: [Any](repeating: 1, count: 9))
            }
        }
        #expect(realm.isEmpty)
    }

    @Test("a date starts as now, and so does a type that is stored as one")
    func datesStartAsNow() throws {
        let realm = try open()
        let start = Date()
        let sample = QuarrySample()
        #expect(sample.taken >= start && sample.seen.date >= start && sample.checked == nil)
        #expect(sample.declared == Date(timeIntervalSince1970: 5) && sample.taken == sample.taken)
        try realm.write {
            realm.add(sample)
            realm.create(QuarrySample.self, value: ["count": 2])
            realm.dynamicCreate("QuarrySample", value: ["count": 3])
        }
        let end = Date()
        for sample in realm.objects(QuarrySample.self) {
            #expect((start...end).contains(sample.taken), "\(sample.taken)")
            #expect((start...end).contains(sample.seen.date), "\(sample.seen.date)")
            #expect(sample.declared == Date(timeIntervalSince1970: 5))
        }
    }

    @Test("updating without a date keeps the stored one")
    func updatingKeepsDates() throws {
        let realm = try directory.open([QuarryDay.self])
        try realm.write {
            realm.create(QuarryDay.self, value: ["id": 1, "begun": Date.distantPast])
        }
        try realm.write {
            realm.create(QuarryDay.self, value: ["id": 1, "text": "b"], update: .modified)
        }
        let day = try #require(realm.objects(QuarryDay.self).first)
        #expect(day.begun == .distantPast && day.text == "b")
    }

    @Test("objects older than a date property have the first instant of 1970")
    func olderThanADate() throws {
        do {
            let realm = try directory.open([QuarryShiftV0.self])
            try realm.write { realm.create(QuarryShiftV0.self, value: [1]) }
        }
        let realm = try directory.open([QuarryShift.self], version: 1)
        try realm.write { realm.create(QuarryShift.self, value: [2]) }
        let shifts = Array(realm.objects(QuarryShift.self))
        #expect(shifts[0].begun == Date(timeIntervalSince1970: 0))
        #expect(shifts[1].begun > Date(timeIntervalSince1970: 0))
    }

    @Test("a type that refuses zero does not stop the process until a value of it is needed")
    func refusedZero() throws {
        let realm = try directory.open([QuarryTool.self])
        let tool = QuarryTool(value: ["grade": 4])
        try realm.write {
            realm.add(tool)
            realm.create(QuarryTool.self, value: ["grade": 5, "declared": NSNull()])
        }
        #expect(realm.objects(QuarryTool.self).map(\.grade.number) == [4, 5])
        #expect(realm.objects(QuarryTool.self).map(\.declared.number) == [9, 9])
    }

    @Test("values that a type refuses are nil where there can be one, and errors elsewhere")
    func refusedValues() throws {
        let realm = try directory.open([QuarryTool.self])
        let refused: [String: Any] = [
            "grade": 4, "spare": 0, "kind": 99, "spares": [0, 3], "kinds": [1, 99],
            "named": ["a": 0, "b": 2],
        ]
        let unmanaged = QuarryTool(value: refused)
        try realm.write { realm.create(QuarryTool.self, value: refused) }
        let stored = try #require(realm.objects(QuarryTool.self).first)
        for tool in [unmanaged, stored] {
            #expect(tool.spare == nil && tool.kind == nil)
            #expect(tool.spares.map { $0?.number } == [nil, 3])
            #expect(Array(tool.kinds) == [.pick, nil])
            #expect(tool.named["a"] == .some(nil) && tool.named["b"]??.number == 2)
        }
        try realm.write {
            stored["spare"] = 3
            stored["kind"] = 2
        }
        #expect(stored.spare?.number == 3 && stored.kind == .wedge)
        try realm.write {
            stored["spare"] = 0
            stored["kind"] = 99
        }
        #expect(stored.spare == nil && stored.kind == nil)
        let wrong: [[String: Any]] = [
            ["grade": 0], ["grade": 4, "sort": 99], ["grade": 4, "spare": "text"],
        ]
        for values in wrong {
            #expect(throws: Realm.Error.self, "\(values)") {
                try realm.write { realm.create(QuarryTool.self, value: values) }
            }
        }
    }

    @Test("NSNull is the default of an enum, and of a custom type")
    func nullIsTheDefault() throws {
        let realm = try directory.open([
            QuarryTool.self, QuarrySample.self, QuarryCart.self, QuarryPlace.self, QuarrySpot.self,
        ])
        let null = NSNull()
        try realm.write {
            realm.create(
                QuarryTool.self,
                value: ["grade": 4, "sort": null, "declared": null, "spares": null])
            realm.create(QuarrySample.self, value: ["seen": null])
            realm.create(QuarryPlace.self, value: ["spot": null])
            realm.dynamicCreate(
                "QuarryTool", value: ["grade": 4, "sort": null, "declared": null])
        }
        for tool in realm.objects(QuarryTool.self) {
            #expect(tool.sort == .hammer && tool.declared.number == 9 && tool.spares.isEmpty)
        }
        let place = try #require(realm.objects(QuarryPlace.self).first)
        #expect(place.spot.depth == 1)
        #expect(Decimal128(value: null).isNaN)
        #expect(throws: Realm.Error.self) {
            try realm.write { realm.create(QuarrySample.self, value: ["count": null]) }
        }
    }
}

/// What a message says where a type has no value for nothing.
@Suite("Types that refuse their default")
struct RefusedDefaultTests {
    @Test(
        "a type that refuses zero, and no value: the object can't be added, and a message says why")
    func refusedZeroIsNeeded() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let directory = TemporaryDirectory()
            let realm = try directory.open([QuarryTool.self])
            defer { withExtendedLifetime(directory) {} }
            try realm.write { realm.add(QuarryTool()) }
        }
        let text = result.errorText
        #expect(text.contains("give the property an initial value"), "\(text)")
    }
}
