/// The codewords in the order in which they are placed: the blocks' data interleaved, then their corrections.
///
/// Source: ISO/IEC 18004, 7.6. The first codeword of each block, then the second of each, and so on; the blocks
/// with one data codeword more have it last.
func finalMessage(data: [UInt8], in blocks: ErrorCorrectionBlocks) -> [UInt8] {
    let correctionCount = blocks.correctionCountPerBlock
    let code = ReedSolomonCode(correctionCount: correctionCount)
    let shortCount = blocks.shortBlockDataCount
    var message = [UInt8](repeating: 0, count: data.count + blocks.blockCount * correctionCount)
    var start = 0
    for block in 0..<blocks.blockCount {
        let isLong = block >= blocks.shortBlockCount
        let codewords = data.span.extracting(start..<start + shortCount + (isLong ? 1 : 0))
        start += codewords.count
        for index in 0..<shortCount { message[index * blocks.blockCount + block] = codewords[index] }
        if isLong { message[shortCount * blocks.blockCount + block - blocks.shortBlockCount] = codewords[shortCount] }
        let correction = code.correction(of: codewords)
        for index in 0..<correctionCount {
            message[data.count + index * blocks.blockCount + block] = correction[coefficient: index]
        }
    }
    return message
}
