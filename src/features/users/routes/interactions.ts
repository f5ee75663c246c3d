import { Type } from '@sinclair/typebox'
import { choiceParameter, fidParameter, listParameter } from '../../../api/parameters.js'
import type { Hydrator } from '../../../graph/cache/hydrator.js'
import {
  type InteractionRow,
  interactionKinds,
  interactionWindow,
  readInteractions,
} from '../../../graph/query/users-interactions.js'
import { dateTimeOf } from '../../../graph/view/formats.js'
import { jsonArray } from '../../../graph/view/json.js'
import type { Cast } from '../../../graph/view/schema/cast.js'
import { UserInteractionsResponse } from '../../../graph/view/schema/notification.js'
import { shortCast } from '../../../graph/view/short-cast.js'
import { userDehydrated } from '../../../graph/view/user-dehydrated.js'
import { unixSecondsFromFarcasterSeconds } from '../../../protocol/time.js'
import { defineOperation } from '../../operation.js'

const { reactions, casts, maxShown } = interactionWindow

/** `GET user/interactions` */
export const userInteractions = defineOperation({
  method: 'GET',
  path: 'user/interactions',
  tag: 'Users',
  summary: 'Fetch interactions between two users',
  description:
    `Newest first, at most ${maxShown}. Reads the latest ${reactions} likes, ${reactions} recasts and ` +
    `${casts} casts of each user. Follows have \`follows\`; likes and recasts have \`reactions\` and the ` +
    '`cast` they are for; mentions, replies and quotes have only `cast`. This is not an inbox: `seen` is ' +
    'always false.',
  query: Type.Object({
    fids: listParameter(fidParameter({ description: 'Fid of a user.' }), {
      minItems: 2,
      maxItems: 2,
      description: 'The two users.',
      examples: [[3, 191]],
    }),
    type: Type.Optional(
      listParameter(choiceParameter(interactionKinds, { description: 'Type of interaction.' }), {
        maxItems: interactionKinds.length,
        description: 'Types of interactions. Without it, all types.',
      }),
    ),
  }),
  reply: UserInteractionsResponse,

  async handle({ db, hydrator }, { fids, type }) {
    const rows = await readInteractions(db, [fids[0]!, fids[1]!], type ?? interactionKinds)
    const jsons = await hydrator.casts(unique(rows.flatMap(({ hash }) => hash ?? [])))
    const interactionCasts = new Map(
      [...jsons].map(([hash, json]) => [hash, { json, cast: JSON.parse(json) as Cast }]),
    )
    const users = await usersOf(hydrator, rows, interactionCasts)
    const interactions = rows.flatMap((row) => interactionJson(row, interactionCasts, users) ?? [])
    return `{"interactions":${jsonArray(interactions)}}`
  },
})

interface InteractionCast {
  readonly json: string
  readonly cast: Cast
}

/** Renders the acting users by fid. Authors of the casts are already rendered. */
async function usersOf(
  hydrator: Hydrator,
  rows: readonly InteractionRow[],
  interactionCasts: ReadonlyMap<string, InteractionCast>,
): Promise<Map<number, string>> {
  const authors = new Map(
    [...interactionCasts.values()].map(({ cast }) => [cast.author.fid, JSON.stringify(cast.author)]),
  )
  const fids = unique(rows.filter(({ kind }) => showsActor(kind)).map(({ fid }) => fid))
  const others = await hydrator.users(fids.filter((fid) => !authors.has(fid)))
  return new Map([...authors, ...others])
}

function showsActor(kind: InteractionRow['kind']): boolean {
  return kind === 'follows' || kind === 'likes' || kind === 'recasts'
}

/** Renders a Notification; null if its cast or its user is not visible. */
function interactionJson(
  { kind, fid, ts, hash, app }: InteractionRow,
  interactionCasts: ReadonlyMap<string, InteractionCast>,
  users: ReadonlyMap<number, string>,
): string | null {
  const head = (type: string) =>
    `{"object":"notification","type":"${type}","seen":false,"most_recent_timestamp":"${dateTimeOf(
      unixSecondsFromFarcasterSeconds(ts),
    )}"`
  const user = users.get(fid)
  if (kind === 'follows') {
    if (user === undefined) return null
    const appMember = app ? `,"app":${JSON.stringify(userDehydrated(app))}` : ''
    return `${head(kind)},"count":1,"follows":[{"object":"follower","user":${user}${appMember}}]}`
  }
  const cast = hash === null ? undefined : interactionCasts.get(hash)
  if (cast === undefined) return null
  if (kind === 'likes' || kind === 'recasts') {
    if (user === undefined) return null
    const short = JSON.stringify(shortCast(cast.cast))
    const reaction = `{"object":"${kind}","user":${user},"cast":${short}}`
    return `${head(kind)},"count":1,"reactions":[${reaction}],"cast":${cast.json}}`
  }
  const type = { mentions: 'mention', replies: 'reply', quotes: 'quote' }[kind]
  return `${head(type)},"cast":${cast.json}}`
}

function unique<Value>(values: readonly Value[]): Value[] {
  return [...new Set(values)]
}
