import Foundation
import Measurement
import Travertine
import TravertineStore

/// The workloads of Realm Swift's own performance tests (`PerformanceTests.swift`), as far as the
/// object layer has what they use. Their counts at the standard size are those of that file; other
/// sizes scale them. Commits are unsynced, because the originals work in memory.
struct RealmWorkloadRun {
    static let prefix = "realm_"
    let task: ObjectTask
    let directory: String
    private(set) var samples: [Sample] = []
    private(set) var storeCount = 0

    init(_ task: ObjectTask) {
        self.task = task
        directory = task.directory
    }

    /// What “large” is there; “medium” is a tenth of it.
    var largeCount: Int { task.count }
    var mediumCount: Int { max(1, task.count / 10) }

    /// Runs everything that was asked for.
    consuming func run() throws -> [Sample] {
        try DirectoryTree.create(directory)
        try runInsertions()
        try runEnumerations()
        try mapValues()
        try runMutations()
        try runLookups()
        try runOpenings()
        try runProjections()
        return samples
    }

    func wants(_ names: String...) -> Bool {
        names.contains { task.workloads.contains(Self.prefix + $0) }
    }

    /// A realm in its own directory.
    mutating func makeRealm() throws -> Realm {
        storeCount += 1
        return try Realm(configuration: configuration(storeCount))
    }

    func configuration(_ number: Int) -> Realm.Configuration {
        var configuration = Realm.Configuration()
        configuration.fileURL = URL(filePath: "\(directory)/\(number).realm")
        configuration.objectTypes = [
            StringModel.self, IndexedStringModel.self, IntModel.self, CollectionModel.self,
            MappedModel.self, LegacyMappedModel.self,
        ]
        configuration.durability = Realm.Durability.unsynced
        return configuration
    }

    func close(_ realm: Realm) throws {
        realm.invalidate()
        try realm.store.close()
    }

    /// Half of `count` string objects "a", half "b", and as many ints 1 and 2.
    mutating func makeStringObjects(_ count: Int) throws -> Realm {
        let realm = try makeRealm()
        try realm.write {
            for index in 0..<count {
                realm.add(StringModel(index & 1 == 0 ? "a" : "b"))
                realm.add(IntModel(index & 1 + 1))
            }
        }
        return realm
    }

    /// Times a workload in milliseconds, and compares what it gave.
    mutating func time(_ name: String, _ expected: Int, _ body: () throws -> Int) throws {
        guard wants(name) else { return }
        let watch = Stopwatch()
        let result = try body()
        let milliseconds = watch.seconds * 1000
        try require(result == expected, "\(name): \(result) instead of \(expected).")
        note(name, milliseconds: milliseconds)
    }

    mutating func note(_ name: String, milliseconds: Double) {
        samples.append(
            Sample(
                workload: Self.prefix + name, engine: task.engine.rawValue,
                repetition: task.repetition, value: milliseconds))
    }
}

extension RealmWorkloadRun {
    /// The rows; N is the number of objects of the size.
    static let workloads: [Workload] = [
        ("insert_multiple", "One transaction of N/10 objects, made and added."),
        ("insert_literal", "One transaction of N/10 `create(value:)`."),
        ("insert_single_literal", "N/200 transactions of one `create(value:)`."),
        ("count_where", "50 times the count of a query that half of N objects match."),
        ("enumerate_query", "The results of such a query, a String read of each."),
        ("enumerate_all", "N objects, a String read of each."),
        ("enumerate_ints", "N objects, an Int read of each."),
        ("enumerate_slow", "N objects by index, a String read of each."),
        ("enumerate_ints_slow", "N objects by index, an Int read of each."),
        ("enumerate_list", "A List of N objects, a String read of each."),
        ("enumerate_list_slow", "The same by index."),
        ("enumerate_set", "A MutableSet of N objects, a String read of each."),
        ("enumerate_set_slow", "The same by index."),
        ("enumerate_mixed", "A List of N/2 AnyRealmValue, `intValue` of each."),
        ("mutate_all", "One transaction that sets the String of N objects."),
        ("mutate_query", "The same over a query of the property that is set."),
        ("delete_query", "N/10 objects of a query deleted."),
        ("delete_manual", "N/10 objects of an array deleted."),
        ("delete_all", "All N objects of a type deleted."),
        ("lookup_unindexed", "N/100 objects, as many times the first with a String."),
        ("lookup_indexed", "N/20 objects, as many times the first with an indexed String."),
        ("large_in", "10 times the first of N/10 Ints that is one of N/20 values."),
        ("sort", "50 times the last of N/125 objects sorted by an Int."),
        ("open_cached", "N/400 times `Realm()` while another thread holds one."),
        ("open_uncached", "N/200 times `Realm()` with nothing open."),
        ("commits", "500 transactions that set one property."),
        ("map", "100 times an array of one Int of 10,000 objects by `map`."),
        ("value_for_key", "The same by `value(forKey:)`."),
        ("map_string", "100 times an array of one String of 10,000 objects by `map`."),
        ("value_for_key_string", "The same by `value(forKey:)`."),
        ("map_optional_int", "10 times an array of one Int? of 10,000 objects by `map`."),
        ("value_for_key_optional_int", "The same by `value(forKey:)`."),
        ("map_optional_string", "10 times an array of one String? of 10,000 objects by `map`."),
        ("value_for_key_optional_string", "The same by `value(forKey:)`."),
        ("map_list", "100 times an array of one List of 10,000 objects by `map`."),
        ("value_for_key_list", "The same by `value(forKey:)`."),
        ("map_set", "100 times an array of one MutableSet of 10,000 objects by `map`."),
        ("value_for_key_set", "The same by `value(forKey:)`."),
        ("map_legacy_optional_int", "As above, of a RealmProperty<Int?>."),
        ("value_for_key_legacy_optional_int", "The same by `value(forKey:)`."),
        ("map_legacy_optional_string", "As above, of a RealmProperty<String?>."),
        ("value_for_key_legacy_optional_string", "The same by `value(forKey:)`."),
        ("map_legacy_list", "As above, of a `let` List."),
        ("value_for_key_legacy_list", "The same by `value(forKey:)`."),
        ("map_legacy_set", "As above, of a `let` MutableSet."),
        ("value_for_key_legacy_set", "The same by `value(forKey:)`."),
        ("cast_projection", "10 times a projection made for each of N/10 objects."),
        ("cast_results", "5 times an array of all N/10 projections."),
        ("access_projection", "3 times a projected property read of N/10 objects."),
    ].map { Workload(prefix + $0.0, unit: "ms", better: .lower, meaning: $0.1) }
}
