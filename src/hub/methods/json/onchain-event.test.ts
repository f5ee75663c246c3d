import { describe, expect, it } from 'vitest'
import { OnChainEvent } from '../../../protocol/definitions.js'
import { storedOnChainEventJson } from './onchain-event.js'

function shown(event: Partial<OnChainEvent>): string {
  const whole = OnChainEvent.create({
    chainId: 10,
    blockNumber: 5,
    blockHash: Buffer.from([1]),
    blockTimestamp: 1700000000,
    transactionHash: Buffer.from([2]),
    logIndex: 3,
    fid: 4,
    txIndex: 6,
    version: 1,
    ...event,
  })
  return JSON.stringify(storedOnChainEventJson(Buffer.from(OnChainEvent.encode(whole).finish())))
}

function around(type: string, body: string): string {
  return (
    `{"type":"${type}","chainId":10,"blockNumber":5,"blockHash":"0x01","blockTimestamp":1700000000,` +
    `"transactionHash":"0x02","logIndex":3,"fid":4,${body},"txIndex":6,"version":1}`
  )
}

describe('the JSON of an onchain event', () => {
  it('has signers with metadata in base64', () => {
    expect(
      shown({
        type: 1,
        signerEventBody: {
          key: Buffer.from([7]),
          keyType: 1,
          eventType: 1,
          metadata: Buffer.from([255]),
          metadataType: 1,
        },
      }),
    ).toBe(
      around(
        'EVENT_TYPE_SIGNER',
        '"signerEventBody":{"key":"0x07","keyType":1,"eventType":"SIGNER_EVENT_TYPE_ADD","metadata":"/w==",' +
          '"metadataType":1},"tier_purchase_event_body":null',
      ),
    )
  })

  it('has the migration of signers', () => {
    expect(shown({ type: 2, signerMigratedEventBody: { migratedAt: 9 } })).toBe(
      around(
        'EVENT_TYPE_SIGNER_MIGRATED',
        '"signerMigratedEventBody":{"migratedAt":9},"tier_purchase_event_body":null',
      ),
    )
  })

  it('spells types of registrations without a prefix, and empty bytes as 0x', () => {
    expect(
      shown({
        type: 3,
        idRegisterEventBody: {
          to: Buffer.from([8]),
          eventType: 1,
          from: Buffer.alloc(0),
          recoveryAddress: Buffer.from([9]),
        },
      }),
    ).toBe(
      around(
        'EVENT_TYPE_ID_REGISTER',
        '"idRegisterEventBody":{"to":"0x08","eventType":"Register","from":"0x","recoveryAddress":"0x09"},' +
          '"tier_purchase_event_body":null',
      ),
    )
  })

  it('has storage rents', () => {
    expect(shown({ type: 4, storageRentEventBody: { payer: Buffer.from([8]), units: 2, expiry: 77 } })).toBe(
      around(
        'EVENT_TYPE_STORAGE_RENT',
        '"storageRentEventBody":{"payer":"0x08","units":2,"expiry":77},"tier_purchase_event_body":null',
      ),
    )
  })

  it('has tier purchases in snake case', () => {
    expect(
      shown({ type: 5, tierPurchaseEventBody: { tierType: 1, forDays: 30, payer: Buffer.from([8]) } }),
    ).toBe(
      around(
        'EVENT_TYPE_TIER_PURCHASE',
        '"tier_purchase_event_body":{"payer":"0x08","for_days":30,"tier_type":"Pro"}',
      ),
    )
  })
})
