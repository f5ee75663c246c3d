import fc from 'fast-check'
import { expect, it } from 'vitest'
import { cursorKind, keyPart } from './cursor.js'

const casts = cursorKind('casts by time', keyPart.integer, keyPart.hex)
const ranks = cursorKind('users by rank', keyPart.number, keyPart.text)

const hex = fc.uint8Array({ minLength: 1, maxLength: 32 }).map((bytes) => Buffer.from(bytes).toString('hex'))
const rank = fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0)
const text = fc.string({ unit: 'grapheme', maxLength: 40 }).filter((value) => !value.includes('\0'))

it('decodes to the encoded key', () => {
  fc.assert(
    fc.property(fc.maxSafeInteger(), hex, (ts, hash) => {
      const cursor = casts.encode([ts, hash])
      expect(cursor).toMatch(/^[\w-]+$/)
      expect(casts.decode(cursor)).toEqual([ts, hash])
    }),
  )
  fc.assert(
    fc.property(rank, text, (score, id) => {
      expect(ranks.decode(ranks.encode([score, id]))).toEqual([score, id])
    }),
  )
})

it('is null for the first page', () => {
  expect(casts.decode(undefined)).toBeNull()
})

const forged = (...key: unknown[]) =>
  Buffer.from(JSON.stringify(['casts by time', ...key])).toString('base64url')

it.each([
  ['of another operation', ranks.encode([1, 'aa'])],
  ['with a key that is too short', forged(1)],
  ['with a key that is too long', forged(1, 'aa', 2)],
  ['with a number that no column holds', forged(1e300, 'aa')],
  ['with hex that is none', forged(1, 'zz')],
  ['that is JSON of something else', Buffer.from('{}').toString('base64url')],
  ['that is no JSON', Buffer.from('[').toString('base64url')],
  ['that is no base64', '%%%'],
  ['of an offset', '20'],
])('refuses one %s', (_what, cursor) => {
  expect(() => casts.decode(cursor)).toThrow(
    expect.objectContaining({
      code: 'bad_request.invalid_param',
      message: 'cursor is not a cursor of this list',
      property: 'cursor',
    }),
  )
})

it('any other text -> a 400', () => {
  fc.assert(
    fc.property(fc.string(), (junk) => {
      expect(() => casts.decode(junk)).toThrow(expect.objectContaining({ property: 'cursor' }))
    }),
  )
})
