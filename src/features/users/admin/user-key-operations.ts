import { Type } from '@sinclair/typebox'
import { cursorKind, keyPart } from '../../../api/cursor.js'
import { fidParameter, pagingParameters } from '../../../api/parameters.js'
import { KEY_TYPE_ED25519 } from '../../../protocol/key-rules.js'
import { farcasterSecondsFromUnixMs } from '../../../protocol/time.js'
import { defineAdminOperation } from '../../admin-operation.js'
import { requireUsers } from '../../moderation/relations.js'
import { type UserKey, UserKeysResponse } from '../schema/user-keys.js'
import { readUserKeys, type UserKeyRow } from '../user-keys.js'

const byBlock = cursorKind('keys of a user', keyPart.integer, keyPart.text)

/** `GET /admin/users/{fid}/keys` */
export const listUserKeysOperation = defineAdminOperation({
  method: 'GET',
  path: 'users/{fid}/keys',
  summary: 'List keys of a user',
  description:
    'Keys of the registry, also removed ones, the last changed first; then keys that messages have added. With the app ' +
    'that asked for each, as its signed request in the registry says, and the app of this server that has it.',
  params: Type.Object({ fid: fidParameter({ description: 'Fid of the user.' }) }),
  input: Type.Object(pagingParameters(100, 25)),
  reply: UserKeysResponse,
  notFound: 'There is no user with this fid.',

  async handle({ db, clock }, { limit, cursor }, { fid }) {
    await requireUsers(db, [fid], 'fid')
    const rows = await readUserKeys(
      db,
      fid,
      limit + 1,
      byBlock.decode(cursor),
      farcasterSecondsFromUnixMs(clock()),
    )
    const { page, next } = byBlock.page(rows, limit, (last) => [last.block, last.key])
    return { keys: page.map(keyJson), next }
  },
})

function keyJson(row: UserKeyRow): UserKey {
  return {
    object: 'user_key',
    key: `0x${row.key}`,
    use: row.keyType === KEY_TYPE_ED25519 ? 'signs messages' : 'signs in',
    source: row.block === 0 ? 'message' : 'chain',
    active: row.active,
    changed_at: row.changedAt === null ? null : new Date(row.changedAt * 1000).toISOString(),
    requested_by: row.requestFid === null ? null : { fid: row.requestFid, username: row.requestName },
    app: row.appId === null ? null : { id: row.appId, name: row.appName! },
  }
}
