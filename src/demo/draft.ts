import type { MergeItem } from '../hub/merge/shard-writer.js'
import { HashScheme, MessageData, SignatureScheme } from '../protocol/definitions.js'
import type { MessageContent } from '../protocol/message.js'
import { farcasterSecondsFromUnixSeconds } from '../protocol/time.js'
import type { KeyPurpose, KeyRing } from './keys.js'
import { fidOf } from './plan.js'

/** A message, on-chain event or name transfer of the demo. */
export type DemoItem = MergeItem

/**
 * An item of the demo before it is signed. Signing takes most of the time, so a run that skips the items of
 * an earlier one only creates drafts.
 */
export type Draft = MessageDraft | { readonly kind: 'made later'; readonly make: () => Promise<DemoItem> }

interface MessageDraft {
  readonly kind: 'message'
  readonly user: number
  readonly signer: KeyPurpose
  readonly data: MessageData
  /** Encoded data and hash of a cast, because other casts refer to the hash before it is signed. */
  readonly encoded?: { readonly dataBytes: Buffer; readonly hash: Buffer }
}

/** Creates the data of a message of a user. `at` is in Unix seconds. */
export function messageData(content: MessageContent, user: number, at: number, network: number): MessageData {
  return MessageData.create({
    ...content,
    fid: fidOf(user),
    timestamp: farcasterSecondsFromUnixSeconds(at),
    network,
  })
}

/** Creates and signs the item of a draft. */
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
