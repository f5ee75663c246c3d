import fc from 'fast-check'
import { expect, it } from 'vitest'
import { redactedPath } from './redacted-path.js'

it.each([
  ['/v2/farcaster/nowhere', '/v2/farcaster/nowhere'],
  ['/v1/castsByFid/?fid=1', '/v1/castsByFid/'],
  ['/', '/'],
  ['/.well-known/x', '/.well-known/x'],
  ['/v2/plaza_UEqp1/x', '/v2/…/x'],
  ['/users/17', '/users/…'],
  ['/%zz', '/…'],
])('shows %s as %s', (url, redacted) => {
  expect(redactedPath(url)).toBe(redacted)
})

it('hides every segment that is as long as a key', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[\w-]{25,80}$/), (key) => {
      expect(redactedPath(`/v2/${key}/x?key=${key}`)).toBe('/v2/…/x')
    }),
  )
})
