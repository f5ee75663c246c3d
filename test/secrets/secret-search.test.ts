import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createSecretSearch } from './secret-search.js'

const bytes = (minLength: number, maxLength: number) =>
  fc.uint8Array({ minLength, maxLength }).map((array) => Buffer.from(array))
const encoding = fc.constantFrom('hex', 'base64', 'base64url')

it('createSecretSearch: finds a secret in any encoding and position', () => {
  fc.assert(
    fc.property(bytes(16, 48), bytes(0, 40), bytes(0, 40), encoding, (secret, before, after, way) => {
      const search = createSecretSearch()
      search.add('key', secret)
      const text = `[${Buffer.concat([before, secret, after]).toString(way as BufferEncoding)}]`
      expect(search.findIn([{ source: 'log', text }])).toHaveLength(1)
      expect(search.findIn([{ source: 'reply', text, allowedSecrets: ['key'] }])).toEqual([])
    }),
  )
})

it('createSecretSearch: finds nothing in other texts', () => {
  const search = createSecretSearch()
  search.add('token', 'a secret of some length')
  search.add('key', Buffer.alloc(32, 7))
  const text = `a secret of some other length ${'07'.repeat(31)}`
  expect(search.findIn([{ source: 'log', text }])).toEqual([])
  expect(search.findIn([{ source: 'log', text: 'is A Secret of some length?' }])).toHaveLength(1)
  expect(search.findIn([{ source: 'log', text: '?key=a%20secret%20of%20some%20length' }])).toHaveLength(1)
})
