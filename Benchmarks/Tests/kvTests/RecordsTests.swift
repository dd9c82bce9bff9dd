import Measurement
import Testing

@testable import kv

@Suite("Records")
struct RecordsTests {
    private func value(_ records: Records, _ number: UInt64, _ generation: UInt64) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: records.valueByteCount)
        bytes.withUnsafeMutableBytes {
            records.writeValue(number, generation: generation, to: $0)
        }
        return bytes
    }

    @Test("the digest depends on the record and not on the generation", arguments: [100, 32, 1024])
    func digests(byteCount: Int) throws {
        let records = try Records(valueByteCount: byteCount)
        for number in [0, 1, 999_999] as [UInt64] {
            for generation in [0, 1, 77] as [UInt64] {
                let bytes = value(records, number, generation)
                let digest = bytes.withUnsafeBytes { Records.digest(of: $0) }
                #expect(digest == records.digest(number))
            }
            #expect(records.digest(number) != records.digest(number + 1))
            #expect(value(records, number, 0) != value(records, number, 1))
        }
    }

    @Test("every byte of a value counts in its digest")
    func everyByteCounts() throws {
        let records = try Records(valueByteCount: 100)
        let bytes = value(records, 5, 3)
        for index in bytes.indices {
            var changed = bytes
            changed[index] ^= 0x40
            #expect(changed.withUnsafeBytes { Records.digest(of: $0) } != records.digest(5))
        }
    }

    @Test("the second half of a value repeats the first")
    func halfCompressible() throws {
        let bytes = value(try Records(valueByteCount: 100), 42, 0)
        #expect(bytes[0..<48].elementsEqual(bytes[48..<96]))
        #expect(bytes[0..<4].elementsEqual(bytes[96..<100]))
    }

    @Test("sizes that the layout cannot make are refused")
    func sizes() {
        for byteCount in [0, 16, 101, 110] {
            #expect(throws: BenchmarkError.self) { try Records(valueByteCount: byteCount) }
        }
    }
}
