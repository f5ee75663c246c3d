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

/** A message in the JSON of the hub API (docs/protocol.md §1.2). */
export interface MessageJson {
  readonly data: Readonly<Record<string, unknown>> | null
  readonly hash: string
  readonly hashScheme: string
  readonly signature: string
  readonly signatureScheme: string
  readonly signer: string
}

/**
 * Maps a message to JSON. `data` is decoded from `dataBytes`, if the message has them: the hash is over these
 * bytes.
 *
 * A message that cannot be decoded has `data: null` and keeps its hash, signature and signer. One bad message
 * must not fail its page, and must not be left out either, or a reader would miss an event.
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

/**
 * Maps a stored message: the encoded protobuf Message of `hub.messages`. Other bytes become an empty message.
 */
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

/** Decodes the data of a message; null when it cannot be decoded. */
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
