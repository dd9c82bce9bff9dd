import Dispatch
import Foundation
import RealmSwift
import TestSupport
import Testing

@testable import Travertine

/// What is logged, and how much of it. Loggers and levels belong to the process: one test at a
/// time, and messages of other tests have another path.
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

    /// Opens a realm in which `name` is stored with the classes that have `title` in its place.
    private func renameTitle(
        _ block: MigrationBlock?, isFilled: Bool = true, to later: Object.Type = LoggedTitle.self
    ) throws {
        do {
            let realm = try directory.open([LoggedBook.self])
            if isFilled { try realm.write { realm.add(LoggedBook(value: ["name": "a"])) } }
        }
        _ = try Realm(
            configuration: Realm.Configuration(
                fileURL: directory.url, schemaVersion: 1, migrationBlock: block,
                objectTypes: [later]))
    }

    @Test(
        "a removed property that may have been renamed is named at .warn", arguments: [false, true])
    func forgottenRenaming(hasBlock: Bool) throws {
        try logging { messages in
            let nothing: MigrationBlock = { _, _ in }
            try renameTitle(hasBlock ? nothing : nil)
            #expect(
                messages.has(
                    "warn Realm.Storage: ", "'LoggedBook.name' was removed with its values",
                    "renameProperty(onType: \"LoggedTitle\", from: \"name\", to: \"title\")"))
        }
    }

    @Test(
        "a removed property that can't have been renamed is named at .info, if it had values",
        arguments: [false, true])
    func removal(isFilled: Bool) throws {
        try logging { messages in
            try renameTitle(nil, isFilled: isFilled, to: LoggedYear.self)
            #expect(
                messages.has(
                    "info Realm.Storage: ", "'LoggedBook.name' was removed with its values.")
                    == isFilled)
            #expect(!messages.has("warn "))
        }
    }

    @Test("a property that was renamed or made of another, or had no values, is not named")
    func keptValues() throws {
        try logging { messages in
            try renameTitle { migration, _ in
                migration.renameProperty(onType: "LoggedTitle", from: "name", to: "title")
            }
            #expect(messages.has("migrated") && !messages.has("was removed"))
        }
        try Realm.deleteFiles(for: Realm.Configuration(fileURL: directory.url))
        try logging { messages in
            try renameTitle { migration, _ in
                migration.enumerateObjects(ofType: "LoggedTitle") { old, new in
                    new?["title"] = old?["name"]
                }
            }
            #expect(messages.has("migrated") && !messages.has("was removed"))
        }
        try Realm.deleteFiles(for: Realm.Configuration(fileURL: directory.url))
        try logging { messages in
            try renameTitle(nil, isFilled: false)
            #expect(messages.has("migrated") && !messages.has("was removed"))
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

    @Test(
        "asynchronous writes that wait for a transaction which could not begin are logged at .warn")
    func waiting() throws {
        try logging { messages in
            let queue = DispatchQueue(label: "writing")
            let (reports, held) = (SharedReports(), Held())
            try queue.sync {
                let realm = try Realm(
                    configuration: Realm.Configuration(
                        fileURL: directory.url, objectTypes: [LoggedBook.self]), queue: queue)
                realm.session.damage = Realm.Error(.fail, "a row is damaged")
                realm.beginWrite()
                realm.writeAsync {
                    realm.create(LoggedBook.self)
                } onComplete: {
                    reports.note($0.map { "\($0)" } ?? "written")
                }
                held.realm = realm
                #expect(!messages.has("asynchronous"))
            }
            // Its turn came before this.
            queue.sync {
                #expect(
                    messages.has(
                        "warn Realm.Storage: ",
                        "1 asynchronous write(s) on the queue 'writing' wait",
                        "a row is damaged"))
                held.realm?.cancelWrite()
            }
            #expect(reports.wait { $0 == ["written"] })
            queue.sync { held.realm = nil }
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

class LoggedBook: Object {
    @Persisted var name: String
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// The same without the name.
class LoggedYear: Object {
    @Persisted var year: Int
    override class func _realmObjectName() -> String? { "LoggedBook" }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// The same, later.
class LoggedTitle: Object {
    @Persisted var title: String
    override class func _realmObjectName() -> String? { "LoggedBook" }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}
