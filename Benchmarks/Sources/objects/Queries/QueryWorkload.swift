import Measurement

/// A query that is compared with SQL, on a million residents.
enum QueryWorkload: String, CaseIterable {
    case count, sum, min, max, averageScore
    case findSome, findAges
    case contains, containsFolded
    case name, yearRange, namePrefix, keys
    case both, either
    case lowestScores, lowestRanks, sortedNames
    case friendName, anyFriend, followers
    case position, first, isEmpty
    case groups

    /// When a query is run.
    enum Moment: String, CaseIterable {
        /// The first time in the process, with the data in memory.
        case first
        /// After it, with another constant.
        case again
        /// The same as before, after one object was changed in another transaction.
        case changed
    }

    /// The rows of the table, by moment.
    var targets: [(Moment, Double)] {
        switch self {
        case .count: [(.first, 1.5), (.again, 30), (.changed, 1000)]
        case .sum: [(.first, 1.8), (.again, 30), (.changed, 1000)]
        case .min, .max: [(.again, 30), (.changed, 1000)]
        case .averageScore: [(.first, 1.8), (.again, 30), (.changed, 1000)]
        case .findSome: [(.again, 30)]
        case .findAges: [(.again, 5)]
        case .contains: [(.first, 1), (.again, 6)]
        case .containsFolded: [(.again, 4)]
        case .name: [(.again, 12)]
        case .yearRange, .namePrefix, .keys: [(.again, 5)]
        case .both, .either: [(.again, 3)]
        case .lowestScores: [(.again, 4)]
        case .lowestRanks: [(.again, 2)]
        case .sortedNames: [(.again, 3)]
        case .friendName, .anyFriend, .followers: [(.again, 3)]
        case .position, .first, .isEmpty: [(.again, 5)]
        case .groups: [(.again, 5)]
        }
    }

    func row(_ moment: Moment) -> String {
        let words = rawValue.reduce(into: "") { text, letter in
            text += letter.isUppercase ? "_\(letter.lowercased())" : String(letter)
        }
        return "q_\(words)" + (targets.count > 1 || moment != .again ? "_\(moment)" : "")
    }

    static let prefix = "q_"

    static var workloads: [Workload] {
        allCases.flatMap { query in
            query.targets.map { moment, target in
                Workload(
                    query.row(moment), unit: "queries/s", target: .ratio(target), peer: "grdb_sql",
                    meaning: query.meaning + moment.meaning)
            }
        }
    }

    private var meaning: String {
        switch self {
        case .count: "How many are older than a number; not indexed."
        case .sum: "The sum of an Int of all that is not indexed."
        case .min: "The least one."
        case .max: "The greatest one."
        case .averageScore: "The mean of a Double of all."
        case .findSome: "All older than a number found, one Int read of every thousandth."
        case .findAges: "All older than a number found, one Int read of each."
        case .contains: "How many names contain three letters. SQL: GLOB."
        case .containsFolded:
            "The same without regard to case and marks. SQL: LIKE, which knows the case of ASCII."
        case .name: "All with a name, about 100 in a million, by its index; one Int read of each."
        case .yearRange: "All in a range of one in a hundred, by its index; one Int read of each."
        case .namePrefix: "All whose name begins so, by its index; one Int read of each."
        case .keys: "All with 1,000 primary keys, by IN; one Int read of each."
        case .both: "All with a name and in a range of years, both indexed; one Int read of each."
        case .either: "All with a name or a year, both indexed; one Int read of each."
        case .lowestScores: "The first 100 by a Double that is not indexed."
        case .lowestRanks: "The first 100 by a Double that is indexed."
        case .sortedNames:
            "All sorted by a String that SQL does not use an index for; one Int read of every "
                + "thousandth."
        case .friendName: "All whose friend has a name; one Int read of each."
        case .anyFriend: "How many have a friend older than a number in a list. SQL: EXISTS."
        case .followers: "How many are the friend of more than three. SQL: GROUP BY … HAVING."
        case .position: "One Int of the object in the middle. SQL: LIMIT 1 OFFSET."
        case .first: "One Int of the first object."
        case .isEmpty: "Whether there is none."
        case .groups: "Number and mean of a Double for each age."
        }
    }
}

extension QueryWorkload.Moment {
    fileprivate var meaning: String {
        switch self {
        case .first: " The first time in the process."
        case .again: " With another constant each time, where there is one."
        case .changed: " The same again, each time after one object was changed."
        }
    }
}

/// A database of residents.
protocol QueryEngine: AnyObject {
    init(directory: String) throws
    func close() throws
    func insert(_ ids: Range<Int>) throws
    /// Called once everything is inserted; returns when nothing runs in the background any more.
    func finishLoading() throws
    /// Sets an age, and the points to the same, in a transaction.
    func setAge(_ id: Int, to age: Int) throws
    /// Runs a query with the constants of a variant.
    ///
    /// - Returns: what `QueryFacts` says that it must be.
    func run(_ query: QueryWorkload, _ variant: Int) throws -> Int
}

/// The constants of a query by the number of its variant.
enum QueryConstants {
    static func age(_ variant: Int) -> Int { 50 + variant % 40 }
    static func name(_ variant: Int) -> String {
        ResidentFacts.name(variant * 7 % ResidentFacts.nameCount)
    }
    /// A hundredth of all years.
    static func years(_ variant: Int) -> Range<Int> {
        let first = variant * 131 % (ResidentFacts.yearCount - 100)
        return first..<(first + 100)
    }
    /// Half of all years.
    static let manyYears = 0..<(ResidentFacts.yearCount / 2)
    static func keys(_ variant: Int, of count: Int) -> [Int] {
        (0..<1000).map { ($0 * 7919 + variant * 104_729) % count }
    }
}
