import Measurement
import TravertineStore

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// `instructions`: does one operation a number of times, for callgrind to count.
///
/// Run twice with different counts and the same capacity; the difference is what the operations
/// cost, because opening, loading and making keys are the same in both. The store is never closed:
/// its checkpoint would depend on the count.
@main
enum InstructionsCommand {
    static let usage = """
        usage: instructions OPERATION COUNT CAPACITY DIRECTORY

        Does OPERATION COUNT times on a new store in DIRECTORY. COUNT may be up to CAPACITY, which
        sets how many keys are prepared and, for reads, how many records are stored before.
        Operations: \(Operation.allCases.map(\.rawValue).joined(separator: ", "))

        """

    static func main() {
        do {
            let arguments = CommandLine.arguments
            guard arguments.count == 5, let operation = Operation(rawValue: arguments[1]),
                let count = Int(arguments[2]), let capacity = Int(arguments[3]),
                count >= 0, count <= capacity
            else { throw BenchmarkError(usage) }
            try run(operation, count: count, capacity: capacity, directory: arguments[4])
            _exit(0)
        } catch {
            print("instructions: \(error)")
            exit(1)
        }
    }

    private static func run(
        _ operation: Operation, count: Int, capacity: Int, directory: String
    ) throws {
        if operation.isOfObjects {
            return try runObjects(operation, count: count, capacity: capacity, directory)
        }
        if operation.isOfPersons {
            return try runPersons(operation, count: count, capacity: capacity, directory)
        }
        if operation.isOfObservers { return try runObservers(operation, count: count, directory) }
        var options = StoreOptions()
        options.durability = .unsynced
        options.checkpointInterval = .max
        let store = try Store.open(at: directory, options: options)
        let counted = CountedOperations(store: store, capacity: capacity)
        if operation.needsRecords { try counted.put(count: capacity, perTransaction: 1000) }
        switch operation {
        case .put: try counted.put(count: count, perTransaction: 1000)
        case .putAlone: try counted.put(count: count, perTransaction: 1)
        case .overwrite: try counted.put(count: count, perTransaction: 1000)
        case .get: try counted.get(count: count, getsPerSnapshot: 1000)
        case .getInOwnSnapshot: try counted.get(count: count, getsPerSnapshot: 1)
        case .getNewest: try counted.getNewest(count: count)
        case .getInBatch: try counted.getInBatches(count: count)
        case .seek: try counted.seek(count: count)
        case .next: try counted.next(count: count)
        case .forEach: try counted.forEach(count: count)
        default: preconditionFailure("\(operation) is counted elsewhere")
        }
    }

    private static func runObjects(
        _ operation: Operation, count: Int, capacity: Int, _ directory: String
    ) throws {
        let objects = try CountedObjects(directory: directory)
        if operation != .insertObject { try objects.insert(count: capacity) }
        switch operation {
        case .insertObject: try objects.insert(count: count)
        case .getObject: try objects.get(count: count)
        default: try objects.read(count: count)
        }
    }
}

extension InstructionsCommand {
    /// Reads go over a thousand persons; changes are made among as many as there may be.
    private static func runPersons(
        _ operation: Operation, count: Int, capacity: Int, _ directory: String
    ) throws {
        let persons = try CountedPersons(
            directory: directory, capacity: capacity, keepsColumns: operation != .testRow)
        switch operation {
        case .insertPerson: return try persons.insert(count: count)
        case .updatePerson, .deletePerson: try persons.insert(count: capacity)
        default: try persons.insert(count: 1000)
        }
        switch operation {
        case .iterate: try persons.iterate(count: count)
        case .lend: try persons.lend(count: count)
        case .find: try persons.find(count: count)
        case .countByColumn: try persons.countOlder(count: count)
        case .testRow: try persons.countOlder(count: count / 1000)
        case .follow: try persons.follow(count: count)
        case .followInBulk: try persons.followInBulk(count: count)
        case .updatePerson: try persons.update(count: count)
        default: try persons.delete(count: count)
        }
    }
}

