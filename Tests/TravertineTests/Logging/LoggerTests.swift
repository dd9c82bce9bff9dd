import Foundation
import RealmSwift
import TestSupport
import Testing

/// What is logged, and how much of it. Loggers and levels belong to the process: one test at a time,
/// and messages of other tests have another path.
@Suite("Logging", .serialized)
struct LoggerTests {
    let directory = try! TemporaryDirectory()

    private final class Messages: @unchecked Sendable {
        private let lock = NSLock()
        private var all: [String] = []

        func add(_ message: String) { lock.withLock { all.append(message) } }
        func has(_ texts: String...) -> Bool {
            lock.withLock { all.contains { message in texts.allSatisfy(message.contains) } }
        }
    }

    /// Runs `body` with a logger that keeps the messages about this test's directory.
    private func logging(_ body: (Messages) throws -> Void) rethrows {
        let messages = Messages()
        let path = directory.url.path
        let before = Logger.shared
        let level = Logger.logLevel(for: Category.realm)
        Logger.shared = Logger { level, category, message in
            if message.contains(path) {
                messages.add("\(level) \(category.rawValue): \(message)")
            }
        }
        defer {
            Logger.shared = before
            Logger.setLogLevel(level)
        }
        try body(messages)
    }

    @Test("a level holds for a category and what it contains, and for no other")
    func levels() {
        #expect(Logger.logLevel(for: Category.realm) == .info)
        defer { Logger.setLogLevel(.info) }
        Logger.setLogLevel(.warn, for: Category.Storage.all)
        #expect(Logger.logLevel(for: Category.Storage.notification) == .warn)
        #expect(Logger.logLevel(for: Category.sdk) == .info)
        Logger.setLogLevel(.all, for: Category.Storage.notification)
        #expect(Logger.logLevel(for: Category.Storage.all) == .warn)
        #expect(Logger.logLevel(for: Category.Storage.notification) == .all)
        Logger.setLogLevel(.off)
        for category in Category.Storage.allCases {
            #expect(Logger.logLevel(for: category) == .off)
        }
        #expect("\(LogLevel.detail)" == "detail")
    }

    @Test("opening is logged at .detail, and not without that")
    func opening() throws {
        try logging { messages in
            _ = try directory.open([ObservedPet.self, ObservedOwner.self, ObservedAddress.self])
            #expect(!messages.has("opened"))
            Logger.setLogLevel(.detail)
            _ = try directory.open([ObservedPet.self, ObservedOwner.self, ObservedAddress.self])
            #expect(messages.has("detail Realm.Storage: ", "opened ("))
        }
    }

    @Test("a migration and a compaction that the configuration asked for are logged at .info")
    func migration() throws {
        try logging { messages in
            let types = [ObservedPet.self, ObservedOwner.self, ObservedAddress.self]
            _ = try directory.open(types)
            #expect(!messages.has("migrated"))
            var configuration = Realm.Configuration(
                fileURL: directory.url, schemaVersion: 3, migrationBlock: { _, _ in },
                objectTypes: types)
            configuration.shouldCompactOnLaunch = { _, _ in true }
            _ = try Realm(configuration: configuration)
            #expect(messages.has("info Realm.Storage: ", "migrated from schema version 0 to 3"))
            #expect(messages.has("info Realm.Storage: ", "compacted"))
        }
    }

    @Test("a refresh is logged at .debug")
    func refreshing() throws {
        try logging { messages in
            let types = [ObservedPet.self, ObservedOwner.self, ObservedAddress.self]
            let writer = try directory.open(types)
            try writer.write { _ = writer.create(ObservedPet.self) }
            let reader = try Realm(
                configuration: Realm.Configuration(
                    fileURL: directory.url, objectTypes: types,
                    durability: .interval(milliseconds: 9)))
            _ = reader.objects(ObservedPet.self).count
            try writer.write { _ = writer.create(ObservedPet.self) }
            #expect(reader.refresh())
            #expect(!messages.has("shows LSN"))
            Logger.setLogLevel(.debug, for: Category.Storage.notification)
            try writer.write { _ = writer.create(ObservedPet.self) }
            #expect(reader.refresh())
            #expect(messages.has("debug Realm.Storage.Notification: ", "shows LSN"))
        }
    }

    private struct Unknown: LogCategory {
        var rawValue: String { "Realm.Storages" }
    }

    @Test("a category that is not the library's is refused")
    func unknown() async {
        let outcome = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            Logger.setLogLevel(.off, for: Unknown())
        }
        #expect(outcome.errorText.contains("no log category 'Realm.Storages'"))
    }
}
