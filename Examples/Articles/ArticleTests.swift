import Foundation
import Testing

@Suite("Articles")
struct ArticleTests {
    private static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    private static let catalogues = ["Travertine", "TravertineDocuments", "TravertineStore"].map {
        root.appendingPathComponent("Sources/\($0)/\($0).docc")
    }

    /// The lines of every Swift file of this target but this one.
    private static func snippets() throws -> [[Substring]] {
        try files(in: root.appendingPathComponent("Examples/Articles"), endingIn: ".swift")
            .filter { $0.lastPathComponent != "ArticleTests.swift" }.map { try lines(of: $0) }
    }

    @Test("every block of code in the articles is in a snippet whose results are expected")
    func blocks() throws {
        let snippets = try Self.snippets()
        var blockCount = 0
        for article in try Self.articles() {
            if Self.programs.contains(where: { article.path.hasSuffix($0) }) { continue }
            for block in Self.blocks(in: try Self.lines(of: article)) where !Self.begins(block) {
                blockCount += 1
                #expect(
                    snippets.contains { Self.stands(block, in: $0) },
                    """
                    \(article.lastPathComponent) has a block that is in no file of Examples/Articles:
                    \(block.joined(separator: "\n"))
                    """)
            }
        }
        #expect(blockCount > 50)
    }

    @Test("every block names its language, so that none goes unchecked")
    func languages() throws {
        for article in try Self.articles() {
            let fences = try Self.lines(of: article).filter { $0.hasPrefix("```") }
            let known = fences.enumerated().allSatisfy { place, fence in
                place % 2 == 1 ? fence == "```" : ["```swift", "```json", "```sh"].contains(fence)
            }
            #expect(known && fences.count % 2 == 0, "\(article.lastPathComponent): \(fences)")
        }
    }

    @Test("a block is found whatever its indentation, and not when a line differs")
    func matching() {
        let file: [Substring] = ["struct S {", "    func f() {", "", "        g()", "    }", "}"]
        #expect(Self.stands(["func f() {", "", "    g()", "}"], in: file))
        #expect(!Self.stands(["func f() {", "", "    h()", "}"], in: file))
        #expect(!Self.stands(["func f() {", "", "  g()", "}"], in: file))
        #expect(!Self.stands(["    }", "}", ""], in: file))
    }

    // MARK: Reading

    private static func articles() throws -> [URL] {
        try catalogues.flatMap { try files(in: $0, endingIn: ".md") }
    }

    private static func files(in directory: URL, endingIn suffix: String) throws -> [URL] {
        try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted()
            .filter { $0.hasSuffix(suffix) }.map { directory.appendingPathComponent($0) }
    }

    private static func lines(of file: URL) throws -> [Substring] {
        try String(contentsOf: file, encoding: .utf8)
            .split(separator: "\n", omittingEmptySubsequences: false)
    }

    /// The lines between each opening fence and its closing one.
    private static func blocks(in lines: [Substring]) -> [[Substring]] {
        var blocks: [[Substring]] = []
        var isInside = false
        for line in lines {
            if line.hasPrefix("```") {
                isInside.toggle()
                if isInside { blocks.append([]) }
            } else if isInside {
                blocks[blocks.count - 1].append(line)
            }
        }
        return blocks
    }

    /// Articles that only `Tools/try-articles` runs.
    private static let programs =
        ["Encryption", "GettingStarted", "ObjectFeeds", "Questions", "WhereFilesGo"].map {
            "/Travertine.docc/\($0).md"
        } + ["/TravertineStore.docc/ChangeFeeds.md"]

    /// Whether a block is what the program of an article begins with, for which the snippets have
    /// declarations of theirs.
    private static func begins(_ block: [Substring]) -> Bool {
        guard let first = block.first else { return false }
        return first.hasPrefix("import ") && !block.contains("import Testing")
    }

    // MARK: Comparing

    /// Whether the lines follow each other in a file, all moved to the right by one indentation.
    private static func stands(_ block: [Substring], in file: [Substring]) -> Bool {
        guard let first = block.first else { return false }
        return file.indices.contains { start in
            guard file.count - start >= block.count, file[start].hasSuffix(first) else {
                return false
            }
            let indentation = file[start].dropLast(first.count)
            guard indentation.allSatisfy({ $0 == " " }) else { return false }
            return zip(block, file[start...]).allSatisfy { line, compiled in
                line.isEmpty ? compiled.isEmpty : indentation + line == compiled
            }
        }
    }
}
