import Locks
import SegmentLog

/// A cipher for tests: not safe, fast to build, and strict. It stops the process when a nonce is
/// used twice with one key, also by different openings of a store, and counts what was sealed.
public final class RecordingCipher: StoreCipher {
    package let algorithm: UInt32
    private let secret: UInt64
    private let record: Record

    /// What was sealed by all the ciphers of one record.
    public final class Record: Sendable {
        private let used = Locked(Set<[UInt64]>())

        /// Nothing so far.
        public init() {}

        /// How many pieces were sealed, each with another key or nonce.
        public var count: Int { used.withLock { $0.count } }

        fileprivate func note(_ key: UInt64, _ nonce: SealNonce) {
            let isNew = used.withLock {
                $0.insert([key, UInt64(nonce.position), nonce.number]).inserted
            }
            precondition(isNew, "a nonce was used twice with one key: \(nonce)")
        }
    }

    /// A cipher with a key; the record of several may be one.
    public init(secret: UInt64 = 1, algorithm: UInt32 = 1, record: Record = Record()) {
        self.secret = secret
        self.algorithm = algorithm
        self.record = record
    }

    package func key(for info: [UInt8], algorithm: UInt32) -> (any SealingKey)? {
        guard algorithm == 1 || algorithm == 2 else { return nil }
        return Key(secret: digest("key", info) &+ UInt64(algorithm), record: record)
    }

    package func check(for info: [UInt8]) -> [UInt8] {
        (0..<2).flatMap { part in
            withUnsafeBytes(of: digest("check \(part)", info)) { Array($0) }
        }
    }

    private func digest(_ purpose: String, _ info: [UInt8]) -> UInt64 {
        var sum = Mixer(secret)
        for byte in Array(purpose.utf8) + info { sum.add(UInt64(byte)) }
        return sum.value
    }

    private struct Key: SealingKey {
        let secret: UInt64
        let record: Record

        func seal(
            _ plain: UnsafeRawBufferPointer, nonce: SealNonce,
            authenticating header: UnsafeRawBufferPointer, into target: UnsafeMutableRawPointer,
            tag: UnsafeMutableRawPointer
        ) {
            record.note(secret, nonce)
            mix(plain, nonce, into: target)
            let sealed = UnsafeRawBufferPointer(start: target, count: plain.count)
            for (place, word) in tagWords(sealed, header, nonce).enumerated() {
                tag.storeBytes(of: word, toByteOffset: place * 8, as: UInt64.self)
            }
        }

        func open(
            _ sealed: UnsafeRawBufferPointer, tag: UnsafeRawPointer, nonce: SealNonce,
            authenticating header: UnsafeRawBufferPointer, into target: UnsafeMutableRawPointer
        ) -> Bool {
            for (place, word) in tagWords(sealed, header, nonce).enumerated()
            where tag.loadUnaligned(fromByteOffset: place * 8, as: UInt64.self) != word {
                return false
            }
            mix(sealed, nonce, into: target)
            return true
        }

        private func mix(
            _ source: UnsafeRawBufferPointer, _ nonce: SealNonce,
            into target: UnsafeMutableRawPointer
        ) {
            guard let base = source.baseAddress else { return }
            var stream = Mixer(secret ^ nonce.number)
            stream.add(UInt64(nonce.position))
            var place = 0
            while place + 8 <= source.count {
                stream.add(1)
                let word = base.loadUnaligned(fromByteOffset: place, as: UInt64.self)
                target.storeBytes(of: word ^ stream.value, toByteOffset: place, as: UInt64.self)
                place += 8
            }
            stream.add(1)
            while place < source.count {
                let byte = base.load(fromByteOffset: place, as: UInt8.self)
                let key = UInt8(truncatingIfNeeded: stream.value >> UInt64(place % 8 * 8))
                target.storeBytes(of: byte ^ key, toByteOffset: place, as: UInt8.self)
                place += 1
            }
        }

        private func tagWords(
            _ sealed: UnsafeRawBufferPointer, _ header: UnsafeRawBufferPointer, _ nonce: SealNonce
        ) -> [UInt64] {
            var sum = Mixer(secret &* 3 ^ nonce.number)
            sum.add(UInt64(nonce.position))
            for part in [header, sealed] {
                sum.add(UInt64(part.count))
                var place = 0
                while place + 8 <= part.count {
                    sum.add(part.loadUnaligned(fromByteOffset: place, as: UInt64.self))
                    place += 8
                }
                while place < part.count {
                    sum.add(UInt64(part[place]))
                    place += 1
                }
            }
            let first = sum.value
            sum.add(first)
            return [first, sum.value]
        }
    }

    /// A sum in which each word changes all that follows.
    private struct Mixer {
        var value: UInt64

        init(_ start: UInt64) {
            value = start &+ 0x9e37_79b9_7f4a_7c15
            add(0)
        }

        @inline(__always)
        mutating func add(_ word: UInt64) {
            value = (value ^ word) &* 0xbf58_476d_1ce4_e5b9
            value ^= value >> 29
            value = value &* 0x94d0_49bb_1331_11eb
            value ^= value >> 32
        }
    }
}
