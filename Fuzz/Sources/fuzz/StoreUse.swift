@testable import SegmentLog
@testable import StoreMaintenance
@testable import TravertineStore

/// What is done with a directory that an input made, and what must hold then.
enum StoreUse {
    /// Keys and values of the keyspaces of records, by identifier.
    typealias Contents = [KeyspaceID: [[UInt8]: [UInt8]]]

    /// A rule was broken; stops the program, so that the fuzzer keeps the input.
    static func fail(_ message: String) -> Never { preconditionFailure(message) }

    /// Verifies, reads, salvages, opens, changes and opens again.
    ///
    /// - What fsck calls sound opens, and gives every value. Where fsck finds nothing at all, salvage
    ///   finds the same; unless there are moves: what was never moved from where they say replays by
    ///   the order of the log, and is salvaged by that of the LSNs.
    /// - What opened and was closed opens again, with the same contents.
    static func run(_ files: [String: [UInt8]], comparesSalvage: Bool) throws {
        let report = try? StoreVerifier.verify(
            path: InputMachine.path, level: .deep, environment: InputMachine(files).environment)
        let salvaged = try? salvage(files)
        let machine = InputMachine(files)
        let store: Store
        do {
            var options = machine.options()
            options.createIfMissing = false
            store = try Store.open(at: InputMachine.path, options: options)
        } catch {
            if let report, report.isSound { fail("sound, but does not open: \(error)") }
            throw error
        }
        let before: Contents
        do {
            before = try contents(of: store)
        } catch {
            if let report, report.isSound { fail("sound, but can't be read: \(error)") }
            throw error
        }
        if comparesSalvage, let report, report.findings.isEmpty, let salvaged,
            rows(salvaged) != rows(before)
        {
            fail("nothing is wrong, but salvage found something else")
        }
        try change(store)
        let after = try contents(of: store)
        try store.close()
        let again = try Store.open(at: InputMachine.path, options: machine.options(.mapped))
        if try contents(of: again) != after { fail("opened again, it holds something else") }
        try again.close()
    }

    /// Without the definitions of keyspaces: salvage makes up what is lost.
    private static func rows(_ contents: Contents) -> Contents {
        contents.filter { $0.key != .system && !$0.value.isEmpty }
    }

    private static func change(_ store: Store) throws {
        let machineExecutor = store.options.environment.executor
        try store.write { transaction in
            try transaction.put("value", forKey: "a new key")
            _ = try transaction.deleteRange(from: "b", to: "c")
        }
        try store.checkpoint()
        machineExecutor.drain()
        try store.compact()
        machineExecutor.drain()
        _ = try store.statistics
    }

    static func contents(of store: Store) throws -> Contents {
        try contents(of: store.snapshot().access)
    }

    static func contents(of access: ReadAccess) throws -> Contents {
        var all: Contents = [:]
        for keyspace in KeyspaceID.ofTrees(0..<access.treeCount) {
            let isDerived = access.tree(of: keyspace).flags & TreeFlags.derived != 0
            var cursor = access.cursor(in: keyspace)
            var isValid = try cursor.seekToFirst()
            while isValid {
                let key = cursor.withKey { Array($0) }
                if !isDerived {
                    all[keyspace, default: [:]][key] = Array(try cursor.value(verified: true))
                }
                isValid = try cursor.next()
            }
        }
        return all
    }

    private static func salvage(_ files: [String: [UInt8]]) throws -> Contents {
        let machine = InputMachine(files)
        _ = try StoreSalvage.recover(
            directory: InputMachine.path, to: "/new", preference: .consistent,
            options: machine.options())
        _ = try StoreSalvage.recover(
            directory: InputMachine.path, to: "/newest", options: machine.options())
        let store = try Store.open(at: "/newest", options: machine.options())
        defer { try? store.close() }
        return try contents(of: store)
    }

    /// The files of a small store with several segments, compaction, checkpoints and derived keys.
    static func sample(rounds: Int = 4, keyCount: Int = 12) throws -> [String: [UInt8]] {
        let machine = InputMachine()
        for round in 0..<rounds {
            let store = try Store.open(at: InputMachine.path, options: machine.options())
            try store.write { transaction in
                let second = try transaction.keyspace(named: "second")
                let derived = try transaction.keyspace(named: "derived", kind: .derived)
                for number in 0..<keyCount {
                    let text = "value \(round) of \(number)"
                    let value = String(repeating: text, count: (number + round) % 9)
                    try transaction.put(value, forKey: "key \(number * (round + 1) % 17)")
                    try transaction.put(value, forKey: "\(number)", in: second)
                    _ = try Array("\(value.utf8.count) \(number)".utf8).withBytes {
                        (key) throws(StoreError) in
                        try transaction.indexPut(key, value: UInt64(number), in: derived.identifier)
                    }
                }
                _ = try transaction.delete("key \(round)")
                try? transaction.savepoint {
                    try transaction.put("void", forKey: "void")
                    throw StoreError(.misuse, "undone")
                }
            }
            if round == rounds - 2 { try store.compact() }
            machine.executor.drain()
            try store.close()
        }
        return machine.fileSystem.contents(of: InputMachine.path)
    }
}
