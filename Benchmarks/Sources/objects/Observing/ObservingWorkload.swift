import Measurement

/// Changes of a million residents that are observed.
enum ObservingWorkload: String, CaseIterable {
    case moves, movesDurable
    case alone, aloneDurable, thousandUntouched, thousand
    case sorted
    case links
    case manyUnobserved, many, manyAgain
    case live, frozen
    case migration, migrationMemory

    static let prefix = "o_"

    var row: String {
        rawValue.reduce(into: Self.prefix) { text, letter in
            text += letter.isUppercase ? "_\(letter.lowercased())" : String(letter)
        }
    }

    static var workloads: [Workload] { allCases.map(\.workload) }

    private var workload: Workload {
        switch self {
        case .moves:
            time(
                50,
                "One object moves into or out of results of a hundredth of all that are not "
                    + "indexed: from the beginning of the write to the call of the block, "
                    + "unsynced; half of them within.")
        case .movesDurable: time(nil, "The same with durable commits.")
        case .alone:
            time(nil, "An Int of one object is changed and nothing is observed, unsynced.")
        case .aloneDurable: time(nil, "The same with a durable commit.")
        case .thousandUntouched:
            time(nil, "As `o_alone`, with 1,000 observed results of other properties.")
        case .thousand:
            time(
                100,
                "1,000 observed results, each of one name and so of about a hundred objects in a "
                    + "million; one object moves from one to another, until all were notified.")
        case .sorted:
            time(
                100,
                "Observed results of all sorted by a Double, indexed; one object moves by a "
                    + "thousandth.")
        case .links:
            time(
                nil,
                "Observed results through two links (`friend.friend.name == …`); the object at "
                    + "their end gets the name or loses it.")
        case .many:
            milliseconds(
                "The same, until the observer of all objects was called.")
        case .manyUnobserved:
            milliseconds("An Int of a tenth of all objects is changed in one commit, unsynced.")
        case .manyAgain: milliseconds("The same query runs, and the keys of all are read.")
        case .live: speed("All objects, one Int read of each, on one thread.")
        case .frozen:
            speed("The same frozen, on two threads at once; the objects of one of them per second.")
        case .migration:
            speed("Opening with a migration block that changes an Int of each object. SQL: UPDATE.")
        case .migrationMemory:
            Workload(
                row, unit: "B/object", better: .lower, target: .atMost(50),
                meaning: "Anonymous memory after it, with the realm open, less that with it open "
                    + "before.")
        }
    }

    private func time(_ ratio: Double?, _ meaning: String) -> Workload {
        if let ratio {
            return Workload(
                row, unit: "µs", better: .lower, target: .ratio(ratio), peer: "grdb_sql",
                meaning: meaning)
        }
        return Workload(row, unit: "µs", better: .lower, meaning: meaning)
    }

    private func milliseconds(_ meaning: String) -> Workload {
        Workload(row, unit: "ms", better: .lower, meaning: meaning)
    }

    private func speed(_ meaning: String) -> Workload {
        Workload(row, unit: "objects/s", meaning: meaning)
    }
}

/// What an observer is to observe.
enum ObservedQuery {
    case age(Int)
    case name(Int)
    case sortedByRank
    case friendOfFriend(name: Int)
    case all
}

/// What an engine does in these workloads.
protocol ObservingEngine: AnyObject {
    init(directory: String) throws
    func close() throws
    func insert(_ ids: Range<Int>) throws
    func finishLoading() throws
    /// Whether commits are durable from now on.
    func setDurable(_ isDurable: Bool) throws
    /// Begins an observation; returns after its first call.
    func observe(_ query: ObservedQuery) throws
    func endObservations()
    /// Changes one column of objects in a transaction.
    func change(_ ids: [Int], _ change: ResidentChange) throws
    /// Returns when so many observers were called since the transaction before.
    func awaitReports(_ count: Int) throws
    /// Runs the query of all objects and reads their keys.
    func readKeys() throws -> Int
    /// Sums ages up, on so many threads at once.
    func sumAges(threadCount: Int) throws -> [Int]
    /// Makes what is migrated; returns bytes of anonymous memory with it open.
    func prepareMigration() throws -> Int?
    /// Changes all objects; returns bytes of anonymous memory after it.
    func migrate() throws -> Int?
}

/// A change of one resident.
enum ResidentChange {
    case age(Int)
    case name(Int)
    case points(Int)
    case rank(Double)
}
