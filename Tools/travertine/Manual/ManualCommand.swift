import ArgumentParser
import Foundation

/// `travertine manual`: writes the manual pages. `Tools/install` runs it; it is not listed.
struct ManualCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "manual",
        abstract: "Write the manual pages of all commands.",
        discussion: """
            They are made from what --help prints.

              travertine manual share/man/man1

            Statuses: 0 done; 64 wrong arguments; 74 writing failed; 77 permission denied.
            """,
        shouldDisplay: false)

    @Argument(help: "The directory to write to, which is made if it is missing.")
    var directory: String

    func run() throws {
        let folder = URL(fileURLWithPath: directory, isDirectory: true)
        let command = try CommandDescription.ofTravertine()
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            for page in ManualPage.all(of: command) {
                let file = folder.appendingPathComponent(page.name + ".1")
                try Data(page.text.utf8).write(to: file, options: .atomic)
            }
        } catch {
            throw CommandError(
                FileFailure.status(error),
                "\(directory) can't be written: \(FileFailure.text(error)).")
        }
    }
}
