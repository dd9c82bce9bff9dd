// Nothing else is imported: these are names of Foundation.
import RealmSwift
import Testing

@Suite("Importing RealmSwift alone")
struct FoundationNamesTests {
    @Test("brings Foundation along")
    func names() {
        let url = URL(fileURLWithPath: "/a/b.realm", isDirectory: true)
        let dates = [Date(timeIntervalSince1970: 0), Date.distantPast].sorted()
        #expect(url.lastPathComponent == "b.realm" && dates[0] == .distantPast)
        #expect(Data("a".utf8).count == 1 && NSNumber(value: 3).intValue == 3)
    }
}
