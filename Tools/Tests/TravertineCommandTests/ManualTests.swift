import Foundation
import TestSupport
import Testing

@testable import TravertineCommand

@Suite("manual pages, completions and their installation")
struct ManualTests {
    private let workspace: Workspace

    init() throws { workspace = Workspace() }

    @Test("each listed command has a page with its options, examples and statuses")
    func pages() throws {
        let run = try workspace.run("manual", "man")
        #expect(run.status == 0, "\(run.errors)")
        let command = try CommandDescription.ofTravertine()
        let all = try FileManager.default.contentsOfDirectory(atPath: workspace.url("man").path)
        let names = command.listedSubcommands.map { "travertine-\($0.commandName).1" }
        #expect(
            all.sorted()
                == (names + [
                    "travertine.1", "travertine-schema-print.1", "travertine-schema-dev.1",
                ])
                .sorted())
        for sub in command.listedSubcommands {
            let page = try workspace.text(of: "man/travertine-\(sub.commandName).1")
            #expect(page.contains(".SH SYNOPSIS\n.B travertine "))
            for option in (sub.arguments ?? []).flatMap({ $0.names ?? [] }) {
                let shown = option.shown.replacingOccurrences(of: "-", with: "\\-")
                #expect(page.contains("\\fB\(shown)\\fR"), "\(shown) of \(sub.commandName)")
            }
            if sub.commandName == "schema" { continue }
            #expect(page.contains(".EX\ntravertine \(sub.commandName.manual)"), "\(page)")
            #expect(page.contains(".SH EXIT STATUS"), "\(page)")
            #expect(!page.contains("Statuses: "), "\(page)")
        }
        let top = try workspace.text(of: "man/travertine.1")
        #expect(top.contains(".SH COMMANDS") && top.contains(".B export\n"), "\(top)")
    }

    @Test("the formatter of manual pages finds nothing to complain about")
    func formatting() throws {
        guard try CommandRun(found: "groff", ["--version"]).status == 0 else { return }
        #expect(try workspace.run("manual", "man").status == 0)
        for name in try FileManager.default.contentsOfDirectory(
            atPath: workspace.url("man").path)
        {
            let page = workspace.url("man/" + name).path
            let run = try CommandRun(found: "groff", ["-man", "-Tutf8", "-ww", "-z", page])
            #expect(run.status == 0 && run.errors.isEmpty, "\(name): \(run.errors)")
        }
    }

    @Test("Tools/install puts the program, its pages and completions below a prefix")
    func install() throws {
        let script = ProjectFiles.url("Tools/install").path
        let prefix = workspace.url("a b").path
        let program = try CommandRun.executable().path
        let run = try CommandRun(
            found: "bash", [script, "--prefix", prefix, "--program", program])
        #expect(run.status == 0, "\(run.errors)")
        let files = [
            "bin/travertine", "share/man/man1/travertine.1", "share/man/man1/travertine-diff.1",
            "share/bash-completion/completions/travertine",
            "share/zsh/site-functions/_travertine",
            "share/fish/vendor_completions.d/travertine.fish",
        ]
        for file in files {
            #expect(run.lines.contains(prefix + "/" + file), "\(run.output)")
            let text = try Data(contentsOf: workspace.url("a b/" + file))
            #expect(!text.isEmpty)
        }
        #expect(run.errors.contains("is not in PATH"))
        let version = try CommandRun(workspace.url("a b/bin/travertine"), ["--version"])
        #expect(version.output.hasPrefix("travertine "))
        let bash = workspace.url("a b/share/bash-completion/completions/travertine").path
        #expect(try CommandRun(found: "bash", ["-n", bash]).status == 0)
        let again = try CommandRun(
            found: "bash", [script, "--prefix", prefix, "--program", program])
        #expect(again.status == 0, "\(again.errors)")
    }

    @Test(
        "wrong arguments of Tools/install end with a message",
        arguments: [
            (["--prefix"], 64), (["--frob"], 64), (["--prefix", ""], 64),
            (["--program", "/nowhere/travertine", "--prefix", "/nowhere"], 66),
        ] as [([String], Int32)])
    func wrongInstallation(arguments: [String], status: Int32) throws {
        let script = ProjectFiles.url("Tools/install").path
        let run = try CommandRun(found: "bash", [script] + arguments)
        #expect(run.status == status && run.errors.hasPrefix("Tools/install: "), "\(run.errors)")
    }
}

extension String {
    /// The text as a manual page has it.
    fileprivate var manual: String { replacingOccurrences(of: "-", with: "\\-") }
}
