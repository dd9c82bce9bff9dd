import Foundation

/// The programs that the build puts beside the tests.
enum ProjectProgram {
    /// Where a program is; nil where it was not built. The package alone has no `travertine`.
    static func path(_ name: String) -> String? {
        let bundles = Bundle.allBundles.map(\.bundleURL).filter { $0.pathExtension == "xctest" }
        let runner = Bundle.main.executableURL ?? URL(filePath: CommandLine.arguments[0])
        let paths = (bundles + [runner]).map { neighbour in
            neighbour.deletingLastPathComponent().appending(path: name).path
        }
        return paths.first { FileManager.default.isExecutableFile(atPath: $0) }
    }
}
