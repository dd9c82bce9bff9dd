import Foundation

/// The programs that the build puts beside the tests.
public enum BuiltProgram {
    /// Where a program is; throws where it was not built.
    public static func url(_ name: String) throws -> URL {
        // Where tests are a bundle, the program that runs them is not one of the build's.
        let bundles = Bundle.allBundles.map(\.bundleURL).filter { $0.pathExtension == "xctest" }
        let runner = Bundle.main.executableURL ?? URL(filePath: CommandLine.arguments[0])
        for neighbour in bundles + [runner] {
            let url = neighbour.deletingLastPathComponent().appending(path: name)
            if FileManager.default.isExecutableFile(atPath: url.path) { return url }
        }
        throw CocoaError(.fileNoSuchFile, userInfo: [NSFilePathErrorKey: name])
    }
}
