import { MessageType, type UserDataBody, UserDataType } from '@farcaster/core'
import { type MessageKind, MessageSet } from '../message-kind.js'
import { BASE_DATA_BYTES } from './data-size.js'
import { validateProfileValue } from './profile-value.js'

/** One entry of a profile. A later one of the same type replaces it; the empty value clears it. */
export const userDataAdd: MessageKind<UserDataBody> = {
  type: MessageType.USER_DATA_ADD,
  set: MessageSet.userData,
  side: 'add',
  body: (data) => data.userDataBody,
  maxDataBytes: BASE_DATA_BYTES,
  validate: (body) => validateProfileValue(body.type, body.value),
  requiresPro: (body) => body.type === UserDataType.BANNER,
  conflictKey: (body) => Buffer.of(body.type),
}
