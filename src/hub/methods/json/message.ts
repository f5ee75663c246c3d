import { type Message, Message as MessageCodec, MessageData } from '@farcaster/core'
import { hexOf } from '../../../protocol/bytes.js'
import { base64 } from './bytes.js'
import {
  hashSchemeNames,
  messageTypeNames,
  nameOf,
  networkNames,
  signatureSchemeNames,
} from './enum-names.js'
import { messageBodyJson } from './message-body.js'

/** A message as the hub API shows it (docs/protocol.md §1.2). */
export interface MessageJson {
  readonly data: Readonly<Record<string, unknown>> | null
  readonly hash: string
  readonly hashScheme: string
  readonly signature: string
  readonly signatureScheme: string
  readonly signer: string
}

/**
 * Maps a message. `data` is what `dataBytes` decode to, whatever else the message carries: the hash was
 * made over these bytes.
 *
 * A message that cannot be decoded shows `data: null` and keeps its hash, signature and signer: one bad
 * message must not take its page down, and must not leave it either, or a reader would miss an event.
 */
export function messageJson(message: Message): MessageJson {
  return {
    data: messageDataJson(decodeData(message)),
    hash: hexOf(message.hash),
    hashScheme: nameOf(hashSchemeNames, message.hashScheme),
    signature: base64(message.signature),
    signatureScheme: nameOf(signatureSchemeNames, message.signatureScheme),
    signer: hexOf(message.signer),
  }
}

/** Maps a stored message: the encoded protobuf Message of `hub.messages`. Bytes that are none show as an empty one. */
export function storedMessageJson(bytes: Buffer): MessageJson {
  return messageJson(decodeMessage(bytes))
}

function decodeMessage(bytes: Buffer): Message {
  try {
    return MessageCodec.decode(bytes)
  } catch {
    return MessageCodec.create()
  }
}

/** The decoded contents of a message; null when its bytes are none. */
export function decodeData(message: Message): MessageData | null {
  if (message.dataBytes === undefined) return message.data ?? null
  try {
    return MessageData.decode(message.dataBytes)
  } catch {
    return null
  }
}

function messageDataJson(data: MessageData | null): Record<string, unknown> | null {
  if (data === null) return null
  return {
    type: nameOf(messageTypeNames, data.type),
    fid: data.fid,
    timestamp: data.timestamp,
    network: nameOf(networkNames, data.network),
    ...messageBodyJson(data),
  }
}
