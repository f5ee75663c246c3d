import { Type } from '@sinclair/typebox'
import {
  castHashParameter,
  choiceParameter,
  listParameter,
  viewerFidParameter,
} from '../../../api/parameters.js'
import { findCastHash } from '../../../graph/query/cast-identifier.js'
import { sortCasts } from '../../../graph/query/casts-ranked.js'
import { jsonArray } from '../../../graph/view/json.js'
import { CastResponse, CastsResponse } from '../../../graph/view/schema/cast.js'
import { PlazaError } from '../../../platform/errors.js'
import { farcasterSecondsFromUnixMs } from '../../../protocol/time.js'
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

/** `GET casts` */
export const casts = defineOperation({
  method: 'GET',
  path: 'casts',
  tag: 'Cast',
  summary: 'Casts by their hashes',
  description:
    'Casts that are not here are left out. `trending` ranks by reactions and replies that fade with age, as ' +
    '`feed/trending` does; among equals the latest is first.',
  query: Type.Object({
    casts: listParameter(castHashParameter({ description: 'A cast.' }), {
      maxItems: 100,
      description: 'Which.',
    }),
    sort_type: Type.Optional(
      choiceParameter(['trending', 'likes', 'recasts', 'replies', 'recent'], {
        description: 'What comes first; without, the order that was asked for.',
      }),
    ),
    viewer_fid: viewerFidParameter,
  }),
  reply: CastsResponse,

  async handle({ db, hydrator, clock }, { casts: identifiers, sort_type, viewer_fid }) {
    const identifiedHashes = [...new Set(identifiers.map((hash) => hash.replace(/^0x/i, '').toLowerCase()))]
    const hashes = sort_type
      ? await sortCasts(db, identifiedHashes, sort_type, farcasterSecondsFromUnixMs(clock()))
      : identifiedHashes
    const castJsons = await hydrator.casts(hashes, viewer_fid)
    return `{"result":{"casts":${jsonArray(hashes.flatMap((hash) => castJsons.get(hash) ?? []))}}}`
  },
})
