import { TestUser, testNow } from '../../../../test/network.js'
import { MessageType } from '../../../protocol/definitions.js'
import type { SignedMessage } from '../../../protocol/message.js'
import type { Random } from '../../../protocol/testing/random.js'
import { mergeMessage } from '../merge-message.js'
import { compactConflictKey } from '../rules/links.js'
import type { BatchState } from '../state.js'
import { createBatchState } from './batch-state-fixture.js'

/**
 * The links and compact states that remain of messages, by the definition of docs/protocol.md §4.3.1: no order, no
 * state, every message compared with every other.
 */
export function remainingLinks(messages: readonly SignedMessage[]): SignedMessage[] {
  return messages.filter((message) => !messages.some((other) => ends(other, message)))
}

/** Returns true if a message may not be stored once another one is known. */
function ends({ data: other, hash: otherHash }: SignedMessage, { data, hash }: SignedMessage): boolean {
  const body = data.linkBody ?? data.linkCompactStateBody!
  const otherBody = other.linkBody ?? other.linkCompactStateBody!
  if (other.fid !== data.fid || otherBody.type !== body.type) return false
  const byTime = other.timestamp - data.timestamp
  const byHash = Buffer.compare(otherHash, hash)
  if (!data.linkBody) return !other.linkBody && (byTime || byHash) > 0
  if (other.linkCompactStateBody) {
    const isListed = other.linkCompactStateBody.targetFids.includes(data.linkBody.targetFid!)
    return byTime >= 0 && (data.type === MessageType.LINK_REMOVE || !isListed)
  }
  if (other.linkBody!.targetFid !== data.linkBody.targetFid) return false
  const bySide =
    Number(other.type === MessageType.LINK_REMOVE) - Number(data.type === MessageType.LINK_REMOVE)
  return (byTime || bySide || byHash) > 0
}

/** Merges batches one after another without a database. Each batch has the state that the previous one left. */
export function mergeLinkBatches(batches: readonly (readonly SignedMessage[])[]): SignedMessage[] {
  let state = createBatchState()
  for (const batch of batches) {
    state = nextBatchState(state)
    for (const message of batch) mergeMessage(message, state)
  }
  return storedLinks(state)
}

const fids = [1, 2, 3]

function storedLinks(state: BatchState): SignedMessage[] {
  return fids.flatMap((fid) => [...state.storedMessagesOf(fid)].map((stored) => stored.message()))
}

/** Creates the state of the next batch: what the previous one would have written, and nothing else. */
function nextBatchState(previous: BatchState): BatchState {
  const next = createBatchState()
  for (const fid of fids) {
    for (const stored of previous.storedMessagesOf(fid)) {
      next.load(stored, stored)
      const compactKey = compactConflictKey(stored.message())!
      next.linkCutoffs.load(compactKey, previous.linkCutoffs.all(compactKey))
    }
  }
  return next
}

/** Creates links and compact states of three users that collide in every way, in few seconds. */
export function randomLinks(random: Random, count: number): SignedMessage[] {
  const users = fids.map((fid) => new TestUser(fid))
  const targets = Array.from({ length: 30 }, (_, index) => index + 10)
  const messages = new Map<string, SignedMessage>()
  while (messages.size < count) {
    const user = random.pick(users)
    const type = random.pick(['follow', 'block'])
    const at = testNow - random.below(200)
    const message =
      random.below(20) === 0
        ? user.compactLinks(randomTargets(random, targets), at, type)
        : user.link(random.pick(targets), at, { type, remove: random.below(3) === 0 })
    messages.set(message.hash.toString('hex'), message)
  }
  return [...messages.values()]
}

function randomTargets(random: Random, targets: readonly number[]): number[] {
  const listed = targets.filter(() => random.below(2) === 0)
  return listed.length > 0 ? listed : [targets[0]!]
}

/** Shuffles messages and cuts them into batches of up to `largest`. */
export function randomBatches(
  random: Random,
  messages: readonly SignedMessage[],
  largest: number,
): SignedMessage[][] {
  const shuffled = [...messages]
  for (let index = shuffled.length - 1; index > 0; index -= 1) {
    const other = random.below(index + 1)
    ;[shuffled[index], shuffled[other]] = [shuffled[other]!, shuffled[index]!]
  }
  const batches: SignedMessage[][] = []
  while (shuffled.length > 0) batches.push(shuffled.splice(0, 1 + random.below(largest)))
  return batches
}