extension InstructionsCommand {
    private static func runObservers(
        _ operation: Operation, count: Int, _ directory: String
    ) throws {
        let isTracked = operation == .readTracked || operation == .changeTracked
        let observers = try CountedObservers(directory: directory, tracksReads: isTracked)
        switch operation {
        case .commitAlone: try observers.commit(count: count, isObserved: false)
        case .commitObserved: try observers.commit(count: count, isObserved: true)
        case .readFrozen: try observers.readFrozen(count: count)
        case .iterateFrozen: try observers.iterateFrozen(count: count)
        case .readTracked: try observers.readTracked(count: count)
        case .changeTracked: try observers.changeTracked(count: count)
        default: try observers.migrate(count: count)
        }
    }
}

/// What is counted.
enum Operation: String, CaseIterable {
    /// A put of a new key in a transaction of 1,000, its share of the commit included.
    case put
    /// A transaction of one put.
    case putAlone = "put-alone"
    /// A put of a key that exists, in a transaction of 1,000.
    case overwrite
    /// A get in place on a snapshot shared by 1,000.
    case get
    /// A snapshot, a get, and the release of the snapshot.
    case getInOwnSnapshot = "snapshot-get"
    /// A get in place on the store itself, of the newest commit.
    case getNewest = "get-newest"
    /// One of 100 gets in one call.
    case getInBatch = "get-batch"
    /// A cursor's seek to a key, and its value in place.
    case seek
    /// A cursor's step, and its value in place.
    case next
    /// One record of `Snapshot.forEach`, value in place.
    case forEach = "for-each"
    /// An object made, three properties set, and added, in a transaction of 1,000; its share of the
    /// commit included.
    case insertObject = "object-insert"
    /// An object by its primary key, an Int property read.
    case getObject = "object-get"
    /// An Int property of a managed object.
    case readProperty = "property-read"
    /// A person made, eight properties set, one of them a link, and added.
    case insertPerson = "person-insert"
    /// A person of a `for` loop, an Int property read.
    case iterate = "person-iterate"
    /// A person of `forEachLending`, an Int property read.
    case lend = "person-lend"
    /// A person that columns find, in a `for` loop, an Int property read.
    case find = "person-find"
    /// A count of a thousand persons by a condition on an Int that is in a column, of which the
    /// constant is another one each time.
    case countByColumn = "column-count"
    /// A row that is tested by a condition on an Int, where no columns are kept.
    case testRow = "row-test"
    /// A person of a `for` loop, an Int property read of the one that it links to.
    case follow = "person-follow"
    /// The same by `forEachLending(following:)`.
    case followInBulk = "person-follow-bulk"
    /// An Int property of a person set, in one transaction for all; its share of the commit
    /// included.
    case updatePerson = "person-update"
    /// A person deleted, with the links from and to it, in one transaction for all.
    case deletePerson = "person-delete"
    /// A transaction that sets an Int property of a person, and a refresh.
    case commitAlone = "person-commit"
    /// The same with a hundred observed results that it does not concern.
    case commitObserved = "person-commit-observed"
    /// An Int property of a frozen person.
    case readFrozen = "frozen-read"
    /// A person of a `for` loop over frozen results, an Int property read.
    case iterateFrozen = "frozen-iterate"
    /// An Int property of one of a thousand persons, read by `withObservationTracking`.
    case readTracked = "tracked-read"
    /// An Int property of a person set, in transactions of ten thousand, where another property of
    /// one of them is tracked.
    case changeTracked = "tracked-change"
    /// A person of a migration's enumeration, of which an Int property is read on both sides and
    /// set.
    case migrate = "person-migrate"

    var isOfObservers: Bool {
        let observers: [Operation] = [
            .commitAlone, .commitObserved, .readFrozen, .iterateFrozen, .readTracked,
            .changeTracked, .migrate,
        ]
        return observers.contains(self)
    }
    var needsRecords: Bool { self != .put && self != .putAlone }
    var isOfObjects: Bool { [.insertObject, .getObject, .readProperty].contains(self) }
    var isOfPersons: Bool {
        let persons: [Operation] = [
            .insertPerson, .iterate, .lend, .find, .countByColumn, .testRow, .follow, .followInBulk,
            .updatePerson, .deletePerson,
        ]
        return persons.contains(self)
    }
}
