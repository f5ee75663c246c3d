import {
  CastAddBody,
  FarcasterNetwork,
  FrameActionBody,
  HashScheme,
  type Message,
  MessageData,
  MessageType,
  ReactionType,
  SignatureScheme,
  UserDataType,
  UserNameType,
} from '../definitions.js'
import { messageHash } from '../hash.js'
import type { SignedMessage } from '../message.js'
import { createMessageSigner, type MessageSigner } from '../sign.js'
import { unixSecondsFromFarcasterSeconds } from '../time.js'
import {
  ethVerification,
  keyAddition,
  keyRemoval,
  nameProof,
  sampleAddress,
  solVerification,
} from './sample-claims.js'

/** Timestamp of sample messages, in Farcaster seconds. */
export const SAMPLE_TIME = 180_000_000
export const SAMPLE_FID = 310_826
/** The context in which sample messages are valid. */
export const sampleContext = {
  network: FarcasterNetwork.MAINNET,
  now: SAMPLE_TIME,
  isPro: true,
  isSynced: false,
}

const CAST_ID = { fid: 3, hash: Buffer.alloc(20, 0xca) }
const signers = new Map<number, MessageSigner>()

/** Returns a signer derived from a number. */
export function sampleSigner(number = 1): MessageSigner {
  const signer = signers.get(number) ?? createMessageSigner(Buffer.alloc(32, number))
  signers.set(number, signer)
  return signer
}

/** Builds the data of a message of the sample user, with some parts replaced. */
export function sampleData(type: MessageType, parts: Partial<MessageData>): MessageData {
  return {
    ...MessageData.create(),
    type,
    fid: SAMPLE_FID,
    timestamp: SAMPLE_TIME,
    network: FarcasterNetwork.MAINNET,
    ...parts,
  }
}

/** Signs sample data with the first sample signer. */
export function sampleMessage(type: MessageType, parts: Partial<MessageData>): SignedMessage {
  return sampleSigner().sign(sampleData(type, parts))
}

/** Signs bytes as a message, whether or not they decode. */
export function envelopeOf(dataBytes: Buffer, signer = sampleSigner()): Message {
  const hash = messageHash(dataBytes)
  return {
    data: undefined,
    dataBytes,
    hash,
    hashScheme: HashScheme.BLAKE3,
    signature: signer.signHash(hash),
    signatureScheme: SignatureScheme.ED25519,
    signer: signer.publicKey,
  }
}

/** Returns valid messages by name: every type and the main variants of its body. */
export async function validSamples(): Promise<Record<string, MessageData>> {
  return { ...simpleSamples(), ...(await claimSamples()) }
}

function simpleSamples(): Record<string, MessageData> {
  const castAddBody = {
    ...CastAddBody.create(),
    text: 'gm ✨ ',
    mentions: [2, 3],
    mentionsPositions: [0, 7],
    embeds: [
      { url: 'https://example.com/', castId: undefined },
      { url: undefined, castId: CAST_ID },
    ],
    parentCastId: CAST_ID,
  }
  const channelUrl = 'https://farcaster.xyz/~/channel/plaza'
  const like = { type: ReactionType.LIKE, targetCastId: CAST_ID, targetUrl: undefined }
  const follow = { type: 'follow', displayTimestamp: 12, targetFid: 3 }
  const verificationRemoveBody = { address: sampleAddress, protocol: 0 }
  return {
    castAdd: sampleData(MessageType.CAST_ADD, { castAddBody }),
    castInChannel: sampleData(MessageType.CAST_ADD, {
      castAddBody: { ...castAddBody, parentCastId: undefined, parentUrl: channelUrl },
    }),
    castOf2021: sampleData(MessageType.CAST_ADD, {
      timestamp: 70_000_000,
      castAddBody: { ...CastAddBody.create(), embedsDeprecated: ['https://example.com/'] },
    }),
    longCast: sampleData(MessageType.CAST_ADD, {
      castAddBody: { ...castAddBody, type: 1, text: 'l'.repeat(321) },
    }),
    tenKCast: sampleData(MessageType.CAST_ADD, {
      castAddBody: { ...castAddBody, type: 2, text: 't'.repeat(1025) },
    }),
    castRemove: sampleData(MessageType.CAST_REMOVE, { castRemoveBody: { targetHash: CAST_ID.hash } }),
    reactionAdd: sampleData(MessageType.REACTION_ADD, { reactionBody: like }),
    reactionRemove: sampleData(MessageType.REACTION_REMOVE, {
      reactionBody: { type: ReactionType.RECAST, targetCastId: undefined, targetUrl: channelUrl },
    }),
    linkAdd: sampleData(MessageType.LINK_ADD, { linkBody: follow }),
    linkRemove: sampleData(MessageType.LINK_REMOVE, { linkBody: { ...follow, type: 'block' } }),
    linkCompactState: sampleData(MessageType.LINK_COMPACT_STATE, {
      linkCompactStateBody: { type: 'follow', targetFids: [2, 3, 900_000] },
    }),
    verificationRemove: sampleData(MessageType.VERIFICATION_REMOVE, { verificationRemoveBody }),
    userData: sampleData(MessageType.USER_DATA_ADD, {
      userDataBody: { type: UserDataType.BIO, value: 'a square' },
    }),
    username: sampleData(MessageType.USER_DATA_ADD, {
      userDataBody: { type: UserDataType.USERNAME, value: 'alice.base.eth' },
    }),
    frameAction: sampleData(MessageType.FRAME_ACTION, {
      frameActionBody: {
        ...FrameActionBody.create(),
        url: Buffer.from('https://example.com/frame'),
        buttonIndex: 1,
        castId: CAST_ID,
      },
    }),
    lendStorage: sampleData(MessageType.LEND_STORAGE, {
      lendStorageBody: { toFid: 3, numUnits: 2, unitType: 1 },
    }),
  }
}

async function claimSamples(): Promise<Record<string, MessageData>> {
  const unixTime = unixSecondsFromFarcasterSeconds(SAMPLE_TIME)
  const { USERNAME_TYPE_ENS_L1, USERNAME_TYPE_BASENAME } = UserNameType
  const key = sampleSigner(9).publicKey
  const deadline = SAMPLE_TIME + 3600
  const scopes = [MessageType.CAST_ADD, MessageType.REACTION_ADD]
  return {
    ethVerification: sampleData(MessageType.VERIFICATION_ADD_ETH_ADDRESS, {
      verificationAddAddressBody: await ethVerification(SAMPLE_FID),
    }),
    solVerification: sampleData(MessageType.VERIFICATION_ADD_ETH_ADDRESS, {
      verificationAddAddressBody: solVerification(SAMPLE_FID),
    }),
    ensProof: sampleData(MessageType.USERNAME_PROOF, {
      usernameProofBody: await nameProof(SAMPLE_FID, 'alice.eth', USERNAME_TYPE_ENS_L1, unixTime),
    }),
    basenameProof: sampleData(MessageType.USERNAME_PROOF, {
      usernameProofBody: await nameProof(SAMPLE_FID, 'alice.base.eth', USERNAME_TYPE_BASENAME, unixTime),
    }),
    keyAdd: sampleData(MessageType.KEY_ADD, {
      keyAddBody: await keyAddition(SAMPLE_FID, key, scopes, deadline),
    }),
    keyRemove: sampleData(MessageType.KEY_REMOVE, {
      keyRemoveBody: await keyRemoval(SAMPLE_FID, key, deadline),
    }),
  }
}
