import Foundation
import TestSupport
import Testing

@testable import Travertine

@Suite("Declared migrations")
struct DeclaredMigrationTests {
    private let realm = MigratedRealm()

    private static let versions = [
        MigrationVersion(1, .rename("Guest", from: "fullName", to: "name")),
        MigrationVersion(
            2,
            .split("Guest", "name", into: "first", "last") { (name: String) in
                let words = name.split(separator: " ").map { String($0) }
                return (words.first ?? "", words.last ?? "")
            },
            .delete("Draft")),
        MigrationVersion(
            3,
            .map("Guest", "age", to: "born") { (age: Int) in 2000 - age },
            .merge("Guest", "street", "city", to: "address") { (street: String, city: String?) in
                city.map { "\(street), \($0)" } ?? street
            }),
        MigrationVersion(4),
        MigrationVersion(5, .rename("Guest", from: "first", to: "given")),
    ]

    private func configuration(
        _ types: [ObjectBase.Type], version: UInt64,
        _ versions: [MigrationVersion] = Self.versions
    ) -> Realm.Configuration {
        var configuration = realm.configuration(types, version: version)
        configuration.migrations = versions
        return configuration
    }

    private func fill() throws {
        try realm.open([GuestV0.self, Before.Draft.self], version: 0) { realm in
            try realm.write {
                realm.create(
                    GuestV0.self,
                    value: ["fullName": "Ada Bell", "age": 30, "street": "A1", "city": "Rom"])
                realm.create(
                    GuestV0.self, value: ["fullName": "Cy", "age": 40, "street": "B2"])
                realm.create(Before.Draft.self, value: ["text": "a"])
            }
        }
    }

    @Test("steps lead from whatever older version opens to the newest")
    func chained() throws {
        try fill()
        try realm.open(configuration([GuestV5.self], version: 5)) { realm in
            let guests = realm.objects(GuestV5.self)
            #expect(guests.map(\.given) == ["Ada", "Cy"] && guests.map(\.last) == ["Bell", "Cy"])
            #expect(guests.map(\.born) == [1970, 1960])
            #expect(guests.map(\.address) == ["A1, Rom", "B2"])
            #expect(!realm.hasType("Draft"))
        }
        let other = MigratedRealm()
        try other.open([GuestV2.self], version: 2) { realm in
            try realm.write {
                _ = realm.create(
                    GuestV2.self, value: ["first": "Di", "last": "E", "age": 1, "street": "C"])
            }
        }
        var configuration = configuration([GuestV5.self], version: 5)
        configuration.fileURL = other.directory.url
        try other.open(configuration) { realm in
            #expect(realm.objects(GuestV5.self).first?.given == "Di")
            #expect(realm.objects(GuestV5.self).first?.born == 1999)
        }
    }

    @Test("a renaming alone rewrites no object")
    func renamingOnly() throws {
        try fill()
        let versions = [MigrationVersion(1, .rename("Guest", from: "fullName", to: "name"))]
        try realm.open(configuration([GuestV1.self], version: 1, versions)) { realm in
            #expect(realm.objects(GuestV1.self).map(\.name) == ["Ada Bell", "Cy"])
            let table = realm.session.table(of: GuestV1.self)
            try realm.session.scan(table) { _, row in
                #expect(row.loadUnaligned(as: UInt16.self) < table.stored.currentLayout)
                return true
            }
        }
    }

    @Test("a block runs after the steps")
    func withBlock() throws {
        try fill()
        var configuration = configuration([GuestV5.self], version: 5)
        configuration.migrationBlock = { migration, version in
            #expect(version == 0)
            migration.enumerateObjects(ofType: "Guest") { _, new in
                new?["given"] = (new?["given"] as? String)?.uppercased()
            }
        }
        try realm.open(configuration) { realm in
            #expect(realm.objects(GuestV5.self).map(\.given) == ["ADA", "CY"])
        }
    }

