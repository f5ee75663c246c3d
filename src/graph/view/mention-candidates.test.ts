import { describe, expect, it } from 'vitest'
import { knownMentions, mentionCandidates } from './mention-candidates.js'

const names = ['alice', 'alice4-x', 'abcdefghijklmnop', 'bob', 'carol.eth', 'dan.base.eth', 'eve-', 'x']
const users = new Map(names.map((name) => [name, name]))

const mentioned = (text: string) =>
  knownMentions(mentionCandidates(text), users).map(({ user, range }) => {
    expect(text.slice(range.start, range.end)).toBe(`@${user}`)
    return user
  })

describe('mentionCandidates', () => {
  it.each([
    ['@alice', ['alice']],
    ['hello @alice, @bob!', ['alice', 'bob']],
    ['(@alice)@bob', ['alice', 'bob']],
    ['"@bob"', ['bob']],
    ['@alice’s garden', ['alice']],
    ['thanks @alice.', ['alice']],
    ['@carol.eth. @dan.base.eth', ['carol.eth', 'dan.base.eth']],
    ['@carol.eth/x', []],
    ['—@alice', ['alice']],
    ['@alice-', ['alice']],
    ['@abcdefghijklmnop', ['abcdefghijklmnop']],
    ['@alice4-x', ['alice4-x']],
    ['@eve- @eve', ['eve-']],
    ['@alice\n@alice', ['alice', 'alice']],
    ['日本 @bob です', ['bob']],
    ['👩‍🌾@x👩‍🌾', ['x']],
  ])('%j: %j', (text, expected) => {
    expect(mentioned(text)).toEqual(expected)
  })

  it.each([
    'me@alice',
    'me@alice.org',
    'a.b+c@bob',
    '+@bob',
    '@alice@host.example',
    '@alice.com',
    '@alice.eth',
    '@carol',
    '@Alice',
    '@alice_',
    '@alicea',
    '@@alice',
    '@alice/package',
    'npm @alice/core',
    '@alice.bsky.example',
    '@carol.eth.limo',
    '_@alice',
    '4@alice',
    '@-alice',
    '@abcdefghijklmnopq',
    'https://a.example/@alice',
    'https://a.example/?to=@alice',
    'see HTTPS://a.example?x&y=(@bob)',
    '`@alice`',
    '``a ` @alice``',
    '```\ncode\n@alice\n```',
    'é@alice',
    `e\u0301@alice`,
    '日本@alice',
    '@nobody',
    '@',
    '@ alice',
    '@alicé',
  ])('nobody in %j', (text) => {
    expect(mentioned(text)).toEqual([])
  })

  it('after an unmatched backtick', () => {
    expect(mentioned('`` ` @alice')).toEqual(['alice'])
    expect(mentioned('`code` @alice `')).toEqual(['alice'])
  })
})
