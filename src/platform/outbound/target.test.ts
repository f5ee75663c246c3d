import fc from 'fast-check'
import { expect, it } from 'vitest'
import { rangeOf } from './address-range.js'
import { isNetFailure } from './net-failure.js'
import { checkTarget, type TargetPolicy } from './target.js'

const strict: TargetPolicy = { allowHttp: false, allowLoopback: false }
const lenient: TargetPolicy = { allowHttp: true, allowLoopback: false }
const development: TargetPolicy = { allowHttp: true, allowLoopback: true }

function verdict(url: string, policy: TargetPolicy): string {
  const checked = checkTarget(url, policy)
  return isNetFailure(checked) ? checked.kind : 'allowed'
}

/** Private hosts in every notation that the URL standard accepts. */
const hostileHosts: Record<string, readonly string[]> = {
  'forbidden-address': [
    // Loopback: full and short, decimal, octal, hexadecimal, mixed, and in other alphabets.
    '127.0.0.1',
    '127.0.0.1.',
    '127.1',
    '127.0.1',
    '127.255.255.254',
    '2130706433',
    '017700000001',
    '0x7f000001',
    '0x7f.0.0.1',
    '0177.0.0.1',
    '0x7f.1',
    '①②⑦.⓪.⓪.①',
    '１２７.０.０.１',
    '127。0。0。1',
    '%31%32%37.0.0.1',
    '[::1]',
    '[0:0:0:0:0:0:0:1]',
    '[0000::0001]',
    // Unspecified: Linux connects to loopback.
    '0.0.0.0',
    '0',
    '0x0',
    '[::]',
    // Private.
    '10.0.0.1',
    '10.255.255.255',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.0.1',
    '192.168.1',
    '3232235777',
    '0xc0a80101',
    '[fc00::1]',
    '[fd12:3456:789a::1]',
    // Link-local and metadata.
    '169.254.169.254',
    '2852039166',
    '0xa9fea9fe',
    '0251.0376.0251.0376',
    '169.254.170.2',
    '100.100.100.200',
    '192.0.0.192',
    '168.63.129.16',
    '[fd00:ec2::254]',
    '[fd20:ce::254]',
    '[fe80::1]',
    '[febf::1]',
    '[fec0::1]',
    // Carrier-grade NAT, benchmarking, documentation, reserved, multicast, broadcast.
    '100.64.0.1',
    '100.127.255.255',
    '198.18.0.1',
    '198.19.255.255',
    '192.0.2.1',
    '198.51.100.1',
    '203.0.113.1',
    '192.0.0.8',
    '192.88.99.1',
    '224.0.0.1',
    '239.255.255.250',
    '240.0.0.1',
    '255.255.255.255',
    '[ff02::1]',
    '[2001:db8::1]',
    '[3fff::1]',
    '[2001:2::1]',
    '[100::1]',
    '[5f00::1]',
    // IPv4 inside IPv6.
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[::ffff:169.254.169.254]',
    '[::ffff:8.8.8.8]',
    '[::127.0.0.1]',
    '[::ffff:0:127.0.0.1]',
    '[64:ff9b::127.0.0.1]',
    '[64:ff9b::a9fe:a9fe]',
    '[64:ff9b:1::10.0.0.1]',
    '[2002:7f00:1::]',
    '[2002:a9fe:a9fe::1]',
    '[2001:0:4136:e378:8000:63bf:3fff:fdd2]',
    '[2607:f8b0:4005:805:0:5efe:10.0.0.1]',
  ],
  'forbidden-host': [
    'localhost',
    'LOCALHOST',
    'localhost.',
    'ｌocalhost',
    'a.localhost',
    'printer.local',
    'printer.local.',
    'metadata.google.internal',
    'metadata',
    'instance-data',
    'kubernetes.default.svc',
    'kubernetes.default.svc.cluster.local',
    'host.docker.internal',
    'router.lan',
    'nas.home.arpa',
    'wiki.corp',
    'intranet',
    'abc.onion',
    'service.test',
    'a.example',
    'a.invalid',
    '1.0.0.127.in-addr.arpa',
  ],
  'invalid-url': [
    '',
    ' ',
    '[::1',
    '[fe80::1%25eth0]',
    '256.256.256.256',
    '127.0.0.0x100',
    'a b',
    '1.2.3.4.5',
  ],
}

for (const [kind, hosts] of Object.entries(hostileHosts)) {
  it.each(hosts)(`refuses https://%s/ (${kind})`, (host) => {
    expect(verdict(`https://${host}/`, strict)).toBe(kind)
    expect(verdict(`http://${host}:8080/a?b#c`, lenient)).toBe(kind)
  })
}

