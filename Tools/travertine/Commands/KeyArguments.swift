import ArgumentParser

/// The option that names the key of an encrypted store.
struct KeyArguments: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            A file with the key of an encrypted store: 64 bytes, or the same as 128 hexadecimal \
            digits or Base64. Without it the variable TRAVERTINE_KEY has the key, if the store is \
            encrypted or is made.
            """, valueName: "file"),
        completion: .file())
    var keyFile: String?

    mutating func validate() throws {
        if let keyFile { StoreKey.use(file: keyFile) }
    }
}
