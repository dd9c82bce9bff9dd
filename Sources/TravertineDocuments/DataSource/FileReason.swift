#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Why a file or directory cannot be used, in words of a person.
enum FileReason {
    /// The reason that an error of Foundation stands for.
    static func text(_ error: any Error) -> String {
        guard let error = error as? CocoaError else { return "\(error)" }
        switch error.code {
        case .fileNoSuchFile, .fileReadNoSuchFile: return "there is no such file or directory"
        case .fileReadNoPermission, .fileWriteNoPermission: return text(system: EACCES)
        case .fileWriteOutOfSpace: return "the disk is full"
        case .fileWriteVolumeReadOnly: return "the disk is read-only"
        case .fileWriteFileExists: return "there is a file in the place of a directory"
        case .fileReadInvalidFileName, .fileWriteInvalidFileName:
            return "the name is none that a file can have"
        default: break
        }
        if let cause = error.underlying as? POSIXError { return text(system: cause.code.rawValue) }
        return "error \(error.code.rawValue) of the file system"
    }

    /// The reason that an error number of the system stands for.
    static func text(system number: Int32) -> String {
        number == EACCES ? "permission is denied" : String(cString: strerror(number))
    }
}
