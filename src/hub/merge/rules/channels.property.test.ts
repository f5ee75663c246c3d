import fc from 'fast-check'
import { expect, test } from 'vitest'
import { TestChannel } from '../../../../test/channels.js'
import { TestUser, testNow } from '../../../../test/network.js'
import { type ChannelMemberAction, HubEventType, MessageType } from '../../../protocol/definitions.js'
import { memberSubject } from '../../../protocol/kinds/channel.js'
import type { SignedMessage } from '../../../protocol/message.js'
import { ChannelMemberState } from '../../../protocol/proto/generated/channel_requests.js'
import { mergeMessage } from '../merge-message.js'
import type { BatchState } from '../state.js'
import { createBatchState } from '../testing/batch-state-fixture.js'

const users = [1, 2, 3].map((fid) => new TestUser(fid))
const channel = new TestChannel('plaza')
const hashes = [1, 2].map((byte) => Buffer.alloc(20, byte))

/** A state in which user 1 owns the channel. */
function ownedChannel(): BatchState {
  const state = createBatchState()
  const verifiers = [{ fid: 1, ts: 1, hash: Buffer.alloc(20) }]
  state.channels.loadChannel(channel.id, { owner: channel.owner, verifiers })
  return state
}

const sender = fc.constantFrom(...users)
const time = fc.integer({ min: 0, max: 5 }).map((age) => testNow - age)
const actions = [1, 2, 3, 4, 5, 6] as ChannelMemberAction[]
const fids = Array.from({ length: 14 }, (_, index) => index + 1)

const message: fc.Arbitrary<SignedMessage> = fc
  .oneof(
    { weight: 8, arbitrary: fc.tuple(sender, fc.constantFrom(...actions), fc.constantFrom(...fids), time) },
    { weight: 1, arbitrary: fc.tuple(sender, fc.constantFrom(...hashes), time) },
  )
  .map((parts) =>
    parts.length === 4
      ? channel.member(parts[0], parts[1], parts[2], parts[3])
      : channel.pin(parts[0], parts[1], parts[2]),
  )

test('whatever users send, slots hold what merged last, and counts and caps hold', () => {
  fc.assert(
    fc.property(fc.array(message, { maxLength: 80 }), (messages) => {
      const state = ownedChannel()
      /** Hashes of what merged last, by slot. */
      const last = new Map<string, string>()
      const states = new Map<number, ChannelMemberState>()
      for (const each of messages) {
        const events = state.events.length
        const refusal = mergeMessage(each, state)
        expect(state.events.length - events).toBe(refusal ? 0 : 1)
        if (refusal) continue
        const slot = `${each.data.type}/${each.data.channelMemberBody?.fid ?? ''}`
        const event = state.events.at(-1)!.body
        if (event.type !== HubEventType.MERGE_MESSAGE) throw new Error('another event')
        const deleted = event.deletedMessages.map(({ hash }) => hash.toString('hex'))
        expect(deleted).toEqual(last.has(slot) ? [last.get(slot)] : [])
        last.set(slot, each.hash.toString('hex'))
        const { fid } = each.data.channelMemberBody ?? {}
        if (fid !== undefined) {
          states.set(fid, state.channels.memberState(MessageType.CHANNEL_MEMBER, channel.id, fid))
        }
      }
      const moderators = [...states.values()].filter((each) => each === ChannelMemberState.MODERATOR).length
      expect(moderators).toBeLessThanOrEqual(10)
      expect(state.channels.counts(channel.id)).toEqual({ members: states.size, moderators, moderations: 0 })
      for (const fid of states.keys()) {
        const stored = state.channels.slot(MessageType.CHANNEL_MEMBER, channel.id, memberSubject(fid))
        expect(stored?.hash.toString('hex')).toBe(last.get(`${MessageType.CHANNEL_MEMBER}/${fid}`))
      }
    }),
    { numRuns: 100 },
  )
})
