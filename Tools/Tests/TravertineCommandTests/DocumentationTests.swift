import Foundation
import TestSupport
import Testing

@Suite("documentation")
struct DocumentationTests {
    private let root = ProjectFiles.root

    @Test("the README depends on the newest release, which has a date in the changelog")
    func version() throws {
        let headings = try text("CHANGELOG.md").matches(
            of: /(?m)^## (\d+\.\d+\.\d+) - \d{4}-\d\d-\d\d$/)
        let newest = try #require(headings.first).output.1
        let packages = try text("README.md").matches(of: /\.package\(url: .*, from: "(.*)"\)/)
        #expect(packages.map(\.output.1) == [newest])
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
