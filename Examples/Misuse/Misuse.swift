import Foundation
import Travertine

/// Makes each mistake in its own process, and looks at what that says before it stops.
///
/// The optimiser removes the texts of the language's own checks: built as an app is shipped, a
/// mistake would end with a bare signal. `Tools/test` runs this, built for release.
@main
enum Misuse {
    static func main() throws {
        if let name = CommandLine.arguments.dropFirst().first {
            guard let mistake = Mistake.all.first(where: { $0.name == name }) else {
                throw CocoaError(.fileNoSuchFile)
            }
            try make(mistake)
            return
        }
        var silent: [String] = []
        for mistake in Mistake.all {
            let (said, stopped) = try said(by: mistake.name)
            if stopped, said.contains(mistake.message) {
                continue
            }
            silent.append("\(mistake.name): \(said.isEmpty ? "nothing" : said)")
        }
        print("\(Mistake.all.count) mistakes, \(silent.count) without the right words")
        if silent.isEmpty { return }
        print(silent.joined(separator: "\n"))
        exit(1)
    }

    private static func make(_ mistake: Mistake) throws {
        let configuration = Realm.Configuration(
            inMemoryIdentifier: "misuse", objectTypes: [Ship.self, Sailor.self])
        let realm = try Realm(configuration: configuration)
        let ship = Ship(value: ["id": 1, "name": "Ada", "crew": [["name": "Rex", "age": 30]]])
        ship.flags.insert("red")
        try realm.write { realm.add(ship) }
        try mistake.body(realm, ship)
    }

    /// What a process that makes a mistake writes to standard error, and whether it failed.
    private static func said(by name: String) throws -> (text: String, stopped: Bool) {
        let process = Process()
        process.executableURL = URL(filePath: CommandLine.arguments[0])
        process.arguments = [name]
        process.environment = ProcessInfo.processInfo.environment.merging(
            ["SWIFT_BACKTRACE": "enable=no"]) { $1 }
        let errors = Pipe()
        process.standardError = errors
        try process.run()
        let text = errors.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (String(decoding: text, as: UTF8.self), process.terminationStatus != 0)
    }
}
