import Foundation
import RealmSwift
import Testing

/// Unmanaged objects that hold each other in a chain and go with the first of them.
@Suite("Dropped chains of unmanaged objects")
struct DroppedChainTests {
    private static let count = 100_000

    /// Runs `body` on a thread with the stack that the second threads of an app have.
    private func onSmallStack(_ body: @escaping @Sendable () -> Void) async {
        await withCheckedContinuation { done in
            let thread = Thread {
                body()
                done.resume()
            }
            thread.stackSize = 512 << 10
            thread.start()
        }
    }

    private static let kinds: [@Sendable (ChainLoop, ChainLoop) -> Void] = [
        { $0.next = $1 },
        { $0.others.append($1) },
        { $0.named["next"] = $1 },
        { $0.set.insert($1) },
        { $0.mixed = .object($1) },
        { $0.mixed = .fromArray([.fromDictionary(["in": .object($1)])]) },
    ]

    @Test("go whatever they are linked by", arguments: Self.kinds.indices)
    func everyKind(_ kind: Int) async {
        let chain: @Sendable () -> Void = {
            weak var last: ChainLoop?
            var first: ChainLoop? = ChainLoop()
            last = first
            for _ in 1..<Self.count {
                let next = ChainLoop()
                if let first { Self.kinds[kind](next, first) }
                first = next
            }
            #expect(last != nil)
            first = nil
            #expect(last == nil)
        }
        chain()
        await onSmallStack(chain)
    }

    @Test("go as embedded objects, as lists without a wrapper, and as nested values")
    func otherKinds() async {
        let chains: @Sendable () -> Void = {
            weak var last: AnyObject?
            var ring: ChainRing? = ChainRing()
            last = ring
            for position in 1..<Self.count {
                let next = ChainRing()
                if position % 2 == 0 { next.next = ring } else { ring.map(next.others.append) }
                ring = next
            }
            ring = nil
            #expect(last == nil)

            var bare: BareChain? = BareChain()
            last = bare
            for _ in 1..<Self.count {
                let next = BareChain()
                bare.map(next.others.append)
                bare = next
            }
            bare = nil
            #expect(last == nil)

            let innermost = List<AnyRealmValue>()
            last = innermost
            var value: AnyRealmValue? = .list(innermost)
            for position in 1..<Self.count {
                guard let inner = value else { break }
                value = position % 2 == 0 ? .fromArray([inner]) : .fromDictionary(["in": inner])
            }
            value = nil
        }
        chains()
        await onSmallStack(chains)
    }

    @Test("keep what somebody else holds")
    func heldElsewhere() async {
        await onSmallStack {
            var first: ChainLoop? = ChainLoop()
            var held: ChainLoop?
            for position in 1..<Self.count {
                let next = ChainLoop()
                next.number = position
                next.next = first
                if position == Self.count / 2 { held = next }
                first = next
            }
            first = nil
            #expect(held?.number == Self.count / 2)
            #expect(held?.next?.number == Self.count / 2 - 1)
            held = nil
        }
    }

    @Test("run what their class does when an object goes, once each, holders first")
    func ownDeinitializers() async {
        await onSmallStack {
            let log = GoneLog()
            var first: ToldChain? = ToldChain()
            first?.log = log
            for position in 1..<Self.count {
                let next = ToldChain()
                (next.position, next.log) = (position, log)
                next.next = first
                first = next
            }
            first = nil
            #expect(log.positions == (0..<Self.count).reversed())
        }
    }

    @Test("of embedded objects are described and copied")
    func embeddedCopies() {
        let owner = ChainOwner()
        var ring = ChainRing()
        for position in 1..<Self.count {
            let next = ChainRing()
            if position % 2 == 0 { next.next = ring } else { next.others.append(ring) }
            ring = next
        }
        owner.ring = ring
        #expect(owner.description.count < 100_000)
        #expect(Self.length(of: owner) == Self.count)
        #expect(Self.length(of: owner.detached()) == Self.count)
        #expect(Self.length(of: ChainOwner(value: owner)) == Self.count)
    }

    private static func length(of owner: ChainOwner) -> Int {
        var (ring, count) = (owner.ring, 0)
        while let current = ring {
            ring = current.next ?? current.others.first
            count += 1
        }
        return count
    }
}

class ChainLoop: Object {
    @Persisted var number: Int
    @Persisted var next: ChainLoop?
    @Persisted var others: List<ChainLoop>
    @Persisted var named: Map<String, ChainLoop?>
    @Persisted var set: MutableSet<ChainLoop>
    @Persisted var mixed: AnyRealmValue
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class ChainOwner: Object {
    @Persisted var ring: ChainRing?
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class ChainRing: EmbeddedObject {
    @Persisted var number: Int
    @Persisted var next: ChainRing?
    @Persisted var others: List<ChainRing>
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class BareChain: Object {
    let others = List<BareChain>()
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class ToldChain: Object {
    @Persisted var next: ToldChain?
    var position = 0
    var log: GoneLog?
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
    deinit { log?.positions.append(position) }
}

final class GoneLog {
    var positions: [Int] = []
}
