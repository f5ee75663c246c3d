import { describe, expect, it } from 'vitest'
import { canonicalEncoding } from './canonical.js'
import { MessageData } from './definitions.js'
import { messageDataSchema } from './message-kinds.js'
import { sampleSigner, validSamples } from './testing/sample-messages.js'

function canonical(hex: string): string {
  return canonicalEncoding(Buffer.from(hex.replaceAll(' ', ''), 'hex'), messageDataSchema).toString('hex')
}

describe('canonicalEncoding', () => {
  it('keeps the content of every type, and changes nothing the second time', async () => {
    for (const data of Object.values(await validSamples())) {
      const { dataBytes } = sampleSigner().sign(data)
      const encoded = canonicalEncoding(dataBytes, messageDataSchema)
      expect(MessageData.decode(Buffer.from(encoded))).toEqual(MessageData.decode(dataBytes))
      expect(canonicalEncoding(encoded, messageDataSchema)).toEqual(encoded)
    }
  })

  it.each([
    ['orders fields by number', '2003 1804 1003 0801', '0801100318042003'],
    ['leaves out default values', '0800 1000 1800 2000', ''],
    ['leaves out unknown fields and groups', '0801 6a01ff 6b08016c 6d01020304', '0801'],
    ['shortens numbers, tags and lengths', '8880808080808000 81808000 2a8000', '08012a00'],
    ['keeps the low 32 bits of longer numbers', '0881808080808001', '0801'],
    ['writes a negative choice in ten bytes', '08ffffffff0f', '08ffffffffffffffffff01'],
    ['keeps large numbers', '10ffffffffffffff0f', '10ffffffffffffff0f'],
    ['packs numbers', '2a04 1001 1005', '2a0412020105'],
    ['leaves out empty lists', '2a04 1200 2a00', '2a00'],
    ['puts a oneof at its lowest number', '2a06 220161 3a0162', '2a063a0162220161'],
    ['keeps members of a oneof that are empty', '2a02 3a00', '2a023a00'],
    ['keeps optional fields that are zero', '7204 1000 1800', '720410001800'],
    ['keeps the last body', '3a020801 2a03220161', '2a03220161'],
    ['merges a body with itself', '2a03220161 2a021005', '2a0612010522 0161'.replace(' ', '')],
    ['forgets a body that another one replaced', '2a03220161 3a00 2a021005', '2a03120105'],
  ])('%s', (_what, hex, expected) => {
    expect(canonical(hex)).toBe(expected)
  })
})
