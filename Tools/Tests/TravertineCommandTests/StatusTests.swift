import ArgumentParser
import Testing
import Travertine
import TravertineStore

@testable import TravertineCommand

/// The statuses that errors end with.
@Suite("statuses of errors")
struct StatusTests {
    private struct Unheard: Error {}

    private static let errors: [any Error] = [
        Unheard(), Realm.Error(.duplicatePrimaryKey, "twice"),
        Realm.Error(
            .fileAccess, "no", underlying: StoreError(.permissionDenied, "no")),
        StoreError(.io, "no"), StoreError(.locked, "no"), CommandError(ExitStatus.badData, "no"),
    ]

    // 1 is what fsck(8) says when everything was repaired.
    @Test(
        "whatever stops fsck and recover ends with 8", arguments: ["fsck", "recover"],
        errors.indices)
    func operational(subcommand: String, place: Int) {
        let report = ErrorReport(Self.errors[place], subcommand: subcommand)
        #expect(report.status == 8, "\(report.text)")
        #expect(!report.text.isEmpty && !report.isHelp)
    }

    @Test(
        "what fsck found, wrong arguments and help have their own", arguments: ["fsck", "recover"])
    func ownStatuses(subcommand: String) {
        for status: Int32 in [1, 4] {
            #expect(ErrorReport(ExitCode(status), subcommand: subcommand).status == status)
        }
        let wrong = ErrorReport(ValidationError("no"), subcommand: subcommand)
        #expect(wrong.status == 16)
        let help = ErrorReport(CleanExit.message("help"), subcommand: subcommand)
        #expect(help.status == 0 && help.isHelp)
    }

    @Test("other commands end as sysexits.h has it")
    func others() {
        let statuses = Self.errors.map { ErrorReport($0, subcommand: "stat").status }
        #expect(statuses == [1, 65, 77, 74, 75, 65])
        #expect(ErrorReport(ValidationError("no"), subcommand: "stat").status == 64)
    }
}
