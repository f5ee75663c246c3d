import * as enums from './enum-names.js'
import {
  base64,
  chainBytes,
  enumName,
  hex,
  hidden,
  ifSet,
  list,
  nested,
  orNull,
  otherwise,
  refused,
  required,
  table,
  text,
  uint32,
  uint64,
} from './wire-table.js'

/** The JSON of events and messages (docs/protocol.md §1.1-1.2) by the fields of their definitions. */

const castId = table({ fid: uint64(1), hash: hex(2) })

const embed = table({ castId: nested(2, castId), url: otherwise(text(1)) }, [[1, 2]])

const castAddBody = table(
  {
    embedsDeprecated: list(text(1)),
    mentions: list(uint64(2)),
    parentCastId: orNull(nested(3, castId)),
    parentUrl: orNull(text(7)),
    text: text(4),
    embeds: list(nested(6, embed)),
    mentionsPositions: list(uint32(5)),
    type: enumName(8, enums.castTypeNames),
  },
  [[3, 7]],
)

const reactionBody = table(
  {
    type: enumName(1, enums.reactionTypeNames),
    targetCastId: nested(2, castId),
    targetUrl: ifSet(text(3)),
  },
  [[2, 3]],
)

const verificationAddAddressBody = table({
  address: chainBytes(1, 7),
  claimSignature: base64(2),
  blockHash: chainBytes(3, 7),
  type: uint32(4),
  chainId: uint32(5),
  protocol: enumName(7, enums.protocolNames),
})

const verificationRemoveBody = table({
  address: chainBytes(1, 2),
  protocol: enumName(2, enums.protocolNames),
})

const linkBody = table({
  type: text(1),
  displayTimestamp: orNull(uint32(2)),
  targetFid: ifSet(uint64(3)),
})

const frameActionBody = table({
  url: base64(1),
  buttonIndex: uint32(2),
  castId: nested(3, castId),
  inputText: base64(4),
  state: base64(5),
  transactionId: base64(6),
  address: hex(7),
})

const keyAddBody = table({
  key: hex(1),
  keyType: uint32(2),
  custodySignature: hex(3),
  deadline: uint32(4),
  nonce: uint32(5),
  metadata: hex(6),
  metadataType: uint32(7),
  registrationTxHash: hex(8),
  scopes: list(enumName(9, enums.messageTypeNames)),
  ttl: uint32(10),
})

const keyRemoveBody = table({
  key: hex(1),
  signature: hex(2),
  signatureType: uint32(3),
  deadline: uint32(4),
  nonce: uint32(5),
})

const channelUpdateBody = table({
  channelId: hex(1),
  name: ifSet(text(2)),
  description: ifSet(text(3)),
  imageUrl: ifSet(text(4)),
  header: ifSet(text(5)),
  rules: ifSet(text(6)),
  castingMode: ifSet(enumName(7, enums.castingModeNames)),
  membershipMode: ifSet(enumName(8, enums.membershipModeNames)),
})

const channelMemberBody = table({
  channelId: hex(1),
  fid: uint64(2),
  action: enumName(3, enums.channelMemberActionNames),
})

const channelModerateBody = table({
  channelId: hex(1),
  castHash: hex(2),
  action: enumName(3, enums.channelModerateActionNames),
})

const usernameProof = table({
  timestamp: uint64(1),
  name: text(2),
  owner: hex(3),
  signature: base64(4),
  fid: uint64(5),
  type: enumName(6, enums.usernameTypeNames),
})

/** The bodies, of which one may be set, so their order is free; the usual ones come first. */
const bodies = {
  reactionBody: nested(7, reactionBody),
  castAddBody: nested(5, castAddBody),
  linkBody: nested(14, linkBody),
  castRemoveBody: nested(6, table({ targetHash: base64(1) })),
  userDataBody: nested(12, table({ type: enumName(1, enums.userDataTypeNames), value: text(2) })),
  verificationAddAddressBody: nested(9, verificationAddAddressBody),
  verificationRemoveBody: nested(10, verificationRemoveBody),
  usernameProofBody: nested(15, usernameProof),
  frameActionBody: nested(16, frameActionBody),
  linkCompactStateBody: nested(17, table({ type: text(1), targetFids: list(uint64(2)) })),
  lendStorageBody: nested(
    18,
    table({
      toFid: uint64(1),
      numUnits: uint64(2),
      unitType: enumName(3, enums.storageUnitTypeNames),
    }),
  ),
  keyAddBody: nested(19, keyAddBody),
  keyRemoveBody: nested(20, keyRemoveBody),
  channelUpdateBody: nested(21, channelUpdateBody),
  channelMemberBody: nested(22, channelMemberBody),
  channelPinBody: nested(23, table({ channelId: hex(1), castHash: hex(2) })),
  channelModerateBody: nested(24, channelModerateBody),
}