it.each([
  ['http://plaza.social/', 'forbidden-scheme'],
  ['ftp://plaza.social/', 'forbidden-scheme'],
  ['file:///etc/passwd', 'forbidden-scheme'],
  ['gopher://plaza.social:70/', 'forbidden-scheme'],
  ['data:text/html,hello', 'forbidden-scheme'],
  ['javascript:alert(1)', 'forbidden-scheme'],
  ['unix:/var/run/docker.sock', 'forbidden-scheme'],
  ['https://user@plaza.social/', 'forbidden-credentials'],
  ['https://user:secret@plaza.social/', 'forbidden-credentials'],
  ['https://:secret@plaza.social/', 'forbidden-credentials'],
  ['https://plaza.social@127.0.0.1/', 'forbidden-credentials'],
  ['https://plaza.social#@127.0.0.1/', 'allowed'],
  ['https://127.0.0.1#@plaza.social/', 'forbidden-address'],
  ['https:\\\\127.0.0.1\\@plaza.social/', 'forbidden-address'],
  ['https:127.0.0.1', 'forbidden-address'],
  ['https://127.0.\t0.1/', 'forbidden-address'],
  ['https://plaza.social:22/', 'forbidden-port'],
  ['https://plaza.social:25/', 'forbidden-port'],
  ['https://plaza.social:6667/', 'forbidden-port'],
  ['//plaza.social/', 'invalid-url'],
  ['/path', 'invalid-url'],
])('judges %s as %s', (url, kind) => {
  expect(verdict(url, strict)).toBe(kind)
})

it.each([
  'https://plaza.social/',
  'https://plaza.social:8443/a?b=c#d',
  'https://8.8.8.8/',
  'https://[2606:4700:4700::1111]/',
  // Not ISATAP: the bits before 5efe are others.
  'https://[2607:f8b0:4005:805:1:5efe:808:808]/',
  'https://172.32.0.1/',
  'https://100.128.0.1/',
  'https://localhost.plaza.social/',
  'https://xn--bcher-kva.plaza.social/',
])('accepts %s', (url) => {
  expect(verdict(url, strict)).toBe('allowed')
})

it('refuses a URL of more than 2,048 characters', () => {
  const begin = 'https://plaza.social/'
  expect(verdict(begin.padEnd(2_049, 'a'), strict)).toBe('invalid-url')
  expect(verdict(begin.padEnd(2_048, 'a'), strict)).toBe('allowed')
})

it('accepts loopback, and no other private address, if the policy allows loopback', () => {
  for (const host of ['127.0.0.1', '127.9.9.9', '[::1]', 'localhost', 'app.localhost', '2130706433']) {
    expect(verdict(`http://${host}:3000/`, development)).toBe('allowed')
  }
  for (const host of ['0.0.0.0', '10.0.0.1', '169.254.169.254', '[::ffff:127.0.0.1]', '[::]']) {
    expect(verdict(`http://${host}:3000/`, development)).toBe('forbidden-address')
  }
})

it('accepts only the ports of a policy with ports', () => {
  const policy = { ...strict, ports: [443] }
  expect(verdict('https://plaza.social/', policy)).toBe('allowed')
  expect(verdict('https://plaza.social:8443/', policy)).toBe('forbidden-port')
  expect(verdict('http://plaza.social/', { ...policy, allowHttp: true })).toBe('forbidden-port')
})

it('treats an IPv4 address equally in every notation', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 0xffff_ffff }), (address) => {
      const bytes = [24, 16, 8, 0].map((shift) => (address >>> shift) & 0xff)
      const spelledHosts = [
        String(address),
        `0x${address.toString(16)}`,
        `0${address.toString(8)}`,
        bytes.join('.'),
        bytes.map((byte) => `0x${byte.toString(16)}`).join('.'),
        bytes.map((byte) => `0${byte.toString(8)}`).join('.'),
      ]
      const range = rangeOf(bytes.join('.'))
      for (const spelledHost of spelledHosts) {
        expect(verdict(`https://${spelledHost}/`, strict)).toBe(
          range === 'public' ? 'allowed' : 'forbidden-address',
        )
      }
    }),
  )
})

it('refuses every IPv6 address that contains an IPv4 one', () => {
  const wraps = [
    '::ffff:',
    '::',
    '::ffff:0:',
    '64:ff9b::',
    '64:ff9b:1::',
    '2607:f8b0::5efe:',
    '2607:f8b0::200:5efe:',
  ]
  fc.assert(
    fc.property(fc.ipV4(), fc.constantFrom(...wraps), (address, prefix) => {
      expect(rangeOf(prefix + address)).not.toBe('public')
    }),
  )
})

it('treats invalid addresses as not allowed', () => {
  for (const text of ['', 'plaza.social', '1.2.3', 'fe80::1%eth0', '::ffff', ' 8.8.8.8']) {
    expect(rangeOf(text)).not.toBe('public')
  }
})
