import Foundation
import Measurement

/// What a child process is to do, passed as JSON in its arguments.
struct StageTask: Sendable, Codable {
    var stage: KeyValueWorkloads.Stage
    var engine: EngineName
    var repetition: Int
    var directory: String
    /// Where the samples go.
    var resultPath: String
    var size: RunSize
    /// The rows asked for.
    var workloads: Set<String>
    /// The file with the lines for the rows `cold_…`.
    var citiesPath: String
    /// The library of SQLCipher; nil is the installed one.
    var sqlcipherPath: String?

    /// The name of the argument that carries a task.
    static let option = "--stage"

    init(
        stage: KeyValueWorkloads.Stage, engine: EngineName, repetition: Int, directory: String,
        resultPath: String, size: RunSize, workloads: Set<String>,
        citiesPath: String = "", sqlcipherPath: String? = nil
    ) {
        self.stage = stage
        self.engine = engine
        self.repetition = repetition
        self.directory = directory
        self.resultPath = resultPath
        self.size = size
        self.workloads = workloads
        self.citiesPath = citiesPath
        self.sqlcipherPath = sqlcipherPath
    }

    init(argument: String) throws {
        self = try JSONDecoder().decode(StageTask.self, from: Data(argument.utf8))
    }

    func argument() throws -> String {
        String(decoding: try JSONEncoder().encode(self), as: UTF8.self)
    }

    /// Whether any of these rows is asked for.
    func wants(_ names: String...) -> Bool { names.contains { workloads.contains($0) } }

    func setup(_ promise: CommitPromise, keepsLog: Bool = false) -> EngineSetup {
        EngineSetup(
            directory: directory, promise: promise, cacheMebibytes: size.cacheMebibytes,
            keepsLog: keepsLog, isEncrypted: engine.isEncrypted, sqlcipherPath: sqlcipherPath)
    }

    /// Runs the stage with its engine; the one place where an engine's name becomes a type.
    func run() throws -> [Sample] {
        switch engine {
        case .travertine where stage == .coldLoad || stage == .coldRead:
            try StageRun<TravertineColdEngine>(self).run()
        case .travertine, .travertineEncrypted: try StageRun<TravertineEngine>(self).run()
        case .lmdb: try StageRun<LMDBEngine>(self).run()
        case .lmdbWithoutWriteMap: try StageRun<LMDBWithoutWriteMapEngine>(self).run()
        case .rocksdb: try StageRun<RocksDBEngine>(self).run()
        case .leveldb: try StageRun<LevelDBEngine>(self).run()
        case .sqlite, .sqlcipher: try StageRun<SQLiteEngine>(self).run()
        }
    }
}
