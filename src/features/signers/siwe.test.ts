import fc from 'fast-check'
import { getAddress } from 'viem'
import { createSiweMessage } from 'viem/siwe'
import { expect, it } from 'vitest'
import { parseSiweMessage } from './siwe.js'

const address = '0x52908400098527886E0F7030069857D2E4169EE7'
const lines = [
  `https://app.example wants you to sign in with your Ethereum account:`,
  address,
  '',
  'Sign in.',
  '',
  'URI: https://app.example/login',
  'Version: 1',
  'Chain ID: 10',
  'Nonce: 32891756abcdef',
  'Issued At: 2026-11-01T00:00:00.000Z',
  'Expiration Time: 2026-11-01T01:00:00+01:00',
  'Not Before: 2026-10-31T23:59:00Z',
  'Request ID: some id',
  'Resources:',
  '- https://app.example/one',
  '- ipfs://two',
]

it('parseSiweMessage: reads every field', () => {
  expect(parseSiweMessage(lines.join('\n'))).toEqual({
    scheme: 'https',
    domain: 'app.example',
    address,
    statement: 'Sign in.',
    uri: 'https://app.example/login',
    version: '1',
    chainId: 10,
    nonce: '32891756abcdef',
    issuedAt: Date.UTC(2026, 10, 1),
    expirationTime: Date.UTC(2026, 10, 1),
    notBefore: Date.UTC(2026, 9, 31, 23, 59),
    requestId: 'some id',
    resources: ['https://app.example/one', 'ipfs://two'],
  })
})

it.each([
  ['a line in between', [...lines.slice(0, 8), 'Nonsense: 1', ...lines.slice(8)]],
  ['a second nonce', [...lines, 'Nonce: 12345678']],
  ['lines in another order', [...lines.slice(0, 6), lines[7], lines[6], ...lines.slice(8)]],
  ['no nonce', lines.filter((line) => !line.startsWith('Nonce'))],
  ['no time of issue', lines.filter((line) => !line.startsWith('Issued'))],
  ['a time that is none', lines.map((line) => line.replace('2026-11-01T00', '2026-13-01T00'))],
  ['an address that is cut off', lines.map((line) => (line === address ? line.slice(0, -1) : line))],
  [
    'a user before the domain',
    lines.map((line) => line.replace('//app.example wants', '//a@app.example wants')),
  ],
  ['other line ends', lines.map((line) => `${line}\r`)],
  ['nothing', []],
])('parseSiweMessage: refuses %s', (_what, changed) => {
  expect(parseSiweMessage(changed.join('\n'))).toBeNull()
})

it('parseSiweMessage: reads messages created by viem', () => {
  const moment = fc.date({ min: new Date('2000-01-01'), max: new Date('2100-01-01'), noInvalidDate: true })
  const words = fc.stringMatching(/^[A-Za-z0-9 .,]{1,40}$/).filter((text) => text.trim() !== '')
  const optional = <Value>(arbitrary: fc.Arbitrary<Value>) => fc.option(arbitrary, { nil: undefined })
  const messages = fc.record({
    address: fc.stringMatching(/^0x[0-9a-f]{40}$/).map((text) => getAddress(text)),
    chainId: fc.integer({ min: 1, max: 1_000_000 }),
    domain: fc.constantFrom('app.example', 'localhost:3000', '127.0.0.1:80'),
    nonce: fc.stringMatching(/^[A-Za-z0-9]{8,32}$/),
    uri: fc.constant('https://app.example/path?query'),
    issuedAt: moment,
    statement: optional(words),
    expirationTime: optional(moment),
    notBefore: optional(moment),
    requestId: optional(words),
    resources: optional(fc.array(fc.constant('https://app.example/x'), { maxLength: 3 })),
  })
  fc.assert(
    fc.property(messages, (message) => {
      const { expirationTime, notBefore, requestId, resources, statement, issuedAt, ...rest } = message
      const given = Object.fromEntries(Object.entries(message).filter(([, value]) => value !== undefined))
      const text = createSiweMessage({ ...(given as typeof message & { version: '1' }), version: '1' })
      expect(parseSiweMessage(text)).toEqual({
        ...rest,
        scheme: null,
        version: '1',
        issuedAt: issuedAt.getTime(),
        statement: statement ?? null,
        expirationTime: expirationTime?.getTime() ?? null,
        notBefore: notBefore?.getTime() ?? null,
        requestId: requestId ?? null,
        resources: resources ?? [],
      })
    }),
  )
})
