import Measurement
import Synchronization

@testable import kv

/// How an engine under test misbehaves.
enum Misbehaviour: Sendable {
    case none
    case losesARecord
    case returnsAnotherValue
    case returnsOldValues
    case findsMissingKeys
    case scansOutOfOrder
}

/// An engine in memory, to test that the workloads notice engines that return wrong data.
final class MemoryEngine: Engine {
    /// What the next engines do wrong.
    @TaskLocal static var misbehaviour = Misbehaviour.none

    private let table = Mutex<[[UInt8]: [UInt8]]>([:])
    let misbehaviour: Misbehaviour

    init(_ setup: EngineSetup) throws {
        misbehaviour = Self.misbehaviour
        try DirectoryTree.create(setup.directory)
    }

    func makeWriter() throws -> Writer { Writer(engine: self) }
    func makeReader() throws -> Reader { Reader(engine: self) }
    func sync() throws {}
    func checkpoint() throws {}
    func close() throws {}
    func compact() throws -> Bool { true }
    func backup(to path: String) throws -> Bool {
        try DirectoryTree.create(path)
        try TextFile.write(String(repeating: "x", count: 10_000), to: path + "/data")
        return true
    }

    private func put(_ key: [UInt8], _ value: [UInt8]) {
        table.withLock {
            if misbehaviour == .losesARecord, $0.count == 100, $0[key] == nil { return }
            if misbehaviour == .returnsOldValues, $0[key] != nil { return }
            $0[key] = value
        }
    }

    struct Writer: EngineWriter {
        let engine: MemoryEngine
        mutating func begin() throws {}
        mutating func put(_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws {
            engine.put(Array(key), Array(value))
        }
        mutating func commit() throws {}
        mutating func close() {}
    }

    struct Reader: EngineReader {
        let engine: MemoryEngine
        private var table: [[UInt8]: [UInt8]] = [:]
        private var sorted: [[UInt8]] = []

        init(engine: MemoryEngine) { self.engine = engine }

        mutating func beginSnapshot() throws {
            table = engine.table.withLock { $0 }
        }

        mutating func endSnapshot() throws {}

        mutating func get(
            _ key: UnsafeRawBufferPointer, _ sink: inout some ValueSink
        ) throws -> Bool {
            var value = table[Array(key)]
            switch engine.misbehaviour {
            case .returnsAnotherValue where value != nil && key[0] < 16: value = table.values.first
            case .findsMissingKeys where value == nil: value = table.values.first
            default: break
            }
            guard let value else { return false }
            value.withUnsafeBytes { sink.add(value: $0) }
            return true
        }

        mutating func scan(
            from start: UnsafeRawBufferPointer?, limit: Int, withKeys: Bool,
            _ sink: inout some ValueSink
        ) throws -> Int {
            if sorted.count != table.count {
                sorted = table.keys.sorted { $0.lexicographicallyPrecedes($1) }
                if engine.misbehaviour == .scansOutOfOrder { sorted.swapAt(3, 4) }
            }
            let first = start.map(Array.init) ?? []
            let place = sorted.firstIndex { !$0.lexicographicallyPrecedes(first) } ?? sorted.count
            let found = sorted[place...].prefix(limit)
            for key in found {
                if withKeys { key.withUnsafeBytes { sink.add(key: $0) } }
                table[key]?.withUnsafeBytes { sink.add(value: $0) }
            }
            return found.count
        }

        mutating func close() {}
    }
}
