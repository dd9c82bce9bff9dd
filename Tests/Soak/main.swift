// Writers, observers and readers of one realm, for as long as one likes; `SoakTests` runs it.
//
// `realm-soak DIRECTORY rounds|minutes NUMBER` prints a line of figures for each round, and what does
// not stay within its bound; it exits with 1 then. `realm-soak read DIRECTORY` is a reader of it.

import Foundation

let arguments = CommandLine.arguments.dropFirst()
if arguments.count == 2, arguments.first == "read", let path = arguments.last {
    try SoakReader().run(path)
    exit(0)
}
guard arguments.count == 3, let path = arguments.first, let number = Int(arguments[3]),
    ["rounds", "minutes"].contains(arguments[2])
else {
    print("usage: realm-soak DIRECTORY rounds|minutes NUMBER")
    exit(64)
}
let problems = try Soak(path).run(arguments[2] == "rounds" ? .rounds(number) : .minutes(number))
for problem in problems { print("problem: \(problem)") }
print(problems.isEmpty ? "within its bounds" : "not within its bounds")
exit(problems.isEmpty ? 0 : 1)
