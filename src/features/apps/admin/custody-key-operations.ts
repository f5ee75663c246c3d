import { Type } from '@sinclair/typebox'
import { bytesOfHex } from '../../../protocol/bytes.js'
import { defineAdminOperation } from '../../admin-operation.js'
import { findApp } from '../apps.js'
import { deleteCustodyKey, saveCustodyKey } from '../custody-key.js'
import { AppResponse } from '../schema/app.js'
import { appJson } from './app-json.js'
import { appParams, unknownApp, unknownError } from './app-operations.js'

/** `POST /admin/apps/{id}/custody_key` */
export const saveCustodyKeyOperation = defineAdminOperation({
  method: 'POST',
  path: 'apps/{id}/custody_key',
  summary: 'Store the custody key of an app',
  description:
    'Stores the private key of the custody address of the app’s `fid`, encrypted. With it the server signs ' +
    'the app’s requests for signers when users sign in with a browser. The key is never shown again; ' +
    'another one replaces it.',
  params: appParams,
  input: Type.Object({
    custody_key: Type.String({
      pattern: '^0x[\\da-fA-F]{64}$',
      patternText: '0x and 64 hex digits',
      description: 'Private key of the custody address.',
      examples: [`0x${'5e'.repeat(32)}`],
    }),
  }),
  reply: AppResponse,
  notFound: unknownApp,
  conflict: 'The app has no fid, or the key is not that of its custody address.',

  async handle({ writerDb, vault, publicUrl }, { custody_key }, { id }) {
    const privateKey = bytesOfHex(custody_key)
    if (!(await saveCustodyKey({ db: writerDb, vault }, id, privateKey))) throw unknownError('app')
    return { app: appJson((await findApp(writerDb, id))!, publicUrl()) }
  },
})

/** `DELETE /admin/apps/{id}/custody_key` */
export const deleteCustodyKeyOperation = defineAdminOperation({
  method: 'DELETE',
  path: 'apps/{id}/custody_key',
  summary: 'Delete the custody key of an app',
  description:
    'Users with an approved signer can still sign in; new users cannot. Repeating it has no effect.',
  params: appParams,
  reply: AppResponse,
  notFound: unknownApp,

  async handle({ writerDb, publicUrl }, _body, { id }) {
    if (!(await deleteCustodyKey(writerDb, id))) throw unknownError('app')
    return { app: appJson((await findApp(writerDb, id))!, publicUrl()) }
  },
})
