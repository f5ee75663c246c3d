import { expect, it } from 'vitest'
import { redactedMessage } from './redacted-message.js'

it.each([
  ['a password with @', 'connect to https://user:p@ss@rpc.example/v2/KEY failed', 'ss|KEY'],
  ['a short key in a path', 'GET wss://rpc.example/eth/k3y failed', 'k3y'],
  [
    'a quoted text across the cut',
    `${'x '.repeat(140)}invalid value "correct horse battery staple"`,
    'horse',
  ],
  ['a quoted text without an end', `invalid value "correct ${'horse '.repeat(5_000)}"`, 'horse'],
])('has no part of %s', (_what, message, secret) => {
  expect(redactedMessage(message)).not.toMatch(new RegExp(secret))
  expect(redactedMessage(message)).toContain('…')
})

it('has the beginning of a long text, and what an apostrophe does not quote', () => {
  const message = `the peer doesn't answer: ${'it is away '.repeat(100)}`
  expect(redactedMessage(message)).toBe(message.slice(0, 300))
})
