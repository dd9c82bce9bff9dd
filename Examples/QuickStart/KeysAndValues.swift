import TravertineStore

func storeKeysAndValues() throws {
    let store = try Store.open(at: "capitals.store")
    try store.write { transaction in
        try transaction.put("Lisbon", forKey: "PT")
        try transaction.put("Madrid", forKey: "ES")
    }

    // A snapshot never changes and never waits, whatever a writer does in the meantime.
    let snapshot = try store.snapshot()
    let cursor = snapshot.cursor()
    var isValid = try cursor.seek(to: "ES")
    while isValid {
        print(String(decoding: cursor.key, as: UTF8.self))
        isValid = try cursor.next()
    }
    let capital = try snapshot.get("PT").map { String(decoding: $0, as: UTF8.self) }
    print(capital ?? "unknown")
    try store.close()
}
