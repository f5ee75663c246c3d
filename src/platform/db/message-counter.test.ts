import fc from 'fast-check'
import { expect, it } from 'vitest'
import { MessageCounter } from './message-counter.js'

const types = ['C', 'D', 'Z', 'S'].map((type) => type.charCodeAt(0))
const READY = 'Z'.charCodeAt(0)

function encode({ type, length }: { type: number; length: number }, index: number): Buffer {
  // Content that looks like headers.
  const message = Buffer.alloc(5 + length, READY)
  message[0] = type
  message.writeUInt32BE(4 + length, 1)
  if (length > 0) message[message.length - 1] = index
  return message
}

it('counts messages by their type, and reads the last byte of the last one, however the bytes are cut', () => {
  const messages = fc.array(fc.record({ type: fc.constantFrom(...types), length: fc.nat(12) }), {
    maxLength: 12,
  })
  fc.assert(
    fc.property(messages, fc.array(fc.integer({ min: 1, max: 9 })), (all, sizes) => {
      let bytes = Buffer.concat(all.map(encode))
      const counter = new MessageCounter([READY])
      let counted = 0
      for (const size of [...sizes, bytes.length]) {
        counted += counter.count(bytes.subarray(0, size))
        bytes = bytes.subarray(size)
      }
      expect(counted).toBe(all.filter(({ type }) => type === READY).length)
      const last = all.findLastIndex(({ type }) => type === READY)
      expect(counter.lastByte).toBe(last < 0 ? null : encode(all[last]!, last).at(-1))
    }),
  )
})
