import type { Random } from '../../fidelity/generator/random.js'

/** A number that JSON can spell and JavaScript cannot hold. It is written into the text of a body as it is. */
export class RawJson {
  constructor(readonly text: string) {}
}

const loneSurrogate = '\ud800'
const lastLoneSurrogate = 'a\udfff'

/** Texts that parsers, databases and terminals are known to mistake. */
const hostileTexts: readonly string[] = [
  ...['', ' ', '\u0000', 'a\u0000b', '\n', '\r\nx-injected: 1', '\t', '\u007f', '\u0085', '\u2028', '\ufeff'],
  ...[
    '\ufffd',
    '\uffff',
    loneSurrogate,
    lastLoneSurrogate,
    '\u202eabc',
    'e\u0301',
    '👩‍👩‍👧‍👦',
    '𝕏',
    'ﬃ',
    'İ',
    'ß',
  ],
  ...[
    "'",
    '"',
    '\\',
    "' or 1=1 --",
    '%',
    '_',
    '%_%',
    '$1',
    '{}',
    '[]',
    '{{7*7}}',
    '<script>',
    '../../etc/passwd',
  ],
  ...[
    'null',
    'undefined',
    'true',
    'NaN',
    'Infinity',
    '-0',
    '0x',
    '0x0',
    '1e9',
    '١٢٣',
    '__proto__',
    'constructor',
  ],
  ...[
    'toString',
    'hasOwnProperty',
    '*',
    '(',
    '[',
    'a{1,99999}',
    '(a+)+$',
    '\\u0000',
    '%00',
    '%c0%ae',
    '&',
    '#',
  ],
  ...[
    '"unclosed',
    'a AND',
    '- -a',
    '~',
    '+',
    'from:',
    'before:9999-99-99',
    'OR OR',
    '((((((',
    '@',
    '@@@',
    '/',
  ],
  ...['2026-13-45T99:99:99Z', '0000-00-00', '275760-09-13T00:00:00.001Z', 'did:fc:1', 'eip155:1/erc20:0x'],
]

/** URLs that name no other machine: what the server is asked to fetch must not leave this one. */
const hostileUrls: readonly string[] = [
  ...['http://127.0.0.1:1/', 'https://127.0.0.1:1/x', 'http://[::1]:1/', 'http://0.0.0.0/', 'http://127.1/'],
  ...[
    'http://169.254.169.254/latest/meta-data',
    'http://10.0.0.1/',
    'http://[::ffff:10.0.0.1]/',
    'file:///etc/passwd',
  ],
  ...[
    'http://user:password@127.0.0.1:1/',
    'http://127.0.0.1:99999/',
    'http://',
    'https:///',
    '//127.0.0.1',
    'ftp://[::1]',
  ],
  ...[
    'javascript:alert(1)',
    'data:text/html,x',
    'http://localhost:1/%zz',
    'http://[::1',
    'http://a b.invalid/',
  ],
  ...[
    `https://${'a'.repeat(64)}.invalid/`,
    `https://xn--${'9'.repeat(40)}.invalid/`,
    'https://é.invalid/\u0000',
  ],
  ...['chain://eip155:1/erc721:0x0000000000000000000000000000000000000000', 'https://127.0.0.1:1/#\ud800'],
]

const integers: readonly number[] = [
  ...[-1, 0, 1, 2, 3, 99, 100, 101, 150, 1000, 1001, 10_000, 10_001, 65_535, 65_536],
  ...[
    2 ** 31 - 1,
    2 ** 31,
    -(2 ** 31),
    2 ** 32 - 1,
    2 ** 32,
    2 ** 53 - 1,
    2 ** 53,
    -(2 ** 53),
    2 ** 63,
    2 ** 64,
  ],
  ...[0.5, -0.1, 1e21, 1e308, 5e-324],
]
const rawNumbers = ['1e400', '-1e400', '-0', '9007199254740993', '18446744073709551616', '0.1e1', '1E+2']
const lengths = [
  1, 15, 16, 17, 31, 32, 33, 63, 65, 255, 256, 257, 320, 321, 1023, 1024, 1025, 4097, 20_000, 70_000,
]
/** Deeper than parsers and stacks like. */
const depths = [8, 64, 300, 1_000, 5_000, 20_000]

/** A number at or over a bound of the schema, or of a machine type. */
export function hostileNumber(random: Random, { minimum, maximum }: Bounds): number | RawJson {
  const bounds = [minimum, maximum].filter((bound) => bound !== undefined)
  if (bounds.length > 0 && random.chance(50)) return random.pick(bounds) + random.between(-1, 1)
  return random.chance(80) ? random.pick(integers) : new RawJson(random.pick(rawNumbers))
}

/** The bounds of a number or of a text. */
export interface Bounds {
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
}

/** A text at or over a bound, or one that is mistaken somewhere. */
export function hostileText(random: Random, { minLength, maxLength }: Bounds = {}): string {
  const bounds = [minLength, maxLength].filter((bound) => bound !== undefined)
  if (bounds.length > 0 && random.chance(30)) {
    const length = Math.max(0, random.pick(bounds) + random.between(-1, 1))
    return random
      .pick(['x', '0', 'é', '✨', '👩‍👩‍👧‍👦', ' ', loneSurrogate])
      .repeat(Math.min(length, 100_000))
  }
  if (random.chance(15)) return random.pick(['x', 'é', '0', '\u0000', '%']).repeat(random.pick(lengths))
  if (random.chance(20)) return random.pick(hostileUrls)
  if (random.chance(10)) return random.bytes(random.between(1, 40)).toString('latin1')
  return random.pick(hostileTexts)
}

/** A value of another type than the schema's, or one that nests too deep. */
export function wrongType(random: Random): unknown {
  switch (random.below(12)) {
    case 0:
      return null
    case 1:
      return random.chance(50)
    case 2:
      return hostileNumber(random, {})
    case 3:
      return []
    case 4:
      return {}
    case 5:
      return [[], {}, null, 'x', 1]
    case 6:
      return new RawJson(nested(random, '[', ']'))
    case 7:
      return new RawJson(nested(random, '{"a":', '}', '1'))
    case 8:
      return new RawJson('{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}')
    case 9:
      return Array.from({ length: random.pick([101, 1001, 5_000]) }, (_, n) => n)
    case 10:
      return Object.fromEntries(Array.from({ length: random.pick([10, 1_000]) }, (_, n) => [`k${n}`, n]))
    default:
      return hostileText(random)
  }
}

function nested(random: Random, open: string, close: string, core = ''): string {
  const depth = random.pick(depths)
  return `${open.repeat(depth)}${core}${close.repeat(depth)}`
}
