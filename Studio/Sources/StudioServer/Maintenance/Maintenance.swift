import Foundation
import StoreMaintenance
import Synchronization
import Travertine
import TravertineStore

/// What the page starts beside reading: measuring, verifying and backing up.
///
/// One job runs at a time.
final class Maintenance: Sendable {
    struct JobRequest: Decodable {
        /// What is to be done.
        enum Kind: String, Decodable {
            case verify
            case backup
        }

        var kind: Kind
    }

    struct SpaceRequest: Decodable {
        /// Whether every key is visited for what statistics don't have.
        var isMeasured: Bool
    }

    private let key: EncryptionKey?
    private let directory: URL
    private let temporary: TemporaryDirectories
    private let explorer: RealmExplorer
    private let events: EventHub
    private let state = Mutex<[JobState]>([])
    /// A job may take minutes, and has its own thread.
    private let queue = DispatchQueue(label: "travertine.studio.maintenance")

    init(
        _ directory: URL, key: EncryptionKey? = nil, explorer: RealmExplorer, events: EventHub
    ) {
        self.directory = directory
        self.key = key
        temporary = TemporaryDirectories(beside: directory)
        temporary.removeThoseOfEndedProcesses()
        self.explorer = explorer
        self.events = events
    }

    /// Removes what a verification has made beside the realm.
    func removeTemporaryFiles() { temporary.removeOwn() }

    // MARK: Space

    /// The statistics of the store, as `travertine stat --json` has them.
    func space(_ request: SpaceRequest) async throws -> JSON {
        if let own = try await explorer.storeStatistics(measuring: request.isMeasured) {
            return try Self.space(own.statistics, own.measured, isOfWriter: true)
        }
        var options = StoreOptions()
        options.encryptionKey = key
        let reader = try StoreReader.open(at: directory.path, options: options)
        defer { reader.close() }
        return try Self.space(
            reader.statistics, request.isMeasured ? reader.measureSpace() : nil, isOfWriter: false)
    }

    private static func space(
        _ statistics: StoreStatistics, _ measured: SpaceMeasurement?, isOfWriter: Bool
    ) throws -> JSON {
        let encoder = JSONEncoder()
        return .object([
            // What a writer counts since it has opened the store is known to it only.
            ("isOfWriter", .bool(isOfWriter)),
            ("statistics", .raw(Array(try encoder.encode(statistics)))),
            ("writeAmplification", .double(statistics.writes.amplification)),
            ("measured", try measured.map { .raw(Array(try encoder.encode($0))) } ?? .null),
        ])
    }

    // MARK: Jobs

    /// The jobs, the newest one last, and where the next backup would be.
    var jobs: JSON {
        .object([
            ("jobs", .array(state.withLock { $0.map(\.json) })),
            ("backupPath", .string(backupDirectory(at: Date()).path)),
        ])
    }

    /// Starts a job.
    func start(_ request: JobRequest) async throws -> JSON {
        let store = await explorer.writableStore
        let started = try state.withLock { jobs throws(RequestFailure) in
            guard jobs.last?.isRunning != true else {
                throw RequestFailure(409, "Something is running already; wait for its end.")
            }
            if jobs.count == JobState.keptCount { jobs.removeFirst() }
            let job = JobState(number: (jobs.last?.number ?? 0) + 1, kind: request.kind)
            jobs.append(job)
            return job
        }
        events.send("job", started.json)
        queue.async {
            switch request.kind {
            case .verify: self.run(started) { try self.verify(store, $0) }
            case .backup: self.run(started) { try self.backUp(store, $0) }
            }
        }
        return started.json
    }

    private func run(_ job: JobState, _ body: (JobReporter) throws -> JSON) {
        let reporter = JobReporter(job) { self.publish($0) }
        do {
            reporter.finish(.success(try body(reporter)))
        } catch let error as StoreError {
            reporter.finish(.failure(RequestFailure(500, error.message)))
        } catch {
            reporter.finish(.failure(RequestFailure(500, "\(error)")))
        }
    }

    private func publish(_ job: JobState) {
        state.withLock { jobs in
            guard let place = jobs.firstIndex(where: { $0.number == job.number }) else { return }
            jobs[place] = job
        }
        events.send("job", job.json)
    }

    /// Verifies a backup that is made for this: the store itself stays free for its writer.
    private func verify(_ store: Store?, _ reporter: JobReporter) throws -> JSON {
        let place = temporary.makeName()
        defer { try? FileManager.default.removeItem(at: place) }
        try makeBackup(of: store, at: place, reporter, "collecting files")
        let report = try StoreBackup.verify(path: place.path, key: key) { progress in
            reporter.update("reading files", progress.byteCount, progress.totalByteCount)
        }
        return .raw(Array(try JSONEncoder().encode(report)))
    }

    private func backUp(_ store: Store?, _ reporter: JobReporter) throws -> JSON {
        let target = backupDirectory(at: Date())
        let report = try makeBackup(of: store, at: target, reporter, "copying")
        return .object([
            ("path", .string(target.path)),
            ("report", .raw(Array(try JSONEncoder().encode(report)))),
        ])
    }

    /// Files get a second name instead of a copy where both are on one file system.
    @discardableResult
    private func makeBackup(
        of store: Store?, at target: URL, _ reporter: JobReporter, _ step: String
    ) throws -> BackupReport {
        let show: (BackupProgress) -> Void = { progress in
            reporter.update(step, progress.byteCount, progress.totalByteCount)
        }
        if let store {
            return try store.backup(to: target.path, progress: show)
        }
        var options = BackupOptions()
        options.encryptionKey = key
        return try StoreBackup.make(
            of: directory.path, to: target.path, options: options, progress: show)
    }

    /// A directory beside the store, with the time in its name.
    private func backupDirectory(at date: Date) -> URL {
        let time = date.formatted(
            .iso8601.year().month().day()
                .time(includingFractionalSeconds: false).dateSeparator(.omitted)
                .timeSeparator(.omitted))
        return directory.deletingLastPathComponent().appendingPathComponent(
            "\(directory.lastPathComponent).backup-\(time)", isDirectory: true)
    }
}
