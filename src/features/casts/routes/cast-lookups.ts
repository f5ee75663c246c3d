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
  tag: 'Casts',
  summary: 'Lookup cast by hash or URL',
  description: `${castIdentifierNote} The cast is returned even if the viewer blocks or mutes its author.`,
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
  tag: 'Casts',
  summary: 'Bulk fetch casts by hashes',
  description:
    'Unknown casts are left out. `sort_type=trending` ranks by reactions and replies that decay with age, ' +
    'as `feed/trending` does. Equal ranks are ordered newest first.',
  query: Type.Object({
    casts: listParameter(castHashParameter({ description: 'Hash of a cast.' }), {
      maxItems: 100,
      description: 'Hashes of casts.',
    }),
    sort_type: Type.Optional(
      choiceParameter(['trending', 'likes', 'recasts', 'replies', 'recent'], {
        description: 'Order of the casts. Without it, the order of the request.',
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
