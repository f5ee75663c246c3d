import { DAY_SECONDS } from '../../platform/durations.js'
import { type Refusal, refuse } from '../../platform/errors.js'
import type { OnChainEvent, UserNameProof } from '../../protocol/definitions.js'
import { MAX_DATE_UNIX } from './chain-state.js'
import type { MergeItem } from './shard-writer.js'

/** The largest values of PostgreSQL's types. The protocol's fields have 32 bits without a sign, and types have a sign. */
const MAX_SMALLINT = 2 ** 15 - 1
const MAX_INTEGER = 2 ** 31 - 1
/** Names, keys and addresses are in indexes, whose entries hold 2,704 bytes. */
const MAX_INDEXED_BYTES = 1_024
/** Ten years before the last second of a Date, so that storage that is rented ends at one, too. */
const MAX_BLOCK_UNIX = MAX_DATE_UNIX - 10 * 365 * DAY_SECONDS

const PRINTABLE_ASCII = { first: 0x20, last: 0x7e }

/**
 * Refuses an on-chain event or name that the database cannot store. Another hub may have it: as an error it would end the sync,
 * backfill or import at the same place each time. Messages are validated otherwise.
 */
export function refuseUnstorable(item: MergeItem): Refusal | null {
  switch (item.kind) {
    case 'message':
      return null
    case 'chainEvent':
      return isStorableEvent(item.event)
        ? null
        : refuse('bad_request.validation_failure', 'on-chain event has a value that is out of range')
    case 'nameTransfer':
      return isStorableProof(item.proof)
        ? null
        : refuse('bad_request.validation_failure', 'name proof has an invalid name or type')
  }
}

function isStorableEvent(event: OnChainEvent): boolean {
  const { type, logIndex, txIndex, blockTimestamp } = event
  const { signerEventBody, storageRentEventBody, idRegisterEventBody } = event
  const integers = [logIndex, txIndex, signerEventBody?.keyType ?? 0, storageRentEventBody?.units ?? 0]
  const indexed = [signerEventBody?.key, idRegisterEventBody?.to]
  return (
    isSmallint(type) &&
    blockTimestamp <= MAX_BLOCK_UNIX &&
    integers.every((value) => value <= MAX_INTEGER) &&
    indexed.every((bytes) => (bytes?.length ?? 0) <= MAX_INDEXED_BYTES)
  )
}

function isStorableProof({ name, type }: UserNameProof): boolean {
  const { first, last } = PRINTABLE_ASCII
  return (
    isSmallint(type) &&
    name.length <= MAX_INDEXED_BYTES &&
    name.every((byte) => byte >= first && byte <= last)
  )
}

function isSmallint(value: number): boolean {
  return value >= -MAX_SMALLINT && value <= MAX_SMALLINT
}
