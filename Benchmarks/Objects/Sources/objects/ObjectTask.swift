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
        /// Single durable inserts into an empty database.
        case durable
    }

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

    init(
        stage: Stage, engine: ObjectEngineName, repetition: Int, directory: String,
        resultPath: String, count: Int, durableSeconds: Double
    ) {
        self.stage = stage
        self.engine = engine
        self.repetition = repetition
        self.directory = directory
        self.resultPath = resultPath
        self.count = count
        self.durableSeconds = durableSeconds
    }

    init(argument: String) throws {
        self = try JSONDecoder().decode(ObjectTask.self, from: Data(argument.utf8))
    }

    func argument() throws -> String {
        String(decoding: try JSONEncoder().encode(self), as: UTF8.self)
    }

    /// Runs the stage with its engine.
    func run() throws -> [Sample] {
        switch engine {
        case .travertine: try ObjectStageRun<TravertineObjectEngine>(self).run()
        case .grdb: try ObjectStageRun<GRDBRecordEngine>(self).run()
        case .grdbStatements: try ObjectStageRun<GRDBStatementEngine>(self).run()
        }
    }
}
