import { Type } from '@sinclair/typebox'
import { viewerFidParameter } from '../../../api/parameters.js'
import { findCastHash } from '../../../graph/query/cast-identifier.js'
import { CastResponse } from '../../../graph/view/schema/cast.js'
import { PlazaError } from '../../../platform/errors.js'
import { defineOperation } from '../../operation.js'
import {
  castIdentifier,
  castIdentifierNote,
  castIdentifierParameters,
  unknownCast,
} from './cast-identifier.js'

/** `GET cast` */
export const cast = defineOperation({
  method: 'GET',
  path: 'cast',
  tag: 'Cast',
  summary: 'One cast by its hash or its URL',
  description: `${castIdentifierNote} Also shown to viewers who block or mute its author: it was asked for by name.`,
  query: Type.Object({ ...castIdentifierParameters, viewer_fid: viewerFidParameter }),
  reply: CastResponse,
  notFound: unknownCast,

  async handle({ db, hydrator }, { viewer_fid, ...named }) {
    const hash = await findCastHash(db, castIdentifier(named))
    const json = hash === null ? undefined : (await hydrator.casts([hash], viewer_fid)).get(hash)
    if (json === undefined) throw new PlazaError('not_found', unknownCast, { property: 'identifier' })
    return `{"cast":${json}}`
  },
})
