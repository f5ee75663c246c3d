import { gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { TestUser, testNow } from '../../../test/network.js'
import { encodeMessage } from '../../protocol/codec.js'
import { HubEvent, HubEventType, OnChainEvent, UserNameProof } from '../../protocol/definitions.js'
import { NonceKind } from '../merge/keys/key-state.js'
import {
  decodeItem,
  decodeKeyNonce,
  isItem,
  itemFrame,
  keyNonceFrame,
  messageFrame,
  splitFrames,
} from './frame.js'

const user = new TestUser(7)
const [register] = user.onChain()

function events(frames: Buffer): Buffer[] {
  return [...splitFrames(frames)].map((frame) => {
    if (frame === null) throw new Error('not a whole frame')
    return frame
  })
}

describe('a frame', () => {
  it('is a HubEvent that the generated code decodes', () => {
    const cast = user.cast('hello', testNow)
    const [event] = events(itemFrame({ kind: 'message', message: cast }))
    const decoded = HubEvent.decode(event!)
    expect(decoded.type).toBe(HubEventType.MERGE_MESSAGE)
    expect(Buffer.from(decoded.mergeMessageBody!.message!.dataBytes!)).toEqual(cast.dataBytes)
    const [chainEvent] = events(itemFrame({ kind: 'chainEvent', event: register! }))
    const { onChainEvent } = HubEvent.decode(chainEvent!).mergeOnChainEventBody!
    expect(OnChainEvent.encode(onChainEvent!).finish()).toEqual(OnChainEvent.encode(register!).finish())
  })

  it('decodes to the item that was encoded', () => {
    const proof = UserNameProof.create({ timestamp: 1, name: Buffer.from('ada'), fid: 7, type: 1 })
    // An upstream lists these without their messages.
    const ens = UserNameProof.create({ timestamp: 1, name: Buffer.from('ada.eth'), fid: 7, type: 2 })
    const basename = UserNameProof.create({
      timestamp: 1,
      name: Buffer.from('ada.base.eth'),
      fid: 7,
      type: 3,
    })
    const items = [
      { kind: 'message', message: user.cast('hello', testNow) },
      { kind: 'chainEvent', event: register! },
      { kind: 'nameTransfer', proof },
      { kind: 'nameTransfer', proof: ens },
      { kind: 'nameTransfer', proof: basename },
    ] as const
    for (const item of items) {
      const [event] = events(itemFrame(item))
      const read = decodeItem(event!)
      if (!isItem(read)) throw new Error(read.message)
      expect(read.kind).toBe(item.kind)
      expect(itemFrame(read)).toEqual(itemFrame(item))
    }
  })

  it('of a nonce decodes to it, and is an event without content for other readers', () => {
    const nonce = { kind: NonceKind.app, fid: 2 ** 40, nonce: 7 }
    const [event] = events(keyNonceFrame(nonce))
    expect(decodeKeyNonce(event!)).toEqual(nonce)
    expect(HubEvent.decode(event!)).toEqual(HubEvent.create({ type: HubEventType.NONE }))
    const [unknownOwner] = events(keyNonceFrame({ ...nonce, kind: 3 as NonceKind }))
    const [cast] = events(itemFrame({ kind: 'message', message: user.cast('hello', testNow) }))
    for (const other of [unknownOwner!, cast!, event!.subarray(0, -1)])
      expect(decodeKeyNonce(other)).toBeNull()
  })

  it('keeps the bytes of a message of another encoder', () => {
    const cast = user.cast('hello', testNow)
    // `data` beside `data_bytes`, as other hubs write it, and an unknown field.
    const strange = Buffer.concat([
      Buffer.of(0x0a, cast.dataBytes.length),
      cast.dataBytes,
      encodeMessage(cast),
      Buffer.of(0x78, 1),
    ])
    const [event] = events(messageFrame(strange))
    const read = decodeItem(event!)
    if (!isItem(read) || read.kind !== 'message') throw new Error('not a message')
    expect(read.message.dataBytes).toEqual(cast.dataBytes)
    expect(read.message.hash).toEqual(cast.hash)
  })

  it('of another event is refused', () => {
    const garbage = [Buffer.of(), Buffer.of(1, 2, 3), Buffer.of(0x1a, 0), Buffer.of(0x5a, 2, 0x0a, 0xff)]
    for (const bytes of garbage) expect(isItem(decodeItem(bytes))).toBe(false)
    for (const type of [0, 4]) {
      const unknown = UserNameProof.fromPartial({ name: Buffer.from('ada'), fid: 7, type })
      const [event] = events(itemFrame({ kind: 'nameTransfer', proof: unknown }))
      expect(decodeItem(event!)).toMatchObject({ message: 'name proof is of an unknown type' })
    }
  })

  it('truncated -> null', () => {
    const frames = itemFrame({ kind: 'message', message: user.cast('hello', testNow) })
    expect([...splitFrames(frames.subarray(0, -1))]).toEqual([null])
    expect([...splitFrames(gunzipSync(Buffer.from('H4sIAAAAAAAAAwMAAAAAAAAAAAA=', 'base64')))]).toEqual([])
  })
})
