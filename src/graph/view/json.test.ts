import fc from 'fast-check'
import { expect, it } from 'vitest'
import { Json, joined, json, jsonArray, keptJson, noJson } from './json.js'

const alice = json`{"fid":${1}}`
/** Texts of all scripts, and surrogates without a partner. */
const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom('🌱', 'ß', '日本語', '\ud83c', '"\\\u0000\u2028'),
)

it('json takes rendered JSON as it is and serializes everything else', () => {
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: 'binary' }), text, (value, name) => {
      const page = json`{${name}:${value as object},"🌱":[${Json.of(value as object)},${alice}]}`
      const expected = `{${JSON.stringify(name)}:${JSON.stringify(value)},"🌱":[${JSON.stringify(value)},{"fid":1}]}`
      expect(page.toString()).toBe(expected)
      expect(page.toBuffer().equals(Buffer.from(expected))).toBe(true)
      expect(page.byteLength).toBe(Buffer.byteLength(expected))
    }),
  )
})

it('one piece can be in several replies, and in one reply several times', () => {
  const twice = jsonArray([alice, alice])
  expect([`${twice}`, `${jsonArray([twice, alice])}`]).toEqual([
    '[{"fid":1},{"fid":1}]',
    '[[{"fid":1},{"fid":1}],{"fid":1}]',
  ])
})

it('withMembers adds to the end of an object and leaves the object as it was', () => {
  const nested = new Json([json`{"cast":`, Json.of({ text: '🌱' }), new Json([Buffer.from('}')])])
  expect(`${nested.withMembers(json`,"user":${alice}`)}`).toBe('{"cast":{"text":"🌱"},"user":{"fid":1}}')
  expect(`${nested.withMembers(noJson)}`).toBe('{"cast":{"text":"🌱"}}')
  expect(nested.parse()).toEqual({ cast: { text: '🌱' } })
})

it('lists of rendered values keep their JSON', () => {
  expect([[], [alice], [alice, Json.of('2')]].map((items) => `${jsonArray(items)}`)).toEqual([
    '[]',
    '[{"fid":1}]',
    '[{"fid":1},"2"]',
  ])
  expect(`${json`{${joined([json`"a":${1}`, json`"b":${2}`])}}`}`).toBe('{"a":1,"b":2}')
})

it('keptJson: the parts, in memory of their own', () => {
  const [first, second] = keptJson('{"text":"🌱', '"}')
  expect([`${first}`, `${second}`]).toEqual(['{"text":"🌱', '"}'])
  expect([first.buffer, first.buffer.byteLength]).toEqual([second.buffer, first.length + second.length])
})

it('rendered: JSON that comes as a text', () => {
  expect(Json.rendered('{"a":"ß"}').parse()).toEqual({ a: 'ß' })
})
