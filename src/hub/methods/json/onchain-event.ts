import { hexOf } from '../../../protocol/bytes.js'
import { type OnChainEvent, OnChainEvent as OnChainEventCodec } from '../../../protocol/definitions.js'
import {
  channelRegisterEventTypeNames,
  idRegisterEventTypeNames,
  nameOf,
  onChainEventTypeNames,
  signerEventTypeNames,
  tierTypeNames,
} from './enum-names.js'
import { base64 } from './message.js'

/** Maps an onchain event to the JSON of the hub API (docs/protocol.md §1.2). Absent bodies are left out, except that of tiers, which is null. */
export function onChainEventJson(event: OnChainEvent) {
  const { signerEventBody: signer, idRegisterEventBody: register } = event
  const { storageRentEventBody: rent, tierPurchaseEventBody: tier, signerMigratedEventBody: migrated } = event
  const { channelRegisterEventBody: channel } = event
  return {
    type: nameOf(onChainEventTypeNames, event.type),
    chainId: event.chainId,
    blockNumber: event.blockNumber,
    blockHash: hexOf(event.blockHash),
    blockTimestamp: event.blockTimestamp,
    transactionHash: hexOf(event.transactionHash),
    logIndex: event.logIndex,
    fid: event.fid,
    signerEventBody: signer && {
      key: hexOf(signer.key),
      keyType: signer.keyType,
      eventType: nameOf(signerEventTypeNames, signer.eventType),
      metadata: base64(signer.metadata),
      metadataType: signer.metadataType,
    },
    signerMigratedEventBody: migrated && { migratedAt: migrated.migratedAt },
    idRegisterEventBody: register && {
      to: hexOf(register.to),
      eventType: nameOf(idRegisterEventTypeNames, register.eventType),
      from: hexOf(register.from),
      recoveryAddress: hexOf(register.recoveryAddress),
    },
    storageRentEventBody: rent && { payer: hexOf(rent.payer), units: rent.units, expiry: rent.expiry },
    channelRegisterEventBody: channel && {
      channelKey: channel.channelKey,
      expiry: channel.expiry,
      ownerAddress: hexOf(channel.ownerAddress),
      eventType: nameOf(channelRegisterEventTypeNames, channel.eventType),
      label: hexOf(channel.label),
    },
    // Snake case and always present, as in the reference node.
    tier_purchase_event_body: tier
      ? {
          payer: hexOf(tier.payer),
          for_days: tier.forDays,
          tier_type: nameOf(tierTypeNames, tier.tierType),
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
