import Foundation
import StudioPage
import Testing

@Suite("Files of the page")
struct PageTests {
    private static let directory = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Page", isDirectory: true)

    @Test("the program has the files as they are: run Studio/embed after a change")
    func embeddedFilesAreUpToDate() throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: Self.directory.path)
        #expect(Set(names.map { "/\($0)" }) == Set(StudioPage.files.keys))
        for name in names {
            let text = try String(
                contentsOf: Self.directory.appendingPathComponent(name), encoding: .utf8)
            // A literal has no line end at its end.
            #expect(StudioPage.files["/\(name)"].map { $0.text + "\n" } == text, "\(name)")
        }
    }

    @Test("nothing comes from elsewhere, and nothing is inline")
    func nothingForeign() {
        let namespace = "http://www.w3.org/2000/svg"
        for (name, file) in StudioPage.files {
            let text = file.text.replacing(namespace, with: "")
            #expect(!text.contains("http://") && !text.contains("https://"), "\(name)")
            #expect(!text.contains("innerHTML") && !text.contains("insertAdjacentHTML"), "\(name)")
            #expect(!text.contains("eval(") && !text.contains("new Function"), "\(name)")
        }
        let page = StudioPage.files["/index.html"]?.text ?? ""
        #expect(page.contains("<script type=\"module\" src=\"/main.js\"></script>"))
        #expect(page.components(separatedBy: "<script").count == 2)
        #expect(!page.contains("<style") && !page.contains("style=") && !page.contains("onclick"))
    }
}
