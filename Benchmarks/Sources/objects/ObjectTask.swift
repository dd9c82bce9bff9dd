import Foundation
import Measurement

/// What a child process is to do with one engine, passed as JSON in its arguments.
struct ObjectTask: Sendable, Codable {
    /// A part of a run.
    enum Stage: String, Sendable, Codable, CaseIterable {
        /// Inserts many, closes.
        case load
        /// Opens what `load` left and runs the queries and updates.
        case query
        /// Changes the schema of what `load` left, three times.
        case schema
        /// Single durable inserts into an empty database.
        case durable
        /// Inserts and reads objects of 25 properties.
        case wide
        /// Inserts objects with lists of links, and deletes all of them, twice.
        case linked
        /// Inserts as `load`, brings everything to the least space, and measures it.
        case compact
        /// Inserts residents and runs queries that are compared with SQL.
        case queries
        /// Inserts texts and runs full-text queries that are compared with FTS5.
        case texts
        /// Inserts residents, observes results of them, and changes some.
        case observing
        /// The workloads of Realm Swift's own performance tests; Travertine only.
        case realm
    }

    /// Stages that follow one another on one directory.
    static let chains: [[Stage]] = [
        [.load, .query, .schema], [.durable], [.wide], [.linked], [.compact], [.queries],
        [.texts], [.observing], [.realm],
    ]

    static let option = "--stage"

    var stage: Stage
    var engine: ObjectEngineName
    var repetition: Int
    var directory: String
    var resultPath: String
    /// Objects in the database.
    var count: Int
    /// How long single durable inserts are made.
    var durableSeconds: Double
    /// The rows asked for.
    var workloads: Set<String>

    init(
        stage: Stage, engine: ObjectEngineName, repetition: Int, directory: String,
        resultPath: String, count: Int, durableSeconds: Double, workloads: Set<String>
    ) {
        self.stage = stage
        self.engine = engine
        self.repetition = repetition
        self.directory = directory
        self.resultPath = resultPath
        self.count = count
        self.durableSeconds = durableSeconds
        self.workloads = workloads
    }

    init(argument: String) throws {
        self = try JSONDecoder().decode(ObjectTask.self, from: Data(argument.utf8))
    }

    func argument() throws -> String {
        String(decoding: try JSONEncoder().encode(self), as: UTF8.self)
    }

    /// Runs the stage with its engine.
    func run() throws -> [Sample] {
        if stage == .realm { return try RealmWorkloadRun(self).run() }
        if stage == .queries {
            return engine == .travertine
                ? try QueryStageRun<TravertineQueryEngine>(self).run()
                : try QueryStageRun<GRDBQueryEngine>(self).run()
        }
        if stage == .texts {
            return engine == .travertine
                ? try TextStageRun<TravertineTextEngine>(self).run()
                : try TextStageRun<GRDBTextEngine>(self).run()
        }
        if stage == .observing {
            return engine == .travertine
                ? try ObservingStageRun<TravertineObservingEngine>(self).run()
                : try ObservingStageRun<GRDBObservingEngine>(self).run()
        }
        return switch engine {
        case .travertine: try ObjectStageRun<TravertineObjectEngine>(self).run()
        case .grdb: try ObjectStageRun<GRDBRecordEngine>(self).run()
        case .grdbStatements: try ObjectStageRun<GRDBStatementEngine>(self).run()
        }
    }
}
