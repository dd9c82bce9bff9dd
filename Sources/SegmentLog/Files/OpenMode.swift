/// How `FileSystem.open` opens a file.
public enum OpenMode: Int32, Sendable {
    case readOnly = 0
    case readWrite = 1
    /// Creates the file, and fails when it exists.
    case createNew = 2
}
