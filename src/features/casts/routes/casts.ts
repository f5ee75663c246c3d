import { Type } from '@sinclair/typebox'
import {
  castHashParameter,
  choiceParameter,
  listParameter,
  viewerFidParameter,
} from '../../../api/parameters.js'
import { sortCasts } from '../../../graph/query/casts-ranked.js'
import { jsonArray } from '../../../graph/view/json.js'
import { CastsResponse } from '../../../graph/view/schema/cast.js'
import { farcasterSecondsFromUnixMs } from '../../../protocol/time.js'
import { defineOperation } from '../../operation.js'

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
