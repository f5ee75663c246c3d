import { type Static, Type } from '@sinclair/typebox'
import { invalidField } from '../../../api/invalid-field.js'
import {
  choiceParameter,
  fidParameter,
  flagParameter,
  listParameter,
  textParameter,
} from '../../../api/parameters.js'
import { embedTypes, kindsOf } from '../../../graph/project/embed-kind.js'
import { readEmbedFeed } from '../../../graph/query/feeds-by-embed.js'
import { FeedResponse } from '../../../graph/view/schema/cast.js'
import type { Database } from '../../../platform/db/connection.js'
import { defineOperation } from '../../operation.js'
import { authorFeed } from './author-feed.js'
import { embedPrefix } from './embed-prefix.js'
import { feedPages, type OwnBeginning, type ReadFeed, recastNote, type SharedBeginning } from './feed-page.js'
import { authors, feedPaging, membersOnly, parentUrl } from './feed-parameters.js'
import { followingFeed } from './following-feed.js'
import { parentFeed } from './parent-feed.js'

const filterTypes = ['fids', 'parent_url', 'channel_id', 'embed_url', 'embed_types'] as const

const query = Type.Object({
  feed_type: Type.Optional(
    choiceParameter(['following', 'filter'], {
      description: '`following` where nothing is said, but `filter` where `filter_type` is given.',
    }),
  ),
  filter_type: Type.Optional(
    choiceParameter(filterTypes, { description: 'Which parameter chooses. Must be given with `filter`.' }),
  ),
  fid: Type.Optional(fidParameter({ description: 'With `following`: whose follows.' })),
  fids: Type.Optional(authors(100, 'With `fids`: the authors. Their replies are in the feed.')),
  parent_url: Type.Optional(
    parentUrl(
      'With `parent_url`: what casts are directly below. Replies in their threads are not in the feed.',
    ),
  ),
  channel_id: Type.Optional(
    textParameter({ description: 'With `channel_id`: the channel, by any of its URLs. No replies either.' }),
  ),
  members_only: membersOnly,
  embed_url: Type.Optional(
    parentUrl(
      'With `embed_url`: how an embedded URL begins. Without a scheme, https. A host alone is everything on it.',
    ),
  ),
  embed_types: Type.Optional(
    listParameter(choiceParameter(embedTypes, { description: 'A type.' }), {
      maxItems: embedTypes.length,
      description: 'With `embed_types`: what an embed is. The short names stand for all of their kind.',
    }),
  ),
  with_recasts: flagParameter({
    default: true,
    description: 'With `following` and `fids`: what they recast, too.',
  }),
  ...feedPaging,
})
type FeedQuery = Static<typeof query>

/** `GET feed` */
export const feed = defineOperation({
  method: 'GET',
  path: 'feed',
  tag: 'Feed',
  summary: 'Casts by those whom a user follows, or by another choice',
  description: `Newest first. Parameters of other choices have no effect. ${recastNote}`,
  query,
  reply: FeedResponse,

  async handle({ db, hydrator }, asked, caller) {
    const chosen = choiceOf(asked)
    return pagesOf[chosen]({ db, hydrator }, caller, asked, ...reads[chosen](db, asked))
  },
})

type Choice = 'following' | (typeof filterTypes)[number]

function choiceOf({ feed_type, filter_type }: FeedQuery): Choice {
  if (feed_type === 'following') return 'following'
  if (filter_type) return filter_type
  if (feed_type === 'filter') {
    throw invalidField('filter_type', `is required with feed_type=filter: one of ${filterTypes.join(', ')}`)
  }
  return 'following'
}

const pagesOf = {
  following: feedPages('feed: following', true),
  fids: feedPages('feed: fids', true),
  parent_url: feedPages('feed: parent_url', false),
  channel_id: feedPages('feed: channel_id', false),
  embed_url: feedPages('feed: embed_url', true),
  embed_types: feedPages('feed: embed_types', true),
} satisfies Record<Choice, unknown>

/** How each choice is read; a 400 that names the parameter that it lacks. */
const reads: Record<
  Choice,
  (db: Database, query: FeedQuery) => [ReadFeed, (SharedBeginning | OwnBeginning)?]
> = {
  following(db, asked) {
    return followingFeed(db, { fid: needed(asked, 'fid'), recasts: asked.with_recasts })
  },
  fids(db, asked) {
    const selection = { fids: needed(asked, 'fids'), casts: 'all', recasts: asked.with_recasts } as const
    return authorFeed(db, selection)
  },
  parent_url(db, asked) {
    return parentFeed(db, { below: { urls: [needed(asked, 'parent_url')] }, replies: false })
  },
  channel_id(db, asked) {
    const channelId = needed(asked, 'channel_id')
    return parentFeed(db, {
      below: { channelIds: [channelId] },
      replies: false,
      membersOnly: asked.members_only,
    })
  },
  embed_url(db, asked) {
    const selection = embedPrefix(needed(asked, 'embed_url'))
    return [(part) => readEmbedFeed(db, selection, part)]
  },
  embed_types(db, asked) {
    const selection = { kinds: kindsOf(needed(asked, 'embed_types')) }
    return [(part) => readEmbedFeed(db, selection, part)]
  },
}

function needed<Name extends keyof FeedQuery>(asked: FeedQuery, name: Name): NonNullable<FeedQuery[Name]> {
  const value = asked[name]
  if (value !== undefined) return value as NonNullable<FeedQuery[Name]>
  throw invalidField(
    name,
    name === 'fid' ? 'is required: whose follows' : `is required with filter_type=${name}`,
  )
}
