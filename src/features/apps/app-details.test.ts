import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { normalizeAppName, normalizeDeveloperUuid, normalizeMiniAppDomain } from './apps.js'

const refusal = (property: string) => expect.objectContaining({ code: 'bad_request.invalid_param', property })

describe('normalizeAppName', () => {
  it.each([
    ['reader', 'reader'],
    ['  a reader \n', 'a reader'],
    ['Zoë’s “Köder” 🎣', 'Zoë’s “Köder” 🎣'],
    ["Robert'); drop table apps.apps;--", "Robert'); drop table apps.apps;--"],
    ['<script>alert(1)</script>', '<script>alert(1)</script>'],
    ['%00 $x {{y}} \\', '%00 $x {{y}} \\'],
    ['पाठक', 'पाठक'],
    ['👩‍👩‍👧‍👦', '👩‍👩‍👧‍👦'],
    ['constructor', 'constructor'],
    ['x'.repeat(100), 'x'.repeat(100)],
  ])('accepts %j', (text, name) => {
    expect(normalizeAppName(text)).toBe(name)
  })

  it('normalizes accents', () => {
    expect(normalizeAppName('Zoe\u0308')).toBe(normalizeAppName('Zo\u00eb'))
  })

  it.each(['', '   ', 'a\nb', 'a\tb', 'a\0b', 'a\u2028b', 'half \ud83c', '\u001b[31mred', 'x'.repeat(101)])(
    'refuses %j',
    (text) => {
      expect(() => normalizeAppName(text)).toThrow(refusal('name'))
    },
  )

  it('refuses names that look like an id', () => {
    expect(() => normalizeAppName('6BA7B810-9dad-11d1-80b4-00c04fd430c8')).toThrow(refusal('name'))
  })
})

describe('normalizeMiniAppDomain', () => {
  it.each([
    ['app.example.com', 'app.example.com'],
    ['App.EXAMPLE.com', 'app.example.com'],
    ['müller.example', 'xn--mller-kva.example'],
    ['MÜLLER.example', 'xn--mller-kva.example'],
    ['ａｐｐ.example', 'app.example'],
    ['localhost', 'localhost'],
    ['a-b.c1.example', 'a-b.c1.example'],
    [`${'a'.repeat(63)}.example`, `${'a'.repeat(63)}.example`],
  ])('accepts %s', (text, domain) => {
    expect(normalizeMiniAppDomain(text)).toBe(domain)
  })

  it.each([
    '',
    ' ',
    'https://app.example.com',
    '//app.example.com',
    'app.example.com/',
    'app.example.com:443',
    'user@app.example.com',
    'app.example.com?x',
    'app.example.com#x',
    'app example.com',
    'app.example.com\n',
    '.example.com',
    'app..example.com',
    'app.example.com.',
    '-app.example.com',
    'app-.example.com',
    'app_1.example.com',
    '*.example.com',
    '127.0.0.1',
    '0x7f.1',
    '2130706433',
    '[::1]',
    '::1',
    'xn--a.example',
    `${'a'.repeat(64)}.example`,
    `${'a.'.repeat(130)}example`,
    'app.example.com\0',
    '%61pp.example.com',
    'app\u3002',
  ])('refuses %j', (text) => {
    expect(() => normalizeMiniAppDomain(text)).toThrow(refusal('mini_app_domain'))
  })

  it('is idempotent and equals the host of its URL', () => {
    fc.assert(
      fc.property(fc.domain(), (text) => {
        const domain = normalizeMiniAppDomain(text)
        expect(normalizeMiniAppDomain(domain)).toBe(domain)
        expect(new URL(`https://${domain}/`).hostname).toBe(domain)
      }),
    )
  })
})

it('normalizeDeveloperUuid: a UUID in lowercase', () => {
  const uuid = '6BA7B810-9DAD-11D1-80B4-00C04FD430C8'
  expect(normalizeDeveloperUuid(uuid)).toBe(uuid.toLowerCase())
  for (const text of ['', 'x', uuid.slice(1), `${uuid}0`, uuid.replaceAll('-', ''), `{${uuid}}`]) {
    expect(() => normalizeDeveloperUuid(text)).toThrow(refusal('developer_uuid'))
  }
})
