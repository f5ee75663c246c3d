import { expect, it } from 'vitest'
import { type MessageData, MessageType } from '../protocol/definitions.js'
import { messageKinds } from '../protocol/message-kinds.js'
import { validSamples } from '../protocol/testing/sample-messages.js'
import { messageTarget } from './message-target.js'

const samples = await validSamples()

it('every type is found by its target, or has none', () => {
  const parent = `010000000000000003${'ca'.repeat(20)}`
  const targets = messageKinds.map(({ type }) => {
    const sample = Object.values(samples).find((data) => data.type === type) ?? ({ type } as MessageData)
    return [MessageType[type], messageTarget(sample)?.toString('hex') ?? null]
  })
  expect(Object.fromEntries(targets)).toEqual({
    CAST_ADD: `01${parent}`,
    CAST_REMOVE: null,
    REACTION_ADD: `0201${parent}`,
    REACTION_REMOVE: null,
    LINK_ADD: `03${Buffer.from('follow\0').toString('hex')}0000000000000003`,
    LINK_REMOVE: null,
    LINK_COMPACT_STATE: null,
    VERIFICATION_ADD_ETH_ADDRESS: null,
    VERIFICATION_REMOVE: null,
    USER_DATA_ADD: null,
    USERNAME_PROOF: null,
    FRAME_ACTION: null,
    LEND_STORAGE: null,
    KEY_ADD: null,
    KEY_REMOVE: null,
    CHANNEL_UPDATE: null,
    CHANNEL_MEMBER: null,
    CHANNEL_PIN: null,
    CHANNEL_MODERATE: null,
  })
})

it('the target of a cast in a channel is its URL, and a cast without a parent has none', () => {
  const url = samples.castInChannel!.castAddBody!.parentUrl!
  expect(messageTarget(samples.castInChannel!)).toEqual(
    Buffer.concat([Buffer.from([1, 2]), Buffer.from(url)]),
  )
  expect(messageTarget(samples.castOf2021!)).toBeNull()
})
