import type { Random } from '../../fidelity/generator/random.js'
import { RawJson } from './hostile-values.js'

/** Writes JSON, with the parts that `JSON.stringify` cannot write. */
export function jsonText(value: unknown): string {
  const raw: string[] = []
  const text = JSON.stringify(value, (_key, each) => {
    if (!(each instanceof RawJson)) return each
    raw.push(each.text)
    return `raw-json-${raw.length - 1}`
  })
  return raw.reduce((written, part, n) => written.replace(`"raw-json-${n}"`, () => part), text ?? 'null')
}

const notJson = [
  ...['', ' ', '{', '{"a":', '[1,]', "{'a':1}", '{"a":1}{"b":2}', 'NaN', '\ufeff{}', 'undefined', '{"a":01}'],
  ...[
    '"\\ud800"',
    '"\\u0000"',
    '{"a":1,"a":2}',
    '[]',
    'null',
    '0',
    '"text"',
    'true',
    '{"__proto__":1}',
    '\u0000{}',
  ],
]

/** A body that is no JSON, or no object, or a valid one with bytes that are no UTF-8. */
export function brokenJson(random: Random, valid: string): Buffer {
  if (random.chance(40)) return Buffer.from(random.pick(notJson))
  const bytes = Buffer.from(valid)
  const at = random.below(bytes.length + 1)
  const inserted = random.pick([
    ...[
      [0xc0, 0x80],
      [0xff],
      [0xed, 0xa0, 0x80],
      [0xf8, 0x88, 0x80, 0x80, 0x80],
      [0xe2, 0x82],
      [0x00],
      [0x80],
    ],
    ...[[0xef, 0xbb, 0xbf], [0x5c], [0x22], [0x0a]],
  ])
  if (random.chance(30)) return bytes.subarray(0, at)
  return Buffer.concat([bytes.subarray(0, at), Buffer.from(inserted), bytes.subarray(at)])
}
