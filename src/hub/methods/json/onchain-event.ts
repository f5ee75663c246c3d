import {
  type IdRegisterEventBody,
  type OnChainEvent,
  OnChainEvent as OnChainEventCodec,
  type SignerEventBody,
} from '@farcaster/core'
import { hexOf } from '../../../protocol/bytes.js'
import {
  idRegisterEventTypeNames,
  nameOf,
  onChainEventTypeNames,
  signerEventTypeNames,
  tierTypeNames,
} from './enum-names.js'
import { base64 } from './message.js'

/** Maps an onchain event to the JSON of the hub API (docs/protocol.md §1.2). Absent bodies are left out, except that of tiers, which is null. */
export function onChainEventJson(event: OnChainEvent) {
  return {
    type: nameOf(onChainEventTypeNames, event.type),
    chainId: event.chainId,
    blockNumber: event.blockNumber,
    blockHash: hexOf(event.blockHash),
    blockTimestamp: event.blockTimestamp,
    transactionHash: hexOf(event.transactionHash),
    logIndex: event.logIndex,
    fid: event.fid,
    signerEventBody: event.signerEventBody && signerJson(event.signerEventBody),
    signerMigratedEventBody: event.signerMigratedEventBody && {
      migratedAt: event.signerMigratedEventBody.migratedAt,
    },
    idRegisterEventBody: event.idRegisterEventBody && idRegisterJson(event.idRegisterEventBody),
    storageRentEventBody: event.storageRentEventBody && {
      payer: hexOf(event.storageRentEventBody.payer),
      units: event.storageRentEventBody.units,
      expiry: event.storageRentEventBody.expiry,
    },
    // Snake case and always present, as in the reference node.
    tier_purchase_event_body: event.tierPurchaseEventBody
      ? {
          payer: hexOf(event.tierPurchaseEventBody.payer),
          for_days: event.tierPurchaseEventBody.forDays,
          tier_type: nameOf(tierTypeNames, event.tierPurchaseEventBody.tierType),
        }
      : null,
    txIndex: event.txIndex,
    version: event.version,
  }
}

/** Maps a stored onchain event, an encoded protobuf OnChainEvent. */
export function storedOnChainEventJson(bytes: Buffer) {
  return onChainEventJson(OnChainEventCodec.decode(bytes))
}

function signerJson(body: SignerEventBody) {
  return {
    key: hexOf(body.key),
    keyType: body.keyType,
    eventType: nameOf(signerEventTypeNames, body.eventType),
    metadata: base64(body.metadata),
    metadataType: body.metadataType,
  }
}

function idRegisterJson(body: IdRegisterEventBody) {
  return {
    to: hexOf(body.to),
    eventType: nameOf(idRegisterEventTypeNames, body.eventType),
    from: hexOf(body.from),
    recoveryAddress: hexOf(body.recoveryAddress),
  }
}
