import { createHash } from 'node:crypto'
import { type TestUser, testKey } from '../../../../test/network.js'
import type { Hub } from '../../../hub/hub.js'
import { keyRequestMetadata } from '../../../hub/registry/key-request.js'
import { SignerEventType } from '../../../protocol/definitions.js'
import type { MessageSigner } from '../../../protocol/sign.js'

/** A user's key that a client app requested. */
export interface ClientKey extends MessageSigner {
  /** 32 bytes, for libraries that sign by themselves. */
  readonly privateKey: Buffer
}

/** Adds a key to a registered user, as requested by a client app. */
export async function addClientKey(
  hub: Pick<Hub, 'submitOnChainEvents'>,
  user: TestUser,
  clientFid: number,
): Promise<ClientKey> {
  const key = clientKey(user, clientFid)
  const [refusal] = await hub.submitOnChainEvents([keyEvent(user, clientFid, SignerEventType.ADD)])
  if (refusal) throw new Error(refusal.message)
  return key
}

/** Removes such a key. */
export async function removeClientKey(
  hub: Pick<Hub, 'submitOnChainEvents'>,
  user: TestUser,
  clientFid: number,
): Promise<void> {
  const [refusal] = await hub.submitOnChainEvents([keyEvent(user, clientFid, SignerEventType.REMOVE)])
  if (refusal) throw new Error(refusal.message)
}

/** Returns the key, added or not. */
export function clientKey(user: TestUser, clientFid: number): ClientKey {
  const name = `client ${clientFid} of ${user.fid}`
  return { ...testKey(name), privateKey: createHash('sha256').update(name).digest() }
}

function keyEvent(user: TestUser, clientFid: number, eventType: SignerEventType) {
  const metadata = keyRequestMetadata({
    requestFid: clientFid,
    requestSigner: Buffer.alloc(20, 1),
    signature: Buffer.alloc(65, 1),
    deadline: 4_000_000_000,
  })
  const event = user.signerEvent(eventType, 500_000 + clientFid, clientKey(user, clientFid).publicKey)
  return {
    ...event,
    logIndex: Number(eventType),
    signerEventBody: { ...event.signerEventBody!, metadata },
  }
}
