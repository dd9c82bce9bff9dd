/// Values under names, in an order that is kept.
///
/// ```swift
/// var city: Document = ["name": "Ouagadougou", "population": 2_415_266]
/// city["mayor"] = nil                     // takes the name away
/// city["twins"] = ["Lyon", "Bordeaux"]
/// let bytes = try city.bson()
/// ```
///
/// Names are looked up one after the other, which suits documents of up to some hundred names. They
/// are equal if their bytes are: "é" of one scalar and of two are different names.
public struct Document: Sendable, Hashable {
    /// A name with its value.
    public struct Element: Sendable, Hashable {
        /// The name.
        public var key: String
        /// The value.
        public var value: AnyBSON

        /// A name with its value.
        public init(key: String, value: AnyBSON) {
            self.key = key
            self.value = value
        }

        /// Whether the names have the same bytes, and the values are equal.
        public static func == (left: Element, right: Element) -> Bool {
            left.key.isName(right.key) && left.value == right.value
        }

        /// Hashes the bytes of the name, and the value.
        public func hash(into hasher: inout Hasher) {
            hasher.combine(NameBytes(key))
            hasher.combine(value)
        }
    }

    private var elements: [Element]

    /// A document without values.
    public init() { elements = [] }

    /// A document of names and values as they come; of a name given twice, both stay.
    public init(_ elements: [(String, AnyBSON)]) {
        self.elements = elements.map { Element(key: $0, value: $1) }
    }

    init(elements: [Element]) { self.elements = elements }

    /// The first value under a name; setting it replaces that or adds one, nil takes all away.
    public subscript(key: String) -> AnyBSON? {
        get { elements.first { $0.key.isName(key) }?.value }
        set {
            guard let newValue else { return elements.removeAll { $0.key.isName(key) } }
            if let index = elements.firstIndex(where: { $0.key.isName(key) }) {
                elements[index].value = newValue
            } else {
                elements.append(Element(key: key, value: newValue))
            }
        }
    }

    /// The value at a path of names and array positions with points between: "owner.pets.0.name".
    public func value(at path: String) -> AnyBSON? {
        path.split(separator: ".", omittingEmptySubsequences: false)
            .reduce(AnyBSON.document(self)) { value, step in
                switch value {
                case .document(let document)?: document[String(step)]
                case .array(let array)?:
                    Int(step).flatMap { array.indices.contains($0) ? array[$0] : nil }
                default: nil
                }
            }
    }

    /// Adds a value at the end without looking whether the name is there already.
    public mutating func append(_ value: AnyBSON, forKey key: String) {
        elements.append(Element(key: key, value: value))
    }

    /// The names in order.
    public var keys: [String] { elements.map(\.key) }

    /// The values in order.
    public var values: [AnyBSON] { elements.map(\.value) }
}

extension Document: RandomAccessCollection {
    /// The position of the first name.
    public var startIndex: Int { 0 }

    /// The position after the last name.
    public var endIndex: Int { elements.count }

    /// The name and value at a position.
    public subscript(position: Int) -> Element { elements[position] }
}

extension Document: ExpressibleByDictionaryLiteral {
    /// A document of names and values in the order written.
    public init(dictionaryLiteral elements: (String, AnyBSON)...) { self.init(elements) }
}

extension Document: CustomStringConvertible {
    /// Relaxed Extended JSON, to be looked at: `extendedJSON` refuses what would not be read back.
    public var description: String { AnyBSON.document(self).description }
}
