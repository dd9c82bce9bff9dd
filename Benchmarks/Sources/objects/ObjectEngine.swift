/// An object database under test; a method is a workload or a step of one.
///
/// Reads are made between `beginReading` and `endReading`, on one snapshot. Sums are returned so
/// that they can be compared with what they must be.
protocol ObjectEngine: AnyObject {
    init(directory: String, isDurable: Bool) throws
    func close() throws

    /// Stores these persons in one transaction.
    func insert(_ ids: Range<Int>) throws
    /// Makes everything so far durable.
    func sync() throws
    /// Sets the age of these persons, in one transaction, to 100 + their number modulo 50.
    func setAges(_ ids: [Int]) throws
    /// The same, by an interface that takes many keys at once, where there is one.
    func setAgesTogether(_ ids: [Int]) throws

    func read<Result>(_ body: () throws -> Result) throws -> Result

    /// The age and the length of the name in UTF-8 of a person, added; nil if there is none.
    func ageAndNameLength(_ id: Int) throws -> Int?
    /// The sum of all ages, by iterating over all objects.
    func iterateAges() throws -> Int
    /// The same sum, by an aggregate.
    func sumOfAges() throws -> Int
    func countOlder(than age: Int) throws -> Int
    /// The sum of the ages of all found objects.
    func findOlder(than age: Int) throws -> Int
    func countNames(containing part: String) throws -> Int
    /// The sum of the ages of all persons with this name.
    func findNamed(_ name: String) throws -> Int
    /// The sum of the numbers of the `count` persons with the lowest score.
    func lowestScores(_ count: Int) throws -> Int
    /// Follows friends from a person, at most `hopCount` times; the sum of the ages seen on the
    /// way and the number of hops.
    func walk(from id: Int, hopCount: Int) throws -> (ages: Int, hops: Int)
    /// The sum of the ages of everybody's friend.
    func followAll() throws -> Int

    /// The sum of the ages of everybody's friend, the friends looked up in batches.
    func followAllInBulk() throws -> Int
    /// The sum of all ages, by iterating with one handle that is lent.
    func iterateAgesLending() throws -> Int
    /// The age of a person, read `count` times from one object and added up.
    func readAge(_ id: Int, count: Int) throws -> Int
    /// Deletes these persons in one transaction; links to them become none.
    func delete(_ ids: [Int]) throws
    /// Adds this many years to the age of every person, in one transaction.
    func growOlder(by years: Int) throws
    /// Stores this many tasks, each with a link to an earlier one and a list of links to five, in
    /// one transaction.
    func insertLinked(_ count: Int) throws
    /// The number of tasks, and of the links in their lists.
    func countLinked() throws -> (tasks: Int, links: Int)
    /// Deletes every task by one call, in one transaction.
    func deleteAllLinked() throws
    /// Deletes these tasks one at a time, in one transaction.
    func deleteLinked(_ ids: Range<Int>) throws
    /// Stores these wide objects in one transaction.
    func insertWide(_ ids: Range<Int>) throws
    /// The sum of one Int over all wide objects, by iterating over them.
    func sumWide() throws -> Int
    /// Brings everything to the least space.
    func compact() throws
    /// Bytes of log and of index pages on the disk; nil if there is no such distinction.
    func footprint() throws -> (log: Int, pages: Int)?
    /// Opens a database of persons with a schema that differs by a change, reads a value that shows
    /// that it was made, and closes.
    ///
    /// - Returns: the seconds until the change was made, and what was read of person 0.
    static func change(
        _ change: SchemaChange, directory: String
    ) throws -> (seconds: Double, value: String)
}

extension ObjectEngine {
    func setAgesTogether(_ ids: [Int]) throws { try setAges(ids) }
    func followAllInBulk() throws -> Int { throw NotApplicable() }
    func iterateAgesLending() throws -> Int { throw NotApplicable() }
    func readAge(_ id: Int, count: Int) throws -> Int { throw NotApplicable() }
    func footprint() throws -> (log: Int, pages: Int)? { nil }
}

/// Changes of the schema, made one after another.
enum SchemaChange: String, CaseIterable, Sendable {
    /// `nickname`, a String with the default “none”.
    case adding = "schema_add"
    /// `score` goes.
    case removing = "schema_remove"
    /// `age` becomes `years`.
    case renaming = "schema_rename"

    /// What `change` must read afterwards: nickname, age, years.
    var expected: String { self == .adding ? "none" : String(PersonFacts(0).age) }
}

/// A workload that an engine has no sensible form of; its cell stays empty.
struct NotApplicable: Error {}

/// The engines that can be asked for by name.
enum ObjectEngineName: String, CaseIterable, Sendable, Codable {
    case travertine
    /// GRDB's record types and query interface, as an app is written.
    case grdb
    /// GRDB with cached statements that read only the columns needed.
    case grdbStatements = "grdb_sql"
}
