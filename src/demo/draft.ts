import { HashScheme, MessageData, SignatureScheme } from '@farcaster/core'
import type { MergeItem } from '../hub/merge/shard-writer.js'
import { farcasterSecondsFromUnixSeconds } from '../protocol/time.js'
import type { KeyPurpose, KeyRing } from './keys.js'
import { fidOf } from './plan.js'

/** A message, a chain event or a name transfer of the demo. */
export type DemoItem = MergeItem

/**
 * What becomes an item of the demo. Signing is what takes time, so it waits: a run that skips what an earlier
 * one has done only pays for the drafts.
 */
export type Draft = MessageDraft | { readonly kind: 'made later'; readonly make: () => Promise<DemoItem> }

interface MessageDraft {
  readonly kind: 'message'
  readonly user: number
  readonly signer: KeyPurpose
  readonly data: MessageData
  /** Of casts, which others refer to by their hash before they are signed. */
  readonly encoded?: { readonly dataBytes: Buffer; readonly hash: Buffer }
}

/** The content of a message; fid, time and network are put around it. */
export type Content = Pick<MessageData, 'type'> & Partial<MessageData>

/** The data of a message of a user. `at` is in Unix seconds. */
export function messageData(content: Content, user: number, at: number, network: number): MessageData {
  return MessageData.create({
    ...content,
    fid: fidOf(user),
    timestamp: farcasterSecondsFromUnixSeconds(at),
    network,
  })
}

/** Makes the item of a draft. */
export async function finishDraft(draft: Draft, keys: KeyRing): Promise<DemoItem> {
  return draft.kind === 'message' ? signDraft(draft, keys) : await draft.make()
}

function signDraft({ user, signer, data, encoded }: MessageDraft, keys: KeyRing): DemoItem {
  const key = keys.signer(user, signer)
  if (encoded === undefined) return { kind: 'message', message: key.sign(data) }
  const message = {
    ...encoded,
    data,
    hashScheme: HashScheme.BLAKE3,
    signature: key.signHash(encoded.hash),
    signatureScheme: SignatureScheme.ED25519,
    signer: key.publicKey,
  }
  return { kind: 'message', message }
}
