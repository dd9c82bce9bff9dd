import Foundation
import Testing

@testable import TravertineDocuments

@Suite("Agreement with pymongo")
struct PymongoTests {
    @Test("the committed documents read and write as pymongo wrote them, byte for byte")
    func committedDocuments() throws {
        let samples = try Pymongo.samples()
        #expect(samples.count == 60)
        for sample in samples { try check(sample) }
    }

    @Test("random documents read and write as pymongo's, and pymongo reads what is written here")
    func randomDocuments() throws {
        let seed = Int.random(in: 0..<1 << 40)
        print("documents against pymongo, seed \(seed)")
        let count = Pymongo.documentCount
        guard let lines = try Pymongo.run(["generate", String(seed), String(count)]) else {
            print(
                "BSON was not checked against pymongo: no Python here has it. "
                    + "TRAVERTINE_PYTHON may name one.")
            return
        }
        try #require(lines.count == count)
        let samples = try lines.map { try Pymongo.Sample(line: $0) }
        var input = ""
        for sample in samples {
            try check(sample)
            let document = try Document(bson: sample.bson)
            input += try document.extendedJSON(.canonical) + "\t" + document.extendedJSON() + "\n"
        }
        let answers = try #require(try Pymongo.run(["read"], input: input))
        try #require(answers.count == samples.count)
        for (sample, answer) in zip(samples, answers) {
            let expected = [sample.bson, sample.relaxedBSON].map(Pymongo.hexadecimal)
            #expect(answer == expected.joined(separator: " "), "seed \(seed)")
        }
    }

    private func check(_ sample: Pymongo.Sample) throws {
        let document = try Document(bson: sample.bson)
        #expect(try document.bson() == sample.bson, "\(document)")
        let canonical = try Document(extendedJSON: sample.canonical)
        #expect(try canonical.bson() == sample.bson, "\(sample.canonical)")
        let relaxed = try Document(extendedJSON: sample.relaxed)
        #expect(try relaxed.bson() == sample.relaxedBSON, "\(sample.relaxed)")
        let again = try Document(extendedJSON: document.extendedJSON(.canonical))
        #expect(try again.bson() == sample.bson)
    }
}
