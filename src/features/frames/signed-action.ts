import { invalidField } from '../../api/invalid-field.js'
import type { Hub } from '../../hub/hub.js'
import type { Database } from '../../platform/db/connection.js'
import { refusalError } from '../../platform/errors.js'
import { bytesOfHex, castHashBytes, hexOf } from '../../protocol/bytes.js'
import { encodeMessage } from '../../protocol/codec.js'
import { MessageType } from '../../protocol/definitions.js'
import { unixMsFromFarcasterSeconds } from '../../protocol/time.js'
import { type Author, farcasterNow, type Publisher, signContent } from '../publishing/author.js'

/** Signed content of a press of a frame's button. */
export interface ActionInput {
  readonly frames_url: string
  readonly button: { readonly index: number }
  readonly input?: { readonly text?: string }
  readonly state?: { readonly serialized?: string }
  readonly transaction?: { readonly hash: string }
  readonly address?: string
}

/**
 * Signs a frame action for a user, and returns it as frames expect it: once in plain and once as the signed message.
 *
 * @param castHash The cast that shows the frame, with or without 0x.
 * @throws PlazaError For a cast that is not stored, and for the hub's refusal.
 */
export async function signFrameAction(
  publisher: Omit<Publisher, 'hub'> & { readonly hub: Pick<Hub, 'checkUnstored'> },
  author: Author,
  action: ActionInput,
  castHash: string | undefined,
): Promise<object> {
  const castId = castHash === undefined ? undefined : await findCastId(publisher.writerDb, castHash)
  const inputText = action.input?.text ?? ''
  const state = action.state?.serialized ?? ''
  const transactionId = bytesOf('transaction.hash', action.transaction?.hash)
  const address = bytesOf('address', action.address)
  const timestamp = farcasterNow(publisher)
  const frameActionBody = {
    url: Buffer.from(action.frames_url),
    buttonIndex: action.button.index,
    castId,
    inputText: Buffer.from(inputText),
    state: Buffer.from(state),
    transactionId,
    address,
  }
  const message = signContent(
    publisher,
    author,
    { type: MessageType.FRAME_ACTION, frameActionBody },
    timestamp,
  )
  const refusal = await publisher.hub.checkUnstored(message)
  if (refusal) throw refusalError(refusal, 'action')
  return {
    untrustedData: {
      fid: author.fid,
      url: action.frames_url,
      messageHash: hexOf(message.hash),
      timestamp: unixMsFromFarcasterSeconds(timestamp),
      network: publisher.network,
      buttonIndex: action.button.index,
      inputText,
      state,
      transactionId: transactionId.length === 0 ? '' : hexOf(transactionId),
      address: address.length === 0 ? '' : hexOf(address),
      ...(castId === undefined ? {} : { castId: { fid: castId.fid, hash: hexOf(castId.hash) } }),
    },
    trustedData: { messageBytes: encodeMessage(message).toString('hex') },
  }
}

async function findCastId(db: Database, castHash: string): Promise<{ fid: number; hash: Buffer }> {
  const hash = castHashBytes(castHash)
  const [cast] = await db<{ fid: number }[]>`select fid from social.casts where hash = ${hash}`
  if (cast === undefined) throw invalidField('cast_hash', 'must be the hash of a cast that is stored')
  return { fid: cast.fid, hash }
}

function bytesOf(member: string, hex: string | undefined): Buffer {
  if (hex === undefined || hex === '') return Buffer.alloc(0)
  if (!/^0x([\da-f]{2})+$/i.test(hex)) throw invalidField(`action.${member}`, 'must be 0x and hex digits')
  return bytesOfHex(hex)
}
