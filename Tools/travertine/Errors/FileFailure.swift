import Foundation

/// What is printed about an error of Foundation that a file could not be made or written.
enum FileFailure {
    private static func cause(_ error: any Error) -> NSError {
        var cause = error as NSError
        while let deeper = cause.userInfo[NSUnderlyingErrorKey] as? any Error {
            cause = deeper as NSError
        }
        return cause
    }

    /// The status that the command ends with.
    static func status(_ error: any Error) -> Int32 {
        let cause = cause(error)
        return cause.domain == NSPOSIXErrorDomain && cause.code == Int(EACCES)
            ? ExitStatus.noPermission : ExitStatus.inputOutput
    }

    /// The reason that the system gave, or else what Foundation says.
    static func text(_ error: any Error) -> String {
        let cause = cause(error)
        guard cause.domain == NSPOSIXErrorDomain else {
            let text = error.localizedDescription
            return text.hasSuffix(".") ? String(text.dropLast()) : text
        }
        return String(cString: strerror(Int32(cause.code)))
    }
}
