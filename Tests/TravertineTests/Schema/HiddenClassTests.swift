import Foundation
import TestSupport
import Testing

@Suite("Classes without reflection metadata")
struct HiddenClassTests {
    @Test(
        "a class built with -disable-reflection-metadata is refused, and the error names the flag",
        .enabled(
            if: Compiler.found != nil,
            "needs swiftc, and the build's modules and object files beside the tests"))
    func refused() throws {
        let compiler = try #require(Compiler.found)
        let program = """
            import Travertine
            class Base: Object {
                @Persisted var name: String
            }
            class Derived: Base {
                @Persisted var count: Int
            }
            @main enum Main {
                static func main() {
                    do {
                        _ = try Realm(
                            configuration: Realm.Configuration(
                                inMemoryIdentifier: "hidden",
                                objectTypes: [Base.self, Derived.self]))
                        print("opened")
                    } catch {
                        print(error)
                    }
                }
            }
            """
        let described = try compiler.run(program, [])
        #expect(described == "opened\n")
        let hidden = try compiler.run(program, ["-Xfrontend", "-disable-reflection-metadata"])
        #expect(hidden.contains("The properties of 'Base' can't be found"))
        #expect(hidden.contains("The properties of 'Derived' can't be found"))
        #expect(hidden.contains("-disable-reflection-metadata"))
    }
}

/// Builds small programs with the library as it was built for the tests.
private struct Compiler {
    let products: URL
    let sources: URL

    /// Nil where something that is needed is missing.
    static let found: Compiler? = {
        let sources = ProjectFiles.url("Sources")
        var products = URL(filePath: CommandLine.arguments[0]).resolvingSymlinksInPath()
        let manager = FileManager.default
        for _ in 0..<6 {
            products.deleteLastPathComponent()
            let compiler = Compiler(products: products, sources: sources)
            let module = products.appending(path: "Modules/Travertine.swiftmodule")
            guard manager.fileExists(atPath: module.path) else { continue }
            guard let text = try? CommandRun(found: "swiftc", ["--version"]).output,
                text.contains("Swift"), !compiler.objectFiles.isEmpty
            else { return nil }
            return compiler
        }
        return nil
    }()

    private var objectFiles: [String] {
        [
            "Travertine", "StoreMaintenance", "TravertineJSON", "TravertineStore", "SegmentLog",
            "Ciphers", "OrderedIndex", "Locks", "CPlatform",
        ].flatMap {
            let folder = products.appending(path: "\($0).build")
            let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
            // Objects of files that were removed or renamed stay in the folder.
            let files = FileManager.default.enumerator(atPath: sources.appending(path: $0).path)
            let known = Set((files?.compactMap { $0 as? NSString } ?? []).map(\.lastPathComponent))
            return names.filter { $0.hasSuffix(".o") && known.contains(String($0.dropLast(2))) }
                .map { folder.appending(path: $0).path }
        } + cipherObjectFiles
    }

    /// Those of swift-crypto, which the project's own builds have.
    private var cipherObjectFiles: [String] {
        [
            "Crypto", "CryptoBoringWrapper", "CCryptoBoringSSL", "CCryptoBoringSSLShims", "CXKCP",
            "CXKCPShims",
        ].flatMap { name in
            let folder = products.appending(path: "\(name).build")
            let names = FileManager.default.enumerator(atPath: folder.path)?
                .compactMap { $0 as? String }
            return (names ?? []).filter { $0.hasSuffix(".o") }
                .map { folder.appending(path: $0).path }
        }
    }

    /// What a program prints.
    func run(_ program: String, _ flags: [String]) throws -> String {
        let workspace = Workspace()
        try workspace.write(program, to: "Program.swift")
        let source = workspace.url("Program.swift")
        let binary = workspace.url("program")
        let modules = [
            products.appending(path: "CPlatform.build/module.modulemap"),
            sources.appending(path: "CLZ4/module.modulemap"),
        ]
        let compilation = try CommandRun(
            found: "swiftc",
            ["-parse-as-library", source.path, "-o", binary.path]
                + ["-I", products.appending(path: "Modules").path] + flags
                + modules.flatMap { ["-Xcc", "-fmodule-map-file=\($0.path)"] } + objectFiles
                + (cipherObjectFiles.isEmpty ? [] : ["-lstdc++"]))
        try #require(compilation.status == 0, "swiftc said: \(compilation.errors)")
        let run = try CommandRun(binary, [])
        return run.output + run.errors
    }
}
