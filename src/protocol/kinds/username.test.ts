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
    [validateBasename, 'alice.eth', 'Message data invalid'],
    [validateBasename, 'alice.other.eth', 'ensName "alice.other.eth" doesn\'t end with .base.eth'],
    [validateBasename, '', 'Message data invalid'],
    [validateEnsName, '.eth', 'ensName ".eth" is not a valid ENS name'],
    [validateEnsName, 'ab--c.eth', null],
    [validateEnsName, 'alice-.eth', null],
    [validateEnsName, '-alice.eth', `ensName "-alice.eth" ${form}`],
    [validateEnsName, 'éééééééé.eth', `ensName "éééééééé.eth" ${form}`],
    [validateEnsName, 'ééééééééé.eth', 'ensName "ééééééééé.eth" > 20 characters'],
    [validateFname, 'ééééééééé', 'fname "ééééééééé" > 16 characters'],
    [validateBasename, 'xn--a.base.eth', null],
    [validateBasename, 'a.b.base.eth', 'Message data invalid'],
    [validateBasename, '.base.eth', 'Message data invalid'],
    [validateBasename, 'abcdefghijklmnopq.base.eth', 'ensName "abcdefghijklmnopq.base.eth" > 20 characters'],
  ] as const)('%o says of %j: %j', (rule, name, expected) => {
    expect(rule(name)).toBe(expected)
  })
})
