import Testing

@testable import StoreFixtures
@testable import TravertineStore

/// A closed store whose copy lost the zeros at the end of its newest segment, as sparse copies may.
@Suite struct ShortSegmentTests {
    @Test(
        "a segment without its zero tail is appended to and read at once",
        arguments: [ReadMode.mapped, .verified])
    func shortSegment(readMode: ReadMode) throws {
        let machine = SimulatedMachine(seed: 2)
        let first = try Store.open(at: SimulatedMachine.path, options: machine.options())
        try first.write { try $0.put("1", forKey: "a") }
        try first.close()
        let path = try #require(machine.disk.paths.first { $0.hasSuffix(".segment") })
        let bytes = try #require(machine.disk.contents(of: path))
        let end = try #require(bytes.lastIndex { $0 != 0 }) + 8
        machine.disk.setContents(of: path, Array(bytes.prefix(end)))

        let store = try Store.open(at: SimulatedMachine.path, options: machine.options(readMode))
        #expect(store.readsAsText("a") == "1")
        try store.write { try $0.put("2", forKey: "b") }
        #expect(store.readsAsText("b") == "2")
        try store.write { transaction in
            try #expect(transaction.get("b") == Array("2".utf8))
        }
        try store.close()
        let again = try Store.open(at: SimulatedMachine.path, options: machine.options())
        #expect(again.readsAsText("a") == "1")
        #expect(again.readsAsText("b") == "2")
        try again.close()
    }
}
