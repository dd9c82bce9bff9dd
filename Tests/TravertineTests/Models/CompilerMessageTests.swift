import TestSupport

#if os(Linux)
    import Foundation
    import Testing

    /// A misspelt name in a condition of five terms once kept the compiler busy for minutes, and it
    /// then said nothing of use. Here it checks programs that are wrong, and says what it should.
    @Suite("What the compiler says of wrong programs")
    struct CompilerMessageTests {
        @Test("is quick, in the right line, and in words that lead on")
        func messages() throws {
            let workspace = Workspace()
            try workspace.write(WrongProgram.source, to: "Wrong.swift")
            let said = try compile(workspace.url("Wrong.swift"))
            let lines = WrongProgram.source.split(
                separator: "\n", omittingEmptySubsequences: false)
            for (number, line) in lines.enumerated() {
                let errors = said.filter { $0.line == number + 1 }.map(\.text)
                guard let comment = line.range(of: "// says: ") else {
                    #expect(errors.isEmpty, "\(line)\n\(errors)")
                    continue
                }
                let wanted = String(line[comment.upperBound...])
                #expect(errors.contains { $0.contains(wanted) }, "\(line)\n\(errors)")
                #expect(!errors.contains { $0.contains("reasonable time") }, "\(line)")
            }
            withExtendedLifetime(workspace) {}
        }

        private struct Message {
            var line: Int
            var text: String
        }

        /// The errors in a file, each expression of which is given five seconds.
        private func compile(_ file: URL) throws -> [Message] {
            let program = try FileManager.default.destinationOfSymbolicLink(
                atPath: "/proc/self/exe")
            let products = URL(fileURLWithPath: program).deletingLastPathComponent()
            let arguments = [
                "-typecheck", "-swift-version", "6", "-diagnostic-style", "llvm",
                "-Xfrontend", "-solver-expression-time-threshold=5",
                "-I", products.appendingPathComponent("Modules").path,
                "-I", ProjectFiles.url("Sources/CLZ4").path,
                "-Xcc",
                "-fmodule-map-file="
                    + products.appendingPathComponent("CPlatform.build/module.modulemap").path,
                file.path,
            ]
            let run = try CommandRun(found: "swiftc", arguments)
            #expect(run.status == 1, "\(run.errors)")
            return run.errors.split(separator: "\n").compactMap { line in
                // Wrong.swift:12:5: error: …
                guard line.hasPrefix(file.path), line.contains(": error: ") else { return nil }
                let parts = line.dropFirst(file.path.count).split(
                    separator: ":", maxSplits: 3, omittingEmptySubsequences: true)
                guard parts.count == 4, let number = Int(parts[0]) else { return nil }
                return Message(line: number, text: String(parts[3]))
            }
        }
    }

    /// Wrong programs; a comment after each wrong line has what the compiler must say.
    private enum WrongProgram {
        static let source = #"""
            import Dispatch
            import RealmSwift

            class Town: Object {
                @Persisted var name: String
                @Persisted var population: Int
                @Persisted var area: Double
                @Persisted var land: Land?
                @Persisted var isCapital: Bool
                @Persisted var founded: Int?
                @Persisted var sights: List<Sight>
                @Persisted var heights: List<Int>
            }
            class Land: Object { @Persisted var code: String }
            class Sight: Object { @Persisted var height: Int }
            class TownView: Projection<Town> { @Projected(\Town.name) var name }

            // Live 3, T-L4b: after the `await` it could be on another thread.
            func withoutActor() async throws {
                let realm = try Realm() // says: expression is 'async' but is not marked with 'await'
                await Task.yield()
                _ = realm.isEmpty
            }

            // With nil it is the realm of the thread, as in the function above.
            func withoutQueue(_ configuration: Realm.Configuration, _ queue: DispatchQueue?) async throws {
                _ = try Realm(configuration: configuration, queue: nil) // says: unavailable from asynchronous contexts
                _ = try Realm(queue: queue) // says: unavailable from asynchronous contexts
                _ = try Realm(configuration: configuration, queue: .main)
                _ = try Realm(queue: DispatchQueue(label: "own"))
            }
            func onThread(_ queue: DispatchQueue?) throws -> [Realm] {
                [try Realm(queue: nil), try Realm(queue: queue), try Realm(queue: .main)]
            }

            func misspelt(_ all: Results<Town>, _ views: Results<TownView>) {
                _ = all.where {
                    $0.population > 3 && $0.area < 3.5 && $0.land.code == "PT"
                        && $0.nam == "a" // says: no dynamic member 'nam'
                        && $0.isCapital && $0.founded != nil
                }
                _ = all.where {
                    ($0.population > 3 || $0.name == "a") && !($0.area < 3.5 && $0.isCapital)
                        && $0.land.cod == "PT" // says: no dynamic member 'cod'
                        && $0.founded != nil
                }
                _ = all.where {
                    $0.population > 3 && $0.area < 3.5 && $0.land.code == "PT"
                        && $0.nam.contains("a") // says: no dynamic member 'nam'
                        && $0.isCapital && $0.founded != nil
                }
                _ = views.where {
                    $0.population > 3 && $0.area < 3.5 && $0.land.code == "PT"
                        && $0.nam == "a" // says: no dynamic member 'nam'
                        && $0.isCapital && $0.founded != nil
                }
            }

            func ofAnotherType(_ all: Results<Town>) {
                _ = all.where {
                    $0.population > 3 && $0.area < 3.5
                        && $0.name == 5 // says: cannot convert value of type 'Int' to expected argument type 'String'
                        && $0.isCapital && $0.land.code == "PT" && $0.founded != nil
                }
                _ = all.where {
                    $0.isCapital && $0.area < 3.5 && $0.name == "a"
                        && $0.population > "3" // says: cannot convert value of type 'String' to expected argument type 'Int'
                        && $0.land.code == "PT" && $0.founded != nil
                }
                _ = all.where {
                    $0.isCapital && $0.area < 3.5 && $0.name == "a"
                        && $0.population > $0.name // says: operator function '>' requires the types
                        && $0.land.code == "PT" && $0.founded != nil
                }
                _ = all.where {
                    $0.isCapital && $0.area < 3.5 && $0.name == "a"
                        && $0.heights == "3" // says: cannot convert value of type 'String' to expected argument type 'Int'
                        && $0.land.code == "PT" && $0.founded != nil
                }
                _ = all.where { $0.population } // says: cannot convert value of type 'Query<Int>' to closure result type 'Query<Bool>'
                _ = all.where { population > 3 && $0.area < 3 } // says: cannot find 'population' in scope
                _ = all.where { $0.land?.code == "PT" } // says: cannot use optional chaining on non-optional value
            }

            func swiftNames(_ all: Results<Town>) {
                _ = all.where {
                    $0.population > 3 && $0.area < 3.5
                        && $0.name.hasPrefix("a") // says: renamed to 'starts(with:)'
                }
                _ = all.where { $0.name.hasSuffix("a") } // says: renamed to 'ends(with:)'
                _ = all.where { $0.name.lowercased() == "a" } // says: use equals(text, options: .caseInsensitive)
                _ = all.where { $0.name.isEmpty } // says: compare with an empty string
                _ = all.where { $0.sights.isEmpty } // says: .count == 0
                _ = all.where { $0.sights.contains { $0.height > 3 } } // says: name a property of the elements
                _ = all.where { $0.sights.allSatisfy { $0.height > 3 } } // says: compare all of them
                _ = all.where { $0.heights.average > 3 } // says: renamed to 'avg'
                _ = all.where {
                    $0.population > 3 && $0.area < 3.5 && $0.isCapital
                        && $0.name.uppercase() == "a" // says: no dynamic member 'uppercase'
                        && $0.founded != nil && $0.land.code == "PT"
                }
                _ = all.where {
                    $0.population > 3 && $0.area < 3.5 && $0.isCapital
                        && $0.name.starts("a") // says: renamed to 'starts(with:)'
                        && $0.founded != nil && $0.land.code == "PT"
                }
                _ = all.where {
                    $0.population > 3 && $0.area < 3.5 && $0.isCapital
                        && $0.sights.heigt.avg > 3 // says: no dynamic member 'heigt'
                        && $0.founded != nil && $0.land.code == "PT"
                }
            }

            class Wrong: Object {
                @Persisted var town: Town // says: make it optional, as in `Dog?`
                @Persisted var numbers: [Int] // says: `List<Int>`
                @Persisted var texts: Set<String> // says: `MutableSet<Int>`
                @Persisted var named: [String: Int] // says: `Map<String, Int>`
                @Persisted var found: Results<Town> // says: LinkingObjects
                @Persisted var size: UInt // says: 'UInt' conform to '_Persistable'
            }

            class Named: Object {
                @Persisted var name: String
                init(name: String) { super.init() }
            } // says: 'required' initializer 'init(_byOverrideInit:)' must be provided
            class Both: Object {
                @Persisted var name: String
                override init() { super.init() }
                init(name: String) { super.init() }
            }
            func generic<T: RealmCollectionValue>(_ list: List<T>) -> T.PersistedType? { list.first?._persisted }
            func sum<T: RealmCollectionValue>(_ list: List<T>) -> T where T.PersistedType: AddableType { list.sum() }

            enum Kind: String, RealmEnum { case a } // says: renamed to 'PersistableEnum'

            func missing(_ realm: Realm, _ town: Town, _ map: Map<String, Int>) throws {
                let all = realm.objects(Town.self)
                let wrapped: ObservedResults<Town> // says: use observe(_:), the sequence of `changes`
                _ = RealmPublishers.self // says: use observe(_:), or the sequence of `changes`
            }

            class OwnNames: Object {
                @Persisted var autorefresh: Bool
                func freeze() {}
                func thaw() -> Int { 3 }
                func observe() {}
            }
            """#
    }
#endif
