import Foundation
import TestSupport
import Testing

extension TemporaryDirectory {
    /// Changes the first byte of a text wherever it is in the segments of the test's realm; one
    /// that is nowhere fails the test.
    func damage(_ text: String) throws {
        let places = try BytePlace.all(of: text, in: url)
        try #require(!places.isEmpty, "'\(text)' is not stored")
        for place in places { try place.flip() }
    }
}
