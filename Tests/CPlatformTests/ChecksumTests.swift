import CPlatform
import Testing

@Suite("CRC32C")
struct ChecksumTests {
    private static func bytes(_ count: Int, seed: UInt64) -> [UInt8] {
        var state = seed | 1
        return (0..<count).map { _ in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return UInt8(truncatingIfNeeded: state >> 33)
        }
    }

    @Test("the check value of the standard comes out")
    func checkValue() {
        let bytes = Array("123456789".utf8)
        #expect(travertine_crc32c(0, bytes, bytes.count) == 0xe306_9283)
        #expect(travertine_crc32c_software(0, bytes, bytes.count) == 0xe306_9283)
    }

    @Test("hardware and software agree on every length and alignment")
    func agreement() {
        let bytes = Self.bytes(20_000, seed: 1)
        bytes.withUnsafeBytes { buffer in
            guard let base = buffer.baseAddress else { return }
            for count in Array(0..<700) + [3071, 3072, 3073, 4096, 9216, 12_289, 19_990] {
                let start = base + count % 9
                let expected = travertine_crc32c_software(7, start, count)
                #expect(travertine_crc32c(7, start, count) == expected, "\(count) bytes")
            }
        }
    }

    @Test("a sum goes on where another stopped")
    func chaining() {
        let bytes = Self.bytes(1000, seed: 2)
        bytes.withUnsafeBytes { buffer in
            guard let base = buffer.baseAddress else { return }
            let whole = travertine_crc32c(0, base, 1000)
            for cut in 0...1000 {
                let first = travertine_crc32c(0, base, cut)
                #expect(travertine_crc32c(first, base + cut, 1000 - cut) == whole)
                let second = travertine_crc32c(0, base + cut, 1000 - cut)
                #expect(travertine_crc32c_combine(first, second, UInt64(1000 - cut)) == whole)
            }
        }
    }

    @Test("a word in front counts like its eight bytes")
    func wordInFront() {
        let bytes = Self.bytes(300, seed: 3)
        bytes.withUnsafeBytes { buffer in
            guard let base = buffer.baseAddress else { return }
            let word = buffer.loadUnaligned(as: UInt64.self)
            for count in 0...292 {
                #expect(
                    travertine_crc32c_after_word(5, word, base + 8, count)
                        == travertine_crc32c(5, base, count + 8))
            }
        }
    }
}
