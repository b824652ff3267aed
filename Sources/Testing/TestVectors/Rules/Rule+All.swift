// swift-format-ignore-file
extension Rule { package static let all: [Rule] = [] }
