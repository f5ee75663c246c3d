import fc from 'fast-check'
import { expect, it } from 'vitest'
import { checkRedirectUrl } from '../apps/redirect-url.js'

it.each([
  ['https://app.example/done?x=1#y', 'https://app.example/done?x=1#y'],
  ['HTTPS://App.Example', 'https://app.example/'],
  ['http://localhost:3000/done', 'http://localhost:3000/done'],
  ['http://127.0.0.1/', 'http://127.0.0.1/'],
  ['myapp://signed-in', 'myapp://signed-in'],
  ['com.example.app://x', 'com.example.app://x'],
])('checkRedirectUrl: accepts %s', (given, canonical) => {
  expect(checkRedirectUrl(given)).toBe(canonical)
})

it.each([
  'javascript:alert(1)',
  'javascript://app.example/%0aalert(1)',
  ' JAVA\tSCRIPT://x',
  'data:text/html,<script>',
  'data://x',
  'vbscript://x',
  'file:///etc/passwd',
  'blob:https://app.example/x',
  'view-source:https://app.example',
  'intent://x#Intent;scheme=y;end',
  'http://app.example/',
  'https://user:password@app.example/',
  'https://user@app.example/',
  'mailto:somebody@app.example',
  'myapp:signed-in',
  '//app.example',
  '/done',
  'nonsense',
  '',
  `https://app.example/${'x'.repeat(2_048)}`,
])('checkRedirectUrl: refuses %s', (given) => {
  expect(() => checkRedirectUrl(given)).toThrow(expect.objectContaining({ property: 'redirect_url' }))
})

it('checkRedirectUrl: a browser parses every accepted URL the same way', () => {
  const schemes = fc.constantFrom(
    'https',
    'http',
    'javascript',
    'data',
    'myapp',
    'intent',
    'file',
    'JavaScript',
  )
  fc.assert(
    fc.property(schemes, fc.string({ maxLength: 40 }), (scheme, rest) => {
      let url: URL
      try {
        url = new URL(checkRedirectUrl(`${scheme}:${rest}`))
      } catch {
        return
      }
      expect(['https:', 'http:', 'myapp:']).toContain(url.protocol)
      expect(checkRedirectUrl(url.href)).toBe(url.href)
    }),
  )
})
