import Locks
import TestSupport
import Testing

@testable import Travertine

@Suite("Progress of migrations")
struct MigrationProgressTests {
    private let realm = MigratedRealm()

    /// What is reported while a block enumerates so many dogs.
    private func reports(of count: Int, _ block: @escaping MigrationBlock) throws -> [Int] {
        try realm.open([Before.Dog.self], version: 0) { realm in
            try realm.write {
                for _ in 0..<count { realm.create(Before.Dog.self, value: ["name": "D"]) }
            }
        }
        let reports = Locked<[MigrationProgress]>([])
        var configuration = realm.configuration([Before.Dog.self], version: 1, block)
        configuration.migrationProgress = { report in reports.withLock { $0.append(report) } }
        try realm.open(configuration)
        let all = reports.withLock { $0 }
        #expect(all.allSatisfy { $0.typeName == "Dog" && $0.totalCount == count })
        return all.map(\.completedCount)
    }

    @Test(
        "is reported after every 1,024 objects, and once at the end",
        arguments: [
            (0, []), (1, [1]), (256, [256]), (1000, [1000]), (1024, [1024]),
            (2500, [1024, 2048, 2500]),
        ] as [(Int, [Int])])
    func enumeration(_ count: Int, _ expected: [Int]) throws {
        let found = try reports(of: count) { migration, _ in
            migration.enumerateObjects(ofType: "Dog") { _, new in new?["age"] = 3 }
        }
        #expect(found == expected)
    }

    @Test("counts objects that the block deletes, and each enumeration from the beginning")
    func deleted() throws {
        let found = try reports(of: 300) { migration, _ in
            for _ in 0..<2 {
                migration.enumerateObjects(ofType: "Dog") { old, new in
                    if let new, (old?["age"] as? Int) == 0 { migration.delete(new) }
                }
            }
        }
        #expect(found == [300, 300])
    }

    @Test("is reported for declared steps")
    func steps() throws {
        try realm.open([Before.Dog.self], version: 0) { realm in
            try realm.write {
                for _ in 0..<1100 { realm.create(Before.Dog.self, value: ["name": "D"]) }
            }
        }
        let reports = Locked<[Int]>([])
        var configuration = realm.configuration([Before.Dog.self], version: 1)
        configuration.migrations = [
            MigrationVersion(1, .map("age", to: \Before.Dog.age) { (age: Int) in age + 1 })
        ]
        configuration.migrationProgress = { report in
            reports.withLock { $0.append(report.completedCount) }
        }
        try realm.open(configuration) { realm in
            #expect(realm.objects(Before.Dog.self).sum(of: \.age) == 1100)
        }
        #expect(reports.withLock { $0 } == [1024, 1100])
    }
}
