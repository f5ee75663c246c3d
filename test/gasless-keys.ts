import {
  encodeGaslessSignedKeyRequestMetadata,
  GASLESS_KEY_ADD_EIP_712_TYPES,
  GASLESS_KEY_REMOVE_EIP_712_TYPES,
  GASLESS_SIGNED_KEY_REQUEST_EIP_712_TYPES,
} from '@farcaster/core'
import { privateKeyToAccount } from 'viem/accounts'
import { hexOf } from '../src/protocol/bytes.js'
import { MessageType, type OnChainEvent } from '../src/protocol/definitions.js'
import type { SignedMessage } from '../src/protocol/message.js'
import type { MessageSigner } from '../src/protocol/sign.js'
import { TestUser, testKey, testNow } from './network.js'

const keyApp = new TestUser(2)

/** The user that grants keys, and the accounts that own the user and the app that asks for them. */
export const keyUser = new TestUser(1)
export const userCustody = privateKeyToAccount(`0x${'11'.repeat(32)}`)
export const appCustody = privateKeyToAccount(`0x${'22'.repeat(32)}`)

/** The key that is granted by default. */
export const grantedKey = testKey('granted')

/** Creates the on-chain events of the user and the app. */
export function keyOwnersOnChain(): OnChainEvent[] {
  return [...ownedBy(keyUser, userCustody.address), ...ownedBy(keyApp, appCustody.address)]
}

function ownedBy(owner: TestUser, address: string): OnChainEvent[] {
  const [registered, ...rest] = owner.onChain()
  const to = bytes(address)
  return [{ ...registered!, idRegisterEventBody: { ...registered!.idRegisterEventBody!, to } }, ...rest]
}

interface Grant {
  user?: TestUser
  key?: MessageSigner
  nonce?: number
  scopes?: MessageType[]
  ttl?: number
  /** Farcaster seconds. */
  at?: number
  by?: typeof userCustody
  requestedBy?: typeof userCustody
}

/** Signs a KEY_ADD of the user for the app. */
export async function grantKey(options: Grant = {}): Promise<SignedMessage> {
  const {
    user = keyUser,
    key = grantedKey,
    nonce = 1,
    scopes = [MessageType.CAST_ADD],
    ttl = 86_400,
    at = testNow,
  } = options
  const deadline = at + 100
  const requestSigner = options.requestedBy ?? appCustody
  const request = { requestFid: BigInt(keyApp.fid), deadline: BigInt(deadline) }
  const signature = await requestSigner.signTypedData({
    ...GASLESS_SIGNED_KEY_REQUEST_EIP_712_TYPES,
    primaryType: 'SignedKeyRequest',
    message: { ...request, key: hexOf(key.publicKey) },
  })
  const metadata = encodeGaslessSignedKeyRequestMetadata({
    ...request,
    requestSigner: requestSigner.address,
    signature: bytes(signature),
  })._unsafeUnwrap()
  const terms = { keyType: 1, scopes, ttl, nonce }
  const custodySignature = await (options.by ?? userCustody).signTypedData({
    ...GASLESS_KEY_ADD_EIP_712_TYPES,
    primaryType: 'KeyAdd',
    message: {
      ...terms,
      fid: BigInt(user.fid),
      key: hexOf(key.publicKey),
      deadline: BigInt(deadline),
    },
  })
  const keyAddBody = {
    ...terms,
    key: key.publicKey,
    custodySignature: bytes(custodySignature),
    deadline,
    metadata: Buffer.from(metadata),
    metadataType: 1,
    registrationTxHash: Buffer.alloc(0),
  }
  return key.sign(user.message({ type: MessageType.KEY_ADD, keyAddBody }, at).data)
}

/** Signs a KEY_REMOVE by custody (signature type 1), or by the key itself (2). */
export async function removeKey(
  nonce: number,
  signatureType: 1 | 2,
  { key = grantedKey, at = testNow }: Pick<Grant, 'key' | 'at'> = {},
): Promise<SignedMessage> {
  const deadline = at + 100
  const signature = await userCustody.signTypedData({
    ...GASLESS_KEY_REMOVE_EIP_712_TYPES,
    primaryType: 'KeyRemove',
    message: {
      fid: BigInt(keyUser.fid),
      key: hexOf(key.publicKey),
      nonce,
      deadline: BigInt(deadline),
    },
  })
  const keyRemoveBody = {
    key: key.publicKey,
    signature: bytes(signature),
    signatureType,
    deadline,
    nonce,
  }
  return key.sign(keyUser.message({ type: MessageType.KEY_REMOVE, keyRemoveBody }, at).data)
}

function bytes(hex: string): Buffer {
  return Buffer.from(hex.slice(2), 'hex')
}
