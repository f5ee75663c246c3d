import { isPermitted, type RequiredPermission } from './acting-signer.js'
import type { SignerPermission } from './schema/signer.js'

/** The operations with a `signer_uuid` and the permission that each requires, as in docs/signers.md. */
export const requiredPermissions: Readonly<Record<string, RequiredPermission>> = {
  'POST cast': 'PUBLISH_CAST',
  'DELETE cast': 'DELETE_CAST',
  'POST reaction': 'PUBLISH_REACTION',
  'DELETE reaction': 'DELETE_REACTION',
  'POST user/follow': 'FOLLOW_USER',
  'DELETE user/follow': 'UNFOLLOW_USER',
  'PATCH user': 'UPDATE_PROFILE',
  'POST user/verification': 'ADD_VERIFICATION',
  'DELETE user/verification': 'REMOVE_VERIFICATION',
  'POST channel/follow': 'FOLLOW_CHANNEL',
  'DELETE channel/follow': 'UNFOLLOW_CHANNEL',
  'POST action': 'WRITE_FRAME_ACTION',
  'POST frame/action': 'WRITE_FRAME_ACTION',
  'POST app_host/user/event': 'WRITE_FRAME_ACTION',
  'POST block': 'WRITE_ALL',
  'DELETE block': 'WRITE_ALL',
  'POST channel': 'WRITE_ALL',
  'PATCH channel': 'WRITE_ALL',
  'POST channel/member/invite': 'WRITE_ALL',
  'PUT channel/member/invite': 'WRITE_ALL',
  'DELETE channel/member': 'WRITE_ALL',
  'POST channel/ban': 'WRITE_ALL',
  'DELETE channel/ban': 'WRITE_ALL',
  'POST channel/hide': 'WRITE_ALL',
  'DELETE channel/hide': 'WRITE_ALL',
  'POST notifications/seen': 'any write',
}

/** Lists the operations that granted permissions cover. Null grants everything. */
export function permittedOperations(granted: readonly SignerPermission[] | null): string[] {
  return Object.entries(requiredPermissions).flatMap(([operation, required]) =>
    isPermitted(granted, required) ? [operation] : [],
  )
}
