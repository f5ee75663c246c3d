import { expect, it } from 'vitest'
import { prefixedHex } from './formats.js'
import { castJson, channelJson, jsonArray, viewedJson } from './json.js'

const alice = '{"fid":1}'
const liked = { liked: true, recasted: false }
const following = { following: true }

it('castJson joins the parts of a cast', () => {
  const parts = { author: alice, mentioned: [alice, '{"fid":2}'], channel: null, viewerContext: null }
  expect(castJson('{"text":"hi"', parts)).toBe(
    '{"text":"hi","author":{"fid":1},"mentioned_profiles":[{"fid":1},{"fid":2}],"channel":null}',
  )
  expect(
    JSON.parse(castJson('{"text":"hi"', { ...parts, channel: '{"id":"gardens"}', viewerContext: liked })),
  ).toEqual({
    text: 'hi',
    author: { fid: 1 },
    mentioned_profiles: [{ fid: 1 }, { fid: 2 }],
    channel: { id: 'gardens' },
    viewer_context: liked,
  })
})

it('channelJson puts the lead in every member that the schema has for it', () => {
  expect(JSON.parse(channelJson('{"id":"gardens"', { lead: alice, viewerContext: following }))).toEqual({
    id: 'gardens',
    lead: { fid: 1 },
    moderator: { fid: 1 },
    hosts: [{ fid: 1 }],
    viewer_context: following,
  })
  expect(channelJson('{"id":"gardens"', { lead: null, viewerContext: null })).toBe(
    '{"id":"gardens","hosts":[]}',
  )
})

it('viewer context comes last, the same each time', () => {
  for (let time = 0; time < 2; time += 1) {
    expect(viewedJson('{"id":"a"', following)).toBe('{"id":"a","viewer_context":{"following":true}}')
  }
  const blocked = { following: false, followed_by: false, blocking: false, blocked_by: true }
  expect(viewedJson('{"fid":1', blocked)).toBe(`{"fid":1,"viewer_context":${JSON.stringify(blocked)}}`)
  expect(viewedJson('{"fid":1', null)).toBe(alice)
})

it('jsonArray', () => {
  expect(jsonArray([])).toBe('[]')
  expect(jsonArray([alice, '2'])).toBe('[{"fid":1},2]')
})

it('prefixedHex', () => {
  expect(prefixedHex(Buffer.of(0, 0xab))).toBe('0x00ab')
})
