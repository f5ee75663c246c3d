import { expect, it } from 'vitest'
import { TestUser, testNow } from '../../test/network.js'
import { PlazaError, type Refusal, refuse } from '../platform/errors.js'
import { UserNameProof, UserNameType } from '../protocol/definitions.js'
import type { MergeItem } from './merge/shard-writer.js'
import { signerRemoveEvent } from './registry/chain-events.js'
import { ReorderBuffer, type ReorderBufferOptions } from './reorder-buffer.js'

type Submit = ReorderBufferOptions['hub']

function nameOf(item: MergeItem): string {
  if (item.kind === 'message') return `message ${item.message.data.fid}`
  return item.kind === 'chainEvent' ? `chain ${item.event.fid}` : `name ${item.proof.fid}`
}

/** A hub that records what it gets in the order of its merge, and returns the given outcomes. */
function recordingHub(answer: (name: string) => Refusal | null = () => null) {
  const log: string[] = []
  const hub: Submit = {
    async submitItems(items) {
      await new Promise((resolve) => setTimeout(resolve, 5))
      const order = ['chainEvent', 'nameTransfer', 'message']
      const names = items.map(nameOf)
      for (const kind of order) log.push(...names.filter((_, index) => items[index]!.kind === kind))
      return names.map(answer)
    },
  }
  return { hub, log }
}

const place = { blockNumber: 1, blockTimestamp: 1, logIndex: 0, transaction: '' }
const message = (fid: number): MergeItem => ({
  kind: 'message',
  message: new TestUser(fid).cast('hello', testNow),
})
const removal = (fid: number): MergeItem => ({
  kind: 'chainEvent',
  event: signerRemoveEvent(place, fid, Buffer.alloc(32)),
})
const transfer = (fid: number): MergeItem => ({
  kind: 'nameTransfer',
  proof: UserNameProof.create({ fid, type: UserNameType.USERNAME_TYPE_FNAME }),
})

async function takeIn(
  items: readonly MergeItem[],
  options: Partial<ReorderBufferOptions> & Pick<ReorderBufferOptions, 'hub'>,
) {
  const reorderBuffer = new ReorderBuffer({ batchSize: 2, ...options })
  for (const item of items) await reorderBuffer.add(item)
  await reorderBuffer.drain()
  return reorderBuffer
}

it('removes a signer after all messages before its removal, of any batch', async () => {
  const { hub, log } = recordingHub()
  await takeIn([message(1), message(2), message(3), removal(1), message(4), message(5)], { hub })
  expect(log.indexOf('chain 1')).toBeGreaterThan(log.indexOf('message 3'))
  expect(log).toHaveLength(6)
})

it('releases a name after everything before it, and before everything after it', async () => {
  const { hub, log } = recordingHub()
  await takeIn([transfer(1), message(1), transfer(0), transfer(0), message(1)], { hub })
  expect(log).toEqual(['name 1', 'message 1', 'name 0', 'name 0', 'message 1'])
})

it('changes a name of a fid when no message of it is in flight', async () => {
  const { hub, log } = recordingHub()
  await takeIn([message(1), message(2), transfer(1)], { hub, batchSize: 100 })
  expect(log).toEqual(['message 1', 'message 2', 'name 1'])
})

it('lends storage to a fid when no message of it is in flight, and merges what it sends after that', async () => {
  const batches: string[][] = []
  const hub: Submit = {
    async submitItems(items) {
      batches.push(items.map(nameOf))
      return items.map(() => null)
    },
  }
  const loan: MergeItem = { kind: 'message', message: new TestUser(2).lendStorage(1, 5, 2, testNow) }
  await takeIn([message(1), message(3), loan, message(3), message(1)], { hub, batchSize: 100 })
  expect(batches.filter((names) => names.length > 0)).toEqual([
    ['message 1', 'message 3'],
    ['message 2', 'message 3'],
    ['message 1'],
  ])
})

it('changes the custody of a fid when no message of it is in flight', async () => {
  const { hub, log } = recordingHub()
  const registered: MergeItem = { kind: 'chainEvent', event: new TestUser(1).registered() }
  await takeIn([message(1), message(2), registered], { hub, batchSize: 100 })
  expect(log).toEqual(['message 1', 'message 2', 'chain 1'])
})

it('retries a message that may have been merged too early, once', async () => {
  let requests = 0
  const { hub } = recordingHub((name) => {
    if (name !== 'message 1') return null
    requests += 1
    return requests === 1 ? refuse('bad_request.validation_failure', 'invalid signer') : null
  })
  const { tally } = await takeIn([message(1), message(2)], { hub })
  expect(tally).toEqual({ merged: 2, duplicates: 0, refused: new Map() })
  expect(requests).toBe(2)
})

it('counts merged items, duplicates, and refusals by reason', async () => {
  const refused: string[] = []
  const { hub } = recordingHub((name) => {
    if (name === 'message 1') return refuse('bad_request.duplicate', 'message has already been merged')
    return name === 'message 2' ? refuse('bad_request.validation_failure', 'unknown fid') : null
  })
  const onRefused = (item: MergeItem) => refused.push(item.kind)
  const { tally } = await takeIn([message(1), message(2), message(3)], { hub, onRefused })
  const reasons = new Map([['bad_request.validation_failure: unknown fid', 1]])
  expect(tally).toEqual({ merged: 1, duplicates: 1, refused: reasons })
  expect(refused).toEqual(['message'])
})

it('waits for an unavailable hub, and reports settled items in order', async () => {
  let isAway = true
  const { hub, log } = recordingHub()
  const away: Submit = {
    ...hub,
    async submitItems(items) {
      if (!isAway) return hub.submitItems(items)
      isAway = false
      throw new PlazaError('unavailable', 'the database is away')
    },
  }
  const settled: number[] = []
  await takeIn([message(1), message(2), message(3)], {
    hub: away,
    onSettled: (items) => void settled.push(items),
  })
  expect(log.sort()).toEqual(['message 1', 'message 2', 'message 3'])
  expect(settled).toEqual([2, 3])
})

it('fails with errors of the hub other than unavailable', async () => {
  const { hub } = recordingHub()
  const broken: Submit = { ...hub, submitItems: () => Promise.reject(new Error('broken')) }
  await expect(takeIn([message(1), message(2), message(3)], { hub: broken })).rejects.toThrow('broken')
})

it('rents storage to a fid when no message of it is in flight, without delaying others', async () => {
  const { hub, log } = recordingHub()
  const rent = (fid: number): MergeItem => ({
    kind: 'chainEvent',
    event: new TestUser(fid).storageRentEvent(1),
  })
  await takeIn([message(1), rent(2), rent(1), message(1)], { hub, batchSize: 10 })
  expect(log).toEqual(['chain 2', 'message 1', 'chain 1', 'message 1'])
})

it('refusals that differ in names and numbers are counted as one kind', () => {
  const reorderBuffer = new ReorderBuffer({ hub: { submitItems: async () => [] } })
  for (const nonce of [5, 6]) {
    const message = `gasless-key nonce ${nonce} is not greater than stored nonce ${nonce + 2}`
    reorderBuffer.countRefusal({ code: 'bad_request.conflict', message })
  }
  const kind = 'bad_request.conflict: gasless-key nonce … is not greater than stored nonce …'
  expect([...reorderBuffer.tally.refused]).toEqual([[kind, 2]])
})
