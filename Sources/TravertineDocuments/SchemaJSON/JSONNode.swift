/// A value of a JSON text with its place, for texts that people write.
struct JSONNode: Sendable {
    indirect enum Value: Sendable {
        case null
        case bool(Bool)
        /// A number as it is written.
        case number(String)
        case string(String)
        case array([JSONNode])
        case object([Member])
    }

    struct Member: Sendable {
        let key: String
        let position: TextPosition
        let node: JSONNode
    }

    let value: Value
    let position: TextPosition

    /// The value that a text is, all of it.
    init(_ text: String) throws(DocumentError) {
        var text = text
        self = try text.withUTF8 { buffer in
            Result { () throws(DocumentError) in
                try JSONNodeParser.read(UnsafeRawBufferPointer(buffer))
            }
        }.get()
    }

    init(_ value: Value, _ position: TextPosition) {
        self.value = value
        self.position = position
    }

    /// The value without places.
    var constant: JSONConstant {
        switch value {
        case .null: .null
        case .bool(let flag): .bool(flag)
        case .number(let text): .number(text)
        case .string(let text): .string(text)
        case .array(let nodes): .array(nodes.map(\.constant))
        case .object(let members):
            .object(members.map { JSONConstant.Member(key: $0.key, value: $0.node.constant) })
        }
    }
}
