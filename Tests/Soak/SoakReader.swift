import Dispatch
import Foundation
import RealmSwift
import TestSupport

/// What a reader in another process has, as one line of text.
struct SoakReaderFigures: Codable {
    var round: Int
    var accountCount: Int
    var sum: Int
    var reportCount: Int
    var process: ProcessFigures
}

/// A read-only realm in this process, with observations on a queue. For each line on the standard
/// input it moves to the newest version and prints what it has.
final class SoakReader: @unchecked Sendable {
    private let queue = DispatchQueue(label: "reader")
    private var realm: Realm?
    private var tokens: [NotificationToken] = []
    private var reportCount = 0

    func run(_ path: String) throws {
        try queue.sync {
            let realm = try Realm(
                configuration: Realm.Configuration(
                    fileURL: URL(filePath: path, directoryHint: .isDirectory), readOnly: true,
                    objectTypes: SoakModels.types), queue: queue)
            self.realm = realm
            let accounts = realm.objects(SoakAccount.self)
            tokens = [
                accounts.where { $0.group == 1 }.observe { [unowned self] _ in reportCount += 1 },
                accounts.sorted(byKeyPath: "balance").observe { [unowned self] _ in
                    reportCount += 1
                },
                realm.observe { [unowned self] _, _ in reportCount += 1 },
            ]
        }
        while readLine() != nil {
            let figures = try queue.sync { try look() }
            print(String(decoding: try JSONEncoder().encode(figures), as: UTF8.self))
            fflush(nil)
        }
    }

    private func look() throws -> SoakReaderFigures {
        guard let realm else { throw CocoaError(.fileNoSuchFile) }
        _ = realm.refresh()
        let accounts = realm.objects(SoakAccount.self)
        return SoakReaderFigures(
            round: realm.objects(SoakRound.self).first?.number ?? 0, accountCount: accounts.count,
            sum: accounts.reduce(0) { $0 + $1.balance }, reportCount: reportCount,
            process: ProcessFigures.now(path: realm.configuration.fileURL?.path ?? ""))
    }
}

/// A reader that runs beside the soak.
final class SoakReaderProcess {
    private let program: RunningProgram

    init(_ path: String) throws {
        program = try RunningProgram(URL(filePath: CommandLine.arguments[0]), ["read", path])
    }

    /// Moves to the newest version; nil when the process has ended.
    func look() -> SoakReaderFigures? {
        program.writeLine()
        guard let line = program.readLine() else { return nil }
        return try? JSONDecoder().decode(SoakReaderFigures.self, from: Data(line.utf8))
    }
}
