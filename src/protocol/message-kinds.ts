import type { MessageType } from '@farcaster/core'
import { castAdd } from './kinds/cast-add.js'
import { castRemove } from './kinds/cast-remove.js'
import { frameAction } from './kinds/frame-action.js'
import { keyAdd } from './kinds/key-add.js'
import { keyRemove } from './kinds/key-remove.js'
import { lendStorage } from './kinds/lend-storage.js'
import { linkAdd } from './kinds/link-add.js'
import { linkCompactState } from './kinds/link-compact-state.js'
import { linkRemove } from './kinds/link-remove.js'
import { reactionAdd } from './kinds/reaction-add.js'
import { reactionRemove } from './kinds/reaction-remove.js'
import { userDataAdd } from './kinds/user-data-add.js'
import { usernameProof } from './kinds/username-proof.js'
import { verificationAdd } from './kinds/verification-add.js'
import { verificationRemove } from './kinds/verification-remove.js'
import type { MessageKind } from './message-kind.js'

/**
 * A kind whose body type is not known here. Its functions may only be given what its own `body` returned,
 * which is what makes forgetting the type safe.
 */
export type AnyMessageKind = MessageKind<unknown>

/** Every message type that Plaza knows. A new type is a new file and a new line. */
export const messageKinds = [
  castAdd,
  castRemove,
  reactionAdd,
  reactionRemove,
  linkAdd,
  linkRemove,
  linkCompactState,
  verificationAdd,
  verificationRemove,
  userDataAdd,
  usernameProof,
  frameAction,
  lendStorage,
  keyAdd,
  keyRemove,
] as readonly AnyMessageKind[]

const byType: (AnyMessageKind | undefined)[] = []
for (const kind of messageKinds) byType[kind.type] = kind

/** The kind of a message type; undefined for a type that Plaza does not know, such as the channel types. */
export function kindOf(type: MessageType): AnyMessageKind | undefined {
  return byType[type]
}