    @Test(
        "unknown names, gaps and later versions are reported before anything is written",
        arguments: [
            ([MigrationVersion(1)], "lacks version 2"),
            ([MigrationVersion(1), MigrationVersion(2), MigrationVersion(3)], "version 3, and"),
            ([MigrationVersion(2), MigrationVersion(1)], "comes after version 2"),
            (
                [
                    MigrationVersion(1, .rename("Guest", from: "fulName", to: "name")),
                    MigrationVersion(2),
                ], "Did you mean 'fullName'?"
            ),
            (
                [
                    MigrationVersion(1),
                    MigrationVersion(2, .map("Guest", "age", to: "bron") { (age: Int) in age }),
                ], "Did you mean 'born'?"
            ),
            (
                [
                    MigrationVersion(1), MigrationVersion(2, .rename("Gest", from: "a", to: "b")),
                ], "Did you mean 'Guest'?"
            ),
            (
                [
                    MigrationVersion(1, .delete("Guest")),
                    MigrationVersion(2, .rename("Guest", from: "age", to: "born")),
                ], "which a step before it deletes"
            ),
        ])
    func refused(_ versions: [MigrationVersion], _ text: String) throws {
        try fill()
        let error = #expect(throws: Realm.Error.self) {
            try Realm(configuration: configuration([GuestNamed.self], version: 2, versions))
        }
        #expect(error?.code == .schemaMismatch)
        #expect(error?.message.contains(text) == true, "\(error?.message ?? "")")
        try realm.open([GuestV0.self], version: 0)
    }

    @Test("an unknown name, a gap and a later version are reported together")
    func refusedTogether() throws {
        try fill()
        let versions = [
            MigrationVersion(1, .rename("Guest", from: "fulName", to: "name")), MigrationVersion(3),
        ]
        let error = #expect(throws: Realm.Error.self) {
            try Realm(configuration: configuration([GuestNamed.self], version: 2, versions))
        }
        for text in ["Did you mean 'fullName'?", "lacks version 2", "version 3, and"] {
            #expect(error?.message.contains(text) == true, "\(error?.message ?? "")")
        }
    }

    @Test("a property that came and went in between has the value that its version says")
    func addedInBetween() throws {
        try fill()
        let versions = [
            MigrationVersion(1, .add("Guest", "title", value: "Dr")),
            MigrationVersion(
                2,
                .merge("Guest", "title", "fullName", to: "name") { (title: String, name: String) in
                    "\(title) \(name)"
                }),
        ]
        try realm.open(configuration([GuestNamed.self], version: 2, versions)) { realm in
            #expect(realm.objects(GuestNamed.self).map(\.name) == ["Dr Ada Bell", "Dr Cy"])
        }
    }

    @Test("a value of another type than the closure takes fails the opening")
    func otherType() throws {
        try fill()
        let versions = [
            MigrationVersion(1, .map("Guest", "age", to: "born") { (age: String) in age.count })
        ]
        let error = #expect(throws: Realm.Error.self) {
            try Realm(configuration: configuration([GuestNamed.self], version: 1, versions))
        }
        #expect(error?.message.contains("'Guest.age' as String") == true)
        try realm.open([GuestV0.self], version: 0)
    }
}

class GuestModel: MigratedModel {
    override class func objectTypeName() -> String { "Guest" }
}

class GuestV0: GuestModel {
    @Persisted var fullName: String
    @Persisted var age: Int
    @Persisted var street: String
    @Persisted var city: String?
}

class GuestV1: GuestModel {
    @Persisted var name: String
    @Persisted var age: Int
    @Persisted var street: String
    @Persisted var city: String?
}

class GuestV2: GuestModel {
    @Persisted var first: String
    @Persisted var last: String
    @Persisted var age: Int
    @Persisted var street: String
    @Persisted var city: String?
}

class GuestV5: GuestModel {
    @Persisted var given: String
    @Persisted var last: String
    @Persisted var born: Int
    @Persisted var address: String
}

class GuestNamed: GuestModel {
    @Persisted var name: String
    @Persisted var born: Int
    @Persisted var age: Int
}
