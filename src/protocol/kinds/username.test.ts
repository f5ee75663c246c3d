import { describe, expect, it } from 'vitest'
import { validateBasename, validateEnsName, validateFname, validateUsername } from './username.js'

describe('names', () => {
  const form = "doesn't match ^[a-z0-9][a-z0-9-]{0,15}$"
  it.each([
    [validateFname, '', 'fname is missing'],
    [validateFname, 'a', null],
    [validateFname, 'abcdefghijklmnop', null],
    [validateFname, 'abcdefghijklmnopq', 'fname "abcdefghijklmnopq" > 16 characters'],
    [validateFname, 'a.eth', `fname "a.eth" ${form}`],
    [validateUsername, '', 'fname is missing'],
    [validateUsername, 'Alice', `fname "Alice" ${form}`],
    [validateEnsName, 'alice', 'ensName "alice" doesn\'t end with .eth'],
    [validateEnsName, 'a.b.eth', 'ensName "a.b.eth" unsupported subdomain'],
    [validateBasename, 'alice.eth', 'ensName "alice.eth" doesn\'t end with .base.eth'],
    [validateBasename, 'a.b.base.eth', 'ensName "a.b.base.eth" unsupported subdomain'],
  ] as const)('%o says of %j: %j', (rule, name, expected) => {
    expect(rule(name)).toBe(expected)
  })
})
