import { Webhook } from 'standardwebhooks'
import { expect, it } from 'vitest'
import { verifyWebhook } from '../../packages/verify-webhook/index.js'
import { hexSignature, standardSignature } from '../../src/features/webhooks/signatures.js'

/** Test vectors of docs/webhooks.md. */
const secret = 'whsec_cGxhemEgdGVzdCB2ZWN0b3Igc2VjcmV0IDAwMDAwMDE='
const oldSecret = 'whsec_cGxhemEgdGVzdCB2ZWN0b3Igc2VjcmV0IDAwMDAwMDA='
const body =
  '{"created_at":1793491200,"event_timestamp":"2026-11-01T00:00:00.000Z","type":"user.created","event_id":"1-16385","delivery_id":"3f0c8e5e-3c1f-4b6e-9a55-0d7c6a3d2f10","data":{"object":"user","fid":1}}'
const id = '3f0c8e5e-3c1f-4b6e-9a55-0d7c6a3d2f10'
const timestamp = 1_793_491_200
const hex =
  'faea62e7d0c40797f79a5c5cea3f42c1df65cd48faf3d8ac49e3f1caa7aa9a8a5aadbb9b85a62b5bad4db64b4fe64e82a0eb1e4f60f1670e491add0651dc4f46'
const standard = 'v1,x6aYfMI1kp7PPm4J0CHXM69NlRrtRkZu5LI59xC8Q9Y='

const now = () => timestamp * 1000
const headers = {
  'webhook-id': id,
  'webhook-timestamp': String(timestamp),
  'webhook-signature': standard,
  'x-plaza-signature': hex,
}

it('verifyWebhook: matches the test vectors', () => {
  expect(hexSignature(secret, body)).toBe(hex)
  expect(standardSignature(secret, { id, timestamp, body })).toBe(standard)
})

it('verifyWebhook: accepts signatures of the published Standard Webhooks library', () => {
  expect(new Webhook(secret).sign(id, new Date(timestamp * 1000), body)).toBe(standard)
})

it('verifyWebhook: accepts text and bytes, and headers of any kind', () => {
  expect(verifyWebhook(body, headers, secret, { now })).toBe(true)
  expect(verifyWebhook(Buffer.from(body), headers, [secret], { now })).toBe(true)
  expect(verifyWebhook(body, new Headers(headers), [oldSecret, secret], { now })).toBe(true)
  const capitals = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]),
  )
  expect(verifyWebhook(body, capitals, secret, { now })).toBe(true)
})

it('verifyWebhook: accepts one of several signatures during a rotation', () => {
  const both = {
    ...headers,
    'webhook-signature': `${standardSignature(oldSecret, { id, timestamp, body })} ${standard}`,
    'x-plaza-signature': `${hexSignature(oldSecret, body)},${hex}`,
  }
  for (const each of [secret, oldSecret]) expect(verifyWebhook(body, both, each, { now })).toBe(true)
})

it('verifyWebhook: accepts a clock difference of five minutes by default', () => {
  const after = (seconds: number) => ({ now: () => (timestamp + seconds) * 1000 })
  expect(verifyWebhook(body, headers, secret, after(300))).toBe(true)
  expect(verifyWebhook(body, headers, secret, after(301))).toBe(false)
  expect(verifyWebhook(body, headers, secret, after(-301))).toBe(false)
  expect(verifyWebhook(body, headers, secret, { ...after(301), toleranceSeconds: 400 })).toBe(true)
})

it('verifyWebhook: a tolerance or a clock that is no number refuses', () => {
  const old = { now: () => (timestamp + 1_000) * 1_000 }
  expect(verifyWebhook(body, headers, secret, { ...old, toleranceSeconds: Number.NaN })).toBe(false)
  expect(verifyWebhook(body, headers, secret, { now: () => Number.NaN })).toBe(false)
})

const wrong: [what: string, change: Partial<Record<keyof typeof headers, string | undefined>>][] = [
  ['another id', { 'webhook-id': 'other' }],
  ['another time', { 'webhook-timestamp': String(timestamp + 1) }],
  ['a time that is no number', { 'webhook-timestamp': 'now' }],
  ['no time', { 'webhook-timestamp': undefined }],
  ['no id', { 'webhook-id': undefined }],
  ['no signature of Standard Webhooks', { 'webhook-signature': undefined }],
  ['no signature in hex', { 'x-plaza-signature': undefined }],
  ['an empty signature', { 'webhook-signature': '' }],
  ['a wrong signature in hex', { 'x-plaza-signature': hex.replace(/^./, 'z') }],
  ['a shortened signature', { 'x-plaza-signature': hex.slice(0, 64) }],
  ['a signature of another version', { 'webhook-signature': standard.replace('v1,', 'v2,') }],
  ['a wrong signature of Standard Webhooks', { 'webhook-signature': standard.replace(/.=$/, 'A=') }],
]

it.each(wrong)('verifyWebhook: refuses %s', (_what, change) => {
  expect(verifyWebhook(body, { ...headers, ...change }, secret, { now })).toBe(false)
})

it('verifyWebhook: refuses another body, another secret and no secret', () => {
  expect(verifyWebhook(`${body} `, headers, secret, { now })).toBe(false)
  expect(verifyWebhook(body, headers, oldSecret, { now })).toBe(false)
  expect(verifyWebhook(body, headers, [], { now })).toBe(false)
  const unsigned = { ...headers, 'x-plaza-signature': hexSignature('', body) }
  expect(verifyWebhook(body, unsigned, [''], { now })).toBe(false)
})
