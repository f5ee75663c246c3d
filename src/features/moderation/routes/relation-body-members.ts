import { Type } from '@sinclair/typebox'
import { MAX_INT32 } from '../../../graph/view/schema/primitives.js'
import type { Database } from '../../../platform/db/connection.js'
import { PlazaError } from '../../../platform/errors.js'
import { findUnregisteredFids } from '../unregistered-fids.js'

/** A user, as bodies name one. */
export function fidMember(description: string) {
  return Type.Integer({ format: 'int32', minimum: 0, maximum: MAX_INT32, description })
}

/** A 404 that names the member, unless all of these are users. */
export async function requireUsers(db: Database, fids: readonly number[], property: string): Promise<void> {
  const missing = await findUnregisteredFids(db, fids)
  if (missing.length === 0) return
  throw new PlazaError('not_found', `no such users: ${missing.join(', ')}`, { property })
}