/** `MessageData`. */
export const messageDataTable = table(
  {
    type: enumName(1, enums.messageTypeNames),
    fid: uint64(2),
    timestamp: uint32(3),
    network: enumName(4, enums.networkNames),
    ...bodies,
  },
  [Object.values(bodies).map(({ number }) => number)],
)

/**
 * `Message`, its data read from `data_bytes`. One that is stored with `data` beside them is left to the codec: it
 * stands for bytes that decode in more than one way (docs/protocol.md §3.2).
 */
export const messageTable = table({
  data: orNull(nested(7, messageDataTable)),
  hash: hex(2),
  hashScheme: enumName(3, enums.hashSchemeNames),
  signature: base64(4),
  signatureScheme: enumName(5, enums.signatureSchemeNames),
  signer: hex(6),
  storedData: refused(nested(1, messageDataTable)),
})

const signerEventBody = table({
  key: hex(1),
  keyType: uint32(2),
  eventType: enumName(3, enums.signerEventTypeNames),
  metadata: base64(4),
  metadataType: uint32(5),
})

const idRegisterEventBody = table({
  to: hex(1),
  eventType: enumName(2, enums.idRegisterEventTypeNames),
  from: hex(3),
  recoveryAddress: hex(4),
})

const channelRegisterEventBody = table({
  channelKey: text(1),
  expiry: uint64(2),
  ownerAddress: hex(3),
  eventType: enumName(4, enums.channelRegisterEventTypeNames),
  label: hex(5),
})

const tierPurchaseEventBody = table({
  payer: hex(3),
  for_days: uint64(2),
  tier_type: enumName(1, enums.tierTypeNames),
})

/** `OnChainEvent`. */
export const onChainEventTable = table(
  {
    type: enumName(1, enums.onChainEventTypeNames),
    chainId: uint32(2),
    blockNumber: uint32(3),
    blockHash: hex(4),
    blockTimestamp: uint64(5),
    transactionHash: hex(6),
    logIndex: uint32(7),
    fid: uint64(8),
    signerEventBody: nested(9, signerEventBody),
    signerMigratedEventBody: nested(10, table({ migratedAt: uint32(1) })),
    idRegisterEventBody: nested(11, idRegisterEventBody),
    storageRentEventBody: nested(12, table({ payer: hex(1), units: uint32(2), expiry: uint32(3) })),
    channelRegisterEventBody: nested(16, channelRegisterEventBody),
    tier_purchase_event_body: orNull(nested(15, tierPurchaseEventBody)),
    txIndex: uint32(13),
    version: uint32(14),
  },
  [[9, 10, 11, 12, 15, 16]],
)

const message = required(nested(1, messageTable))

const blockConfirmedBody = table({
  blockNumber: uint64(1),
  shardIndex: uint32(2),
  timestamp: uint64(3),
  blockHash: hex(4),
  totalEvents: uint64(5),
  eventCountsByType: hidden(list(nested(6, table({ key: uint32(1), value: uint64(2) })))),
  maxBlockEventSeqnum: hidden(uint64(7)),
})

const mergeUsernameProofBody = table({
  usernameProof: nested(1, usernameProof),
  deletedUsernameProof: nested(2, usernameProof),
  usernameProofMessage: nested(3, messageTable),
  deletedUsernameProofMessage: nested(4, messageTable),
})

const channelOwnerChangeHintBody = table({
  channelKey: text(1),
  ownerAddress: hex(2),
  cause: enumName(3, enums.channelOwnerChangeCauseNames),
})

/** `HubEvent`: its body. The rest of its JSON is that of its row. */
export const hubEventTable = table(
  {
    type: hidden(enumName(1, [])),
    id: hidden(uint64(2)),
    mergeMessageBody: nested(3, table({ message, deletedMessages: list(nested(2, messageTable)) })),
    blockConfirmedBody: nested(16, blockConfirmedBody),
    pruneMessageBody: nested(4, table({ message })),
    revokeMessageBody: nested(5, table({ message })),
    mergeFailureBody: nested(13, table({ message, code: text(2), reason: text(3) })),
    mergeUsernameProofBody: nested(8, mergeUsernameProofBody),
    mergeOnChainEventBody: nested(11, table({ onChainEvent: required(nested(1, onChainEventTable)) })),
    channelOwnerChangeHintBody: nested(17, channelOwnerChangeHintBody),
    blockNumber: hidden(uint64(12)),
    shardIndex: hidden(uint32(14)),
    timestamp: hidden(uint64(15)),
  },
  [[3, 4, 5, 8, 11, 13, 16, 17]],
)
