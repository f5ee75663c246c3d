import { Type } from '@sinclair/typebox'
import { castHashParameter } from '../../../api/parameters.js'
import { storedMessageJson } from '../../../hub/methods/json/message.js'
import { PlazaError } from '../../../platform/errors.js'
import { castHashBytes } from '../../../protocol/bytes.js'
import { defineAdminOperation } from '../../admin-operation.js'
import { readCastMessage } from '../cast-message.js'
import { CastMessageResponse } from '../schema/cast-message.js'

/** `GET /admin/casts/{hash}/message` */
export const getCastMessageOperation = defineAdminOperation({
  method: 'GET',
  path: 'casts/{hash}/message',
  summary: 'Fetch the signed message of a cast',
  description: 'The message that the hub has stored, in the JSON of the hub API and as bytes.',
  params: Type.Object({ hash: castHashParameter({ description: 'Hash of the cast.' }) }),
  reply: CastMessageResponse,
  notFound: 'No cast with this hash is stored.',

  async handle({ db }, _query, { hash }) {
    const message = await readCastMessage(db, castHashBytes(hash))
    if (message === null) throw new PlazaError('not_found', 'there is no such cast', { property: 'hash' })
    return { message: { ...storedMessageJson(message) }, bytes: message.toString('hex') }
  },
})
