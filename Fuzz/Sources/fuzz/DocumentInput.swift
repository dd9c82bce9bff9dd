import TravertineDocuments

/// Inputs that are documents. What was read is written, and what was written read again.
enum DocumentInput {
    static func runBSON(_ input: [UInt8]) throws {
        let document = try Document(bson: input)
        let bytes = try document.bson()
        guard let again = try? Document(bson: bytes), try again.bson() == bytes else {
            StoreUse.fail("BSON that was written can't be read, or is another")
        }
        for mode in [ExtendedJSONMode.canonical, .relaxed] {
            // Names such as "$oid" have no text.
            _ = try? document.extendedJSON(mode)
        }
    }

    static func runJSON(_ input: [UInt8]) throws {
        let document = try input.withUnsafeBytes { try Document(extendedJSON: $0) }
        guard let text = try? document.extendedJSON(.canonical),
            let again = try? Document(extendedJSON: text),
            (try? again.extendedJSON(.canonical)) == text
        else { StoreUse.fail("Extended JSON that was written can't be read, or is another") }
        _ = try document.bson()
    }

    private static let texts = [
        #"{"a":1,"b":[true,null,{"c":"text"}],"d":{"$oid":"0123456789abcdef01234567"}}"#,
        #"{"a":{"$numberLong":"5"},"b":{"$numberDecimal":"1E+3"},"c":{"$date":"2020-01-02T03:04:05Z"}}"#,
        #"{"a":{"$binary":{"base64":"AAEC","subType":"04"}},"b":{"$numberDouble":"-0.5"},"u":"\u00e9"}"#,
        #"{"r":{"$regularExpression":{"pattern":"x","options":"i"}},"t":{"$timestamp":{"t":1,"i":2}}}"#,
        #"{"k":{"$minKey":1},"l":{"$code":"f()","$scope":{}},"m":{"$date":{"$numberLong":"9"}}}"#,
    ]

    static func jsonSeeds() throws -> [[UInt8]] { texts.map { Array($0.utf8) } }

    static func bsonSeeds() throws -> [[UInt8]] {
        try texts.map { try Document(extendedJSON: $0).bson() }
    }
}
