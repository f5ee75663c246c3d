import { type OnChainEvent, OnChainEvent as OnChainEventCodec } from '@farcaster/core'
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
  const { tierPurchaseEventBody: tier, signerEventBody: signer, ...rest } = event
  const { idRegisterEventBody: register, storageRentEventBody: rent } = event
  return {
    ...rest,
    type: nameOf(onChainEventTypeNames, event.type),
    blockHash: hexOf(event.blockHash),
    transactionHash: hexOf(event.transactionHash),
    signerEventBody: signer && {
      ...signer,
      key: hexOf(signer.key),
      eventType: nameOf(signerEventTypeNames, signer.eventType),
      metadata: base64(signer.metadata),
    },
    idRegisterEventBody: register && {
      to: hexOf(register.to),
      eventType: nameOf(idRegisterEventTypeNames, register.eventType),
      from: hexOf(register.from),
      recoveryAddress: hexOf(register.recoveryAddress),
    },
    storageRentEventBody: rent && { ...rent, payer: hexOf(rent.payer) },
    // Snake case and always present, as in the reference node.
    tier_purchase_event_body: tier
      ? {
          payer: hexOf(tier.payer),
          for_days: tier.forDays,
          tier_type: nameOf(tierTypeNames, tier.tierType),
        }
      : null,
  }
}

/** Maps a stored onchain event, an encoded protobuf OnChainEvent. */
export function storedOnChainEventJson(bytes: Buffer) {
  return onChainEventJson(OnChainEventCodec.decode(bytes))
}
