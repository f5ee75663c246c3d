import { Type } from '@sinclair/typebox'
import { cursorKind, keyPart } from '../../../api/cursor.js'
import { fidParameter, listParameter, pagingParameters } from '../../../api/parameters.js'
import { addressOfAuthKey } from '../../../protocol/auth-key.js'
import { hexOf } from '../../../protocol/bytes.js'
import { KEY_TYPE_AUTH } from '../../../protocol/key-rules.js'
import { defineAdminOperation } from '../../admin-operation.js'
import { appParams, requireApp, unknownApp } from '../../apps/admin/app-operations.js'
import { type AppSigner, listSignersOfApp } from '../app-signers.js'
import { permittedOperations } from '../permitted-operations.js'
import { AppSignersResponse } from '../schema/app-signer.js'

const MAX_FIDS = 20

const newestFirst = cursorKind('signers of an app', keyPart.integer, keyPart.uuid)

/** `GET /admin/apps/{id}/signers` */
export const listAppSignersOperation = defineAdminOperation({
  method: 'GET',
  path: 'apps/{id}/signers',
  summary: 'List the signers of an app',
  description:
    'Newest first: keys that the app has requested from users, also revoked ones, with their permissions and what each ' +
    'may do now. With `fids`, only approved ones of these users that sign messages.',
  params: appParams,
  input: Type.Object({
    fids: Type.Optional(
      listParameter(fidParameter({ description: 'Fid of a user.' }), {
        maxItems: MAX_FIDS,
        description: 'Fids of users, separated by commas.',
        examples: [[3]],
      }),
    ),
    ...pagingParameters(100, 25),
  }),
  reply: AppSignersResponse,
  notFound: unknownApp,

  async handle({ writerDb }, { limit, cursor, fids = null }, { id }) {
    const [createdAtMs, lastId] = newestFirst.decode(cursor) ?? []
    await requireApp(writerDb, id)
    const before = createdAtMs === undefined || lastId === undefined ? null : { createdAtMs, id: lastId }
    const found = await listSignersOfApp(writerDb, id, { limit: limit + 1, before, fids })
    const { page, next } = newestFirst.page(found, limit, (last) => [last.createdAtMs, last.id])
    return { signers: page.map(signerJson), next }
  },
})

function signerJson({
  id,
  publicKey,
  keyType,
  isHeld,
  status,
  fid,
  username,
  permissions,
  createdAtMs,
}: AppSigner) {
  const isAddress = keyType === KEY_TYPE_AUTH
  const mayAct = status === 'approved' && isHeld && !isAddress
  return {
    object: 'app_signer' as const,
    signer_uuid: id,
    public_key: hexOf((isAddress && addressOfAuthKey(publicKey)) || publicKey),
    key_type: isAddress ? ('auth_address' as const) : ('signer' as const),
    held_by: isHeld ? ('server' as const) : ('developer' as const),
    status,
    fid,
    username,
    permissions: permissions ?? ['WRITE_ALL' as const],
    operations: mayAct ? permittedOperations(permissions) : [],
    created_at: new Date(createdAtMs).toISOString(),
  }
}
