/// What a `ReadTracker` knows of reads, in bounded memory: which properties of a type, exactly,
/// and which objects, with some that were not read. So a report asks the registrar about little else
/// than what was read.
///
/// Reads are never forgotten: the registrar does not say what of them is still tracked.
struct TrackedReads {
    /// The objects, as bits that are set at hashes of type and key. A layer that an eighth of is set
    /// is followed by a larger one; the last one fills up.
    private struct Layer {
        var words: [UInt64]
        var setCount = 0

        init(wordCount: Int) { words = Array(repeating: 0, count: wordCount) }

        func contains(_ hash: UInt64) -> Bool {
            let bit = hash & UInt64(words.count * 64 - 1)
            return words[Int(bit >> 6)] & 1 << (bit & 63) != 0
        }

        mutating func insert(_ hash: UInt64) {
            let bit = hash & UInt64(words.count * 64 - 1)
            words[Int(bit >> 6)] |= 1 << (bit & 63)
            setCount += 1
        }
    }

    private static let firstWordCount = 1 << 10
    private static let layerGrowth = 8
    private static let wordCountMax = 1 << 19
    private static let firstKeyPathCount = 1 << 10
    private static let keyPathCountMax = 1 << 14

    private var layers: [Layer] = []
    private var properties: [UInt32: PropertyNumbers] = [:]
    private var last: (type: UInt32, properties: PropertyNumbers)?
    /// The types that were read as a whole.
    private var wholes: Set<UInt32> = []
    /// The key paths that were made last, by some bits of the hashes of their places. There is room
    /// for more once as many were replaced as there is room for.
    private var keyPaths: [(place: ReadTracker.Place, keyPath: KeyPath<ReadTracker, Bool>)?] = []
    private var replacedCount = 0

    /// Whether something of a type was read.
    func has(_ type: UInt32) -> Bool { properties[type] != nil || wholes.contains(type) }

    /// Notes that a place is read.
    mutating func insert(_ place: ReadTracker.Place) {
        if place == .all(ofType: place.type) {
            wholes.insert(place.type)
            return
        }
        if let last, last.type == place.type, last.properties.contains(place.property) {
            // Noted already.
        } else {
            properties[place.type, default: PropertyNumbers()].insert(place.property)
            last = properties[place.type].map { (place.type, $0) }
        }
        let hash = Self.hash(place.type, place.key)
        if layers.contains(where: { $0.contains(hash) }) { return }
        addLayer()
        layers[layers.count - 1].insert(hash)
    }

    /// Adds a layer where the last one has taken its share.
    private mutating func addLayer() {
        guard let last = layers.last else {
            layers.append(Layer(wordCount: Self.firstWordCount))
            return
        }
        if last.setCount < last.words.count * 64 / 8 || last.words.count >= Self.wordCountMax {
            return
        }
        layers.append(
            Layer(wordCount: Swift.min(Self.layerGrowth * last.words.count, Self.wordCountMax)))
    }

    /// Whether objects of a type were read as a whole.
    func hasWhole(_ type: UInt32) -> Bool { wholes.contains(type) }

    /// The properties that were read of objects of a type; nil if none was.
    func properties(ofType type: UInt32) -> PropertyNumbers? { properties[type] }

    /// Whether an object may have been read.
    func mayHave(_ key: UInt64, ofType type: UInt32) -> Bool {
        let hash = Self.hash(type, key)
        return layers.contains { $0.contains(hash) }
    }

    /// The key path that stands for a place: making one allocates and looks metadata up.
    mutating func keyPath(of place: ReadTracker.Place) -> KeyPath<ReadTracker, Bool> {
        if keyPaths.isEmpty { keyPaths = Array(repeating: nil, count: Self.firstKeyPathCount) }
        let index = Self.index(of: place, among: keyPaths.count)
        if let known = keyPaths[index] {
            if known.place == place { return known.keyPath }
            replacedCount += 1
        }
        let made = \ReadTracker.[place]
        keyPaths[index] = (place, made)
        if replacedCount > keyPaths.count, keyPaths.count < Self.keyPathCountMax { makeRoom() }
        return made
    }

    private mutating func makeRoom() {
        let known = keyPaths
        keyPaths = Array(repeating: nil, count: 4 * known.count)
        replacedCount = 0
        for case let entry? in known {
            keyPaths[Self.index(of: entry.place, among: keyPaths.count)] = entry
        }
    }

    private static func index(of place: ReadTracker.Place, among count: Int) -> Int {
        let hash = hash(place.type ^ place.property << 16, place.key)
        return Int(truncatingIfNeeded: hash >> 32) & (count - 1)
    }

    private static func hash(_ type: UInt32, _ key: UInt64) -> UInt64 {
        var bits = (key ^ UInt64(type) << 40) &* 0x9E37_79B9_7F4A_7C15
        bits ^= bits >> 29
        bits &*= 0xBF58_476D_1CE4_E5B9
        return bits ^ bits >> 32
    }
}
