import Foundation
import TestSupport
import Testing

@Suite("documentation")
struct DocumentationTests {
    private let root = ProjectFiles.root

    @Test("the Swift code of the README is the code that Examples/QuickStart compiles")
    func readme() throws {
        let readme = try text("README.md")
        let blocks = readme.components(separatedBy: "```swift\n").dropFirst()
            .compactMap { $0.components(separatedBy: "\n```").first }
        let compiled = try ["Objects.swift", "KeysAndValues.swift"].map {
            try text("Examples/QuickStart/\($0)").trimmingCharacters(in: .newlines)
        }
        #expect(blocks == compiled)
    }

    @Test("what the README says about the bundled data is so")
    func data() throws {
        let cities = try text("Examples/Data/cities.jsonl").split(separator: "\n").count
        let countries = try text("Examples/Data/countries.jsonl").split(separator: "\n").count
        #expect(cities == 1500)
        #expect(countries == 252)
        #expect(try text("README.md").contains("252 countries and 1,500 cities"))
        let licence = try text("Examples/Data/README.md")
        #expect(licence.contains("GeoNames") && licence.contains("CC BY 4.0"))
    }

    private func text(_ path: String) throws -> String {
        try String(contentsOf: ProjectFiles.url(path), encoding: .utf8)
    }
}
