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
import { type EmbedSelection, readEmbedFeed } from '../../../graph/query/feeds-by-embed.js'
import { FeedResponse } from '../../../graph/view/schema/cast.js'
import type { Database } from '../../../platform/db/connection.js'
import { defineOperation } from '../../operation.js'
import {
  feedPages,
  type ReadFeed,
  recastNote,
  type SharedFirstPageReader,
  type ViewerFirstPageReader,
} from './feed-page.js'
import { authors, feedPaging, membersOnly, parentUrl } from './feed-parameters.js'
import { authorFeed, followingFeed, parentFeed } from './first-pages.js'

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

  async handle({ db, hydrator }, feedQuery, caller) {
    const feedChoice = feedChoiceOf(feedQuery)
    return pagesOf[feedChoice]({ db, hydrator }, caller, feedQuery, ...feedReaders[feedChoice](db, feedQuery))
  },
})

type FeedChoice = 'following' | (typeof filterTypes)[number]

function feedChoiceOf({ feed_type, filter_type }: FeedQuery): FeedChoice {
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
} satisfies Record<FeedChoice, unknown>

/** How each choice is read; a 400 that names the parameter that it lacks. */
const feedReaders: Record<
  FeedChoice,
  (db: Database, query: FeedQuery) => [ReadFeed, (SharedFirstPageReader | ViewerFirstPageReader)?]
> = {
  following(db, feedQuery) {
    return followingFeed(db, { fid: requireMember(feedQuery, 'fid'), recasts: feedQuery.with_recasts })
  },
  fids(db, feedQuery) {
    const selection = {
      fids: requireMember(feedQuery, 'fids'),
      casts: 'all',
      recasts: feedQuery.with_recasts,
    } as const
    return authorFeed(db, selection)
  },
  parent_url(db, feedQuery) {
    return parentFeed(db, { parents: { urls: [requireMember(feedQuery, 'parent_url')] }, replies: false })
  },
  channel_id(db, feedQuery) {
    const channelId = requireMember(feedQuery, 'channel_id')
    return parentFeed(db, {
      parents: { channelIds: [channelId] },
      replies: false,
      membersOnly: feedQuery.members_only,
    })
  },
  embed_url(db, feedQuery) {
    const selection = embedPrefix(requireMember(feedQuery, 'embed_url'))
    return [(pageRequest) => readEmbedFeed(db, selection, pageRequest)]
  },
  embed_types(db, feedQuery) {
    const selection = { kinds: kindsOf(requireMember(feedQuery, 'embed_types')) }
    return [(pageRequest) => readEmbedFeed(db, selection, pageRequest)]
  },
}

function requireMember<Name extends keyof FeedQuery>(
  feedQuery: FeedQuery,
  name: Name,
): NonNullable<FeedQuery[Name]> {
  const value = feedQuery[name]
  if (value !== undefined) return value as NonNullable<FeedQuery[Name]>
  throw invalidField(
    name,
    name === 'fid' ? 'is required: whose follows' : `is required with filter_type=${name}`,
  )
}

const scheme = /^[a-z][a-z0-9+.-]*:\/\//i

/**
 * The beginning that embedded URLs must have: with a scheme and with the host in lower case, as nearly all casts have
 * them. The host alone stands for everything on it, with a slash behind it or not.
 */
function embedPrefix(embedUrl: string): Extract<EmbedSelection, { prefix: string }> {
  const text = scheme.test(embedUrl) ? embedUrl : `https://${embedUrl}`
  if (!URL.canParse(text)) throw invalidField('embed_url', 'must be a URL, or the beginning of one')
  const url = new URL(text)
  const isHost = url.pathname === '/' && url.search === '' && url.hash === '' && !text.endsWith('/')
  return { prefix: isHost ? url.href.replace(/\/$/, '') : url.href, isHost }
}
