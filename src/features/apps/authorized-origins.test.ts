import fc from 'fast-check'
import { expect, it } from 'vitest'
import { checkReturnUrl, normalizeAuthorizedOrigins } from './authorized-origins.js'

it('normalizeAuthorizedOrigins: keeps origins and schemes once, in lowercase', () => {
  expect(
    normalizeAuthorizedOrigins([
      'https://App.example.com/',
      'https://app.example.com:443',
      ' https://müller.example ',
      'http://localhost:3000',
      'http://127.0.0.1:3000',
      'myapp://',
    ]),
  ).toEqual([
    'https://app.example.com',
    'https://xn--mller-kva.example',
    'http://localhost:3000',
    'http://127.0.0.1:3000',
    'myapp://',
  ])
})

it.each([
  'https://*.example.com',
  'https://app.example.com/callback',
  'https://app.example.com?x=1',
  'https://app.example.com#x',
  'https://user@app.example.com',
  'https://192.0.2.1',
  'https://[2001:db8::1]',
  'http://app.example.com',
  'javascript:alert(1)',
  'data://x',
  'myapp://host',
  '*',
  'null',
  '',
])('normalizeAuthorizedOrigins: refuses %s', (origin) => {
  expect(() => normalizeAuthorizedOrigins([origin])).toThrow(/^authorized_origins m/)
})

it('normalizeAuthorizedOrigins: refuses more than twenty', () => {
  const origins = Array.from({ length: 21 }, (_, index) => `https://app${index}.example`)
  expect(normalizeAuthorizedOrigins(origins.slice(1))).toHaveLength(20)
  expect(() => normalizeAuthorizedOrigins(origins)).toThrow('at most 20')
})

const origins = ['https://app.example.com', 'http://localhost:3000', 'myapp://']

it.each(['https://app.example.com/callback?state=1', 'http://localhost:3000/', 'myapp://signed-in'])(
  'checkReturnUrl: accepts %s',
  (url) => {
    expect(checkReturnUrl(url, origins, 'redirect_uri')).toBe(url)
  },
)

it.each([
  'https://app.example.com.evil.example/',
  'https://app.example.com@evil.example/',
  'https://evil.example/?https://app.example.com',
  'https://app.example.com:8443/',
  'http://app.example.com/',
  'http://localhost:3001/',
  'other://signed-in',
  '//evil.example',
  '/callback',
  'javascript:alert(1)//https://app.example.com',
  'https:\\\\evil.example',
])('checkReturnUrl: refuses %s', (url) => {
  expect(() => checkReturnUrl(url, origins, 'redirect_uri')).toThrow(/^redirect_uri m/)
})

it('checkReturnUrl: whatever it accepts, a browser opens on an authorized origin', () => {
  const piece = fc.constantFrom('https:', 'http:', '//', '/', '\\', '@', ':', '?', '#', '.', '%2f', '\t', ' ')
  const text = fc.constantFrom('app.example.com', 'evil.example', 'localhost:3000', 'myapp', 'x', '3000')
  fc.assert(
    fc.property(fc.array(fc.oneof(piece, text), { maxLength: 8 }), (parts) => {
      let accepted: string
      try {
        accepted = checkReturnUrl(parts.join(''), origins, 'redirect_uri')
      } catch {
        return
      }
      const { origin, protocol } = new URL(accepted)
      expect(origins).toContain(origin === 'null' ? `${protocol}//` : origin)
    }),
    { numRuns: 20_000 },
  )
})
