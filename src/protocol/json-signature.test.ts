import { describe, expect, it } from 'vitest'
import { verifyEd25519 } from './ed25519.js'
import { type JsonSignature, parseJsonSignature, readObject, signJson } from './json-signature.js'
import { sampleSigner } from './testing/sample-messages.js'

const key = sampleSigner()
const said = { fid: 5, type: 'app_key', key: `0x${key.publicKey.toString('hex')}` }
const account = { fid: 5, type: 'custody', key: `0x${'Ab'.repeat(20)}` }
const accountSignature = Buffer.alloc(65, 0xc3)

function encoded(content: string | Buffer): string {
  return Buffer.from(content).toString('base64url')
}

/** A JSON signature with this header and these signature bytes. */
function signature(header: unknown, bytes: string | Buffer = Buffer.alloc(64, 1)): JsonSignature {
  return { header: encoded(JSON.stringify(header)), payload: encoded('{}'), signature: encoded(bytes) }
}

function refused(problem: string): object {
  return {
    code: 'bad_request.invalid_param',
    message: `this is not a JSON Farcaster Signature: ${problem}`,
  }
}

describe('a JSON Farcaster Signature', () => {
  it('of an app key is parsed into its signer and payload', () => {
    const sent = signJson(5, key, { event: 'added', text: 'ü?>' })
    const opened = parseJsonSignature(sent)
    expect(opened).toEqual({
      fid: 5,
      type: 'app_key',
      key: key.publicKey,
      payload: Buffer.from('{"event":"added","text":"ü?>"}'),
      signed: Buffer.from(`${encoded(JSON.stringify(said))}.${sent.payload}`),
      signature: Buffer.from(sent.signature, 'base64url'),
    })
    const { signature: bytes, signed } = opened as Exclude<typeof opened, { code: string }>
    expect(verifyEd25519(bytes, signed, key.publicKey)).toBe(true)
    const padded = { ...sent, signature: `${sent.signature}==` }
    expect(parseJsonSignature(padded)).toEqual(opened)
  })

  it.each(['custody', 'auth'])('of an account (%s) has 65 bytes, or their hex text', (type) => {
    const opened = { fid: 5, type, key: Buffer.alloc(20, 0xab), signature: accountSignature }
    const hex = accountSignature.toString('hex')
    for (const bytes of [accountSignature, `0x${hex}`, `0x${hex.toUpperCase()}`]) {
      expect(parseJsonSignature(signature({ ...account, type }, bytes))).toMatchObject(opened)
    }
  })

  it.each([64, 66])('of an account with %i bytes is refused in every form', (length) => {
    const bytes = Buffer.alloc(length, 0xc3)
    for (const written of [bytes, `0x${bytes.toString('hex')}`]) {
      expect(parseJsonSignature(signature(account, written))).toEqual(
        refused('signature has not the length of one'),
      )
    }
  })

  it.each([
    ['63 bytes', Buffer.alloc(63, 1)],
    ['65 bytes', Buffer.alloc(65, 1)],
    ['hex', `0x${'01'.repeat(64)}`],
  ])('of an app key with %s instead of 64 bytes is refused', (_, bytes) => {
    expect(parseJsonSignature(signature(said, bytes))).toEqual(refused('signature has not the length of one'))
  })

  it.each(['header', 'payload', 'signature'])('with a %s that is not base64url is refused', (name) => {
    for (const text of ['', 'a+b', 'a/b', 'a b', 'YQ===', '=', 'é']) {
      expect(parseJsonSignature({ ...signature(said), [name]: text })).toEqual(
        refused(`${name} must be base64url`),
      )
    }
  })

  const notFid = 'fid in the header must be a whole number from 1 on'
  const notType = 'type in the header must be one of app_key, custody, auth'
  const notKey = 'key in the header must be 0x and 64 hex digits'
  const notAddress = 'key in the header must be 0x and 40 hex digits'
  const headers: [problem: string, header: unknown][] = [
    ['header must be a JSON object', [said]],
    ['header must be a JSON object', 'app_key'],
    ...[undefined, '5', 0, -1, 1.5, 2 ** 53].map((fid): [string, object] => [notFid, { ...said, fid }]),
    ...[undefined, 'key', 1].map((type): [string, object] => [notType, { ...said, type }]),
    ...[undefined, 1, said.key.slice(2), `${said.key}00`, said.key.slice(0, -2), `0x${'g'.repeat(64)}`].map(
      (value): [string, object] => [notKey, { ...said, key: value }],
    ),
    [notKey, { ...said, key: account.key }],
    [notKey, { ...said, key: [said.key] }],
    [notAddress, { ...account, key: said.key }],
    [notAddress, { ...account, type: 'auth', key: `${account.key}00` }],
  ]
  it.each(headers)('is refused: %s', (problem, header) => {
    expect(parseJsonSignature(signature(header, accountSignature))).toEqual(refused(problem))
  })

  it('may be of fid 1', () => {
    expect(parseJsonSignature(signature({ ...said, fid: 1 }))).toMatchObject({ fid: 1 })
  })
})

describe('readObject', () => {
  it('returns the members of an object, and null for other values', () => {
    expect(readObject(Buffer.from(' {"a":{"b":[1]}} '))).toEqual({ a: { b: [1] } })
    expect(readObject(Buffer.from('{}'))).toEqual({})
    for (const text of ['', '[]', '[{}]', 'null', '1', '"a"', 'true', '{', '{}}', '{a:1}']) {
      expect(readObject(Buffer.from(text))).toBeNull()
    }
  })
})
