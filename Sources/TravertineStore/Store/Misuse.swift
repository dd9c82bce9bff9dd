/// Stops the process because a caller broke a rule, and prints which, in debug and release builds
/// alike: the optimiser removes the text of a `precondition`, and the user of an app that ends
/// with a bare illegal instruction has nothing to go on.
///
/// For mistakes of the program that uses the library. What the world can cause is a thrown error,
/// and a broken promise of our own code is a `precondition`.
@usableFromInline
@inline(never)
package func misuse(
    _ message: @autoclosure () -> String, file: StaticString = #fileID, line: UInt = #line
) -> Never {
    fatalError(message(), file: file, line: line)
}

/// Stops as `misuse(_:)` does unless a condition holds; the message is made only then.
@inlinable
@inline(__always)
package func require(
    _ condition: @autoclosure () -> Bool, _ message: @autoclosure () -> String,
    file: StaticString = #fileID, line: UInt = #line
) {
    if _fastPath(condition()) { return }
    misuse(message(), file: file, line: line)
}
