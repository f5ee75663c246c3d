import { type Static, Type } from '@sinclair/typebox'
import { invalidField } from '../../../api/invalid-field.js'
import {
  choiceParameter,
  fidParameter,
  flagParameter,
  listParameter,
  textParameter,
} from '../../../api/parameters.js'
import { embedTypes, kindsOf } from '../../../graph/embed-kind.js'
import { type EmbedSelection, readEmbedFeed } from '../../../graph/query/feeds-by-embed.js'
import { FeedResponse } from '../../../graph/view/schema/cast.js'
import { DAY_SECONDS } from '../../../platform/durations.js'
import { type WorkPrice, workPrices } from '../../../platform/limits/work-prices.js'
import { parseUrl } from '../../../platform/text/parse-url.js'
import { defineOperation } from '../../operation.js'
import {
  authorFeed,
  type FeedContext,
  type FeedReader,
  feedPages,
  followingFeed,
  parentFeed,
  type ReadFeed,
  recastNote,
} from './feed-page.js'
import { authors, feedPaging, membersOnly, parentUrl } from './feed-parameters.js'
import { priceOfTrending, rankedPages, trendingPage } from './ranked-feeds.js'

const selectors = ['fids', 'parent_url', 'channel_id', 'embed_url', 'embed_types'] as const
const filterTypes = [...selectors, 'global_trending'] as const

const query = Type.Object({
  feed_type: Type.Optional(
    choiceParameter(['following', 'filter'], {
      description: 'Kind of feed: by default `following`, or `filter` if `filter_type` is given.',
      examples: ['filter'],
    }),
  ),
  filter_type: Type.Optional(
    choiceParameter(filterTypes, {
      description:
        'Parameter that selects casts; `global_trending` ranks as `feed/trending` does. Required with `feed_type=filter`.',
      examples: ['channel_id'],
    }),
  ),
  fid: Type.Optional(
    fidParameter({ description: 'For `following`: user whose followed users are selected.' }),
  ),
  fids: Type.Optional(authors(100, 'For `fids`: authors. Their replies are included.')),
  parent_url: Type.Optional(
    parentUrl('For `parent_url`: URL that casts are directly below. Replies are left out.'),
  ),
  channel_id: Type.Optional(
    textParameter({
      description: 'For `channel_id`: id of the channel; all its parent URLs count. Replies are left out.',
      examples: ['gardening'],
    }),
  ),
  members_only: membersOnly,
  embed_url: Type.Optional({
    ...parentUrl(
      'For `embed_url`: prefix of an embedded URL, https without a scheme. A host alone selects all its URLs.',
    ),
    examples: ['example.com'],
  }),
  embed_types: Type.Optional(
    listParameter(choiceParameter(embedTypes, { description: 'Type.' }), {
      maxItems: embedTypes.length,
      description: 'For `embed_types`: content types of embeds. A short name selects all of its kind.',
    }),
  ),
  with_recasts: flagParameter({
    default: true,
    description: 'For `following` and `fids`: include casts that the authors have recast.',
  }),
  ...feedPaging,
})
type FeedQuery = Static<typeof query>

/** `GET feed` */
export const feed = defineOperation({
  method: 'GET',
  path: 'feed',
  price({ feed_type, filter_type, cursor }) {
    if (feed_type === 'following') return null
    if (filter_type === 'global_trending') return priceOfTrending(cursor)
    // The query is checked later: it may have any value.
    const kind = selectors.find((name) => name === filter_type)
    return kind === undefined ? null : feedKinds[kind].price
  },
  isPublic: true,
  tag: 'Feeds',
  summary: 'Fetch feed by filters',
  description:
    'Newest first. `feed_type=following` returns casts of followed users; `feed_type=filter` selects by ' +
    `the parameter that \`filter_type\` names and ignores those of other filters. ${recastNote}`,
  query,
  reply: FeedResponse,

  async handle({ db, hydrator, clock }, feedQuery, caller) {
    const feedChoice = feedChoiceOf(feedQuery)
    if (feedChoice === 'global_trending') {
      const readRanking = trendingPage({ hydrator, clock }, { seconds: DAY_SECONDS })
      return trendingPages({ hydrator }, caller, feedQuery, readRanking)
    }
    const { pages, read } = feedKinds[feedChoice]
    return await pages({ hydrator }, caller, feedQuery, read({ db, hydrator }, feedQuery))
  },
})

const trendingPages = rankedPages('feed: global_trending')

type FeedChoice = 'following' | (typeof selectors)[number]

function feedChoiceOf({ feed_type, filter_type }: FeedQuery): FeedChoice | 'global_trending' {
  if (feed_type === 'following') return 'following'
  if (filter_type) return filter_type
  if (feed_type === 'filter') {
    throw invalidField('filter_type', `is required with feed_type=filter: one of ${filterTypes.join(', ')}`)
  }
  return 'following'
}

/** One kind of feed. */
interface FeedKind {
  readonly pages: ReturnType<typeof feedPages>
  readonly price: WorkPrice | null
  /** @throws PlazaError 400 that names a missing parameter. */
  read(context: FeedContext, query: FeedQuery): FeedReader
}

const feedKinds: Readonly<Record<FeedChoice, FeedKind>> = {
  following: {
    pages: feedPages('feed: following', true),
    price: null,
    read(context, feedQuery) {
      return followingFeed(context, { fid: requireMember(feedQuery, 'fid'), recasts: feedQuery.with_recasts })
    },
  },
  fids: {
    pages: feedPages('feed: fids', true),
    price: null,
    read(context, feedQuery) {
      const fids = requireMember(feedQuery, 'fids')
      return authorFeed(context, { fids, casts: 'all', recasts: feedQuery.with_recasts })
    },
  },
  parent_url: {
    pages: feedPages('feed: parent_url', false),
    price: null,
    read({ db }, feedQuery) {
      const parents = { urls: [requireMember(feedQuery, 'parent_url')] }
      return parentFeed(db, { parents, replies: false })
    },
  },
  channel_id: {
    pages: feedPages('feed: channel_id', false),
    price: null,
    read({ db }, feedQuery) {
      const parents = { channelIds: [requireMember(feedQuery, 'channel_id')] }
      return parentFeed(db, { parents, replies: false, membersOnly: feedQuery.members_only })
    },
  },
  embed_url: {
    pages: feedPages('feed: embed_url', true),
    price: workPrices.search,
    read({ db }, feedQuery) {
      const selection = embedPrefix(requireMember(feedQuery, 'embed_url'))
      return { read: (pageRequest) => readEmbedFeed(db, selection, pageRequest) }
    },
  },
  embed_types: {
    pages: feedPages('feed: embed_types', true),
    price: workPrices.search,
    read({ db }, feedQuery) {
      const selection = { kinds: kindsOf(requireMember(feedQuery, 'embed_types')) }
      return { read: (pageRequest) => readEmbedFeed(db, selection, pageRequest) }
    },
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
    name === 'fid' ? 'is required with feed_type=following' : `is required with filter_type=${name}`,
  )
}

const scheme = /^[a-z][a-z0-9+.-]*:\/\//i
const bareHost = /^[^/?#]+\/\/[^/?#]+\/?$/
const endsInDots = /\/\.{1,2}$/

/**
 * Prefixes of embedded URLs, with a scheme: as the text has it, and as browsers spell it, with the host in lower case
 * and other characters encoded. Casts have either. A host alone, with or without a slash, selects every URL on it.
 */
function embedPrefix(embedUrl: string): Extract<EmbedSelection, { prefixes: unknown }> {
  const text = scheme.test(embedUrl) ? embedUrl : `https://${embedUrl}`
  const url = parseUrl(text)
  if (url === null) throw invalidField('embed_url', 'must be a URL or a prefix of one')
  // Of the text: a URL that was parsed has lost an empty query, and a dot with which a longer name may begin.
  const isHost = bareHost.test(text)
  const hrefs = endsInDots.test(text) ? [] : [url.href]
  const spellings = [text, ...hrefs].map((spelling) => (isHost ? spelling.replace(/\/$/, '') : spelling))
  return { prefixes: [...new Set(spellings)], isHost }
}

const framePages = feedPages('feed/frames', true)

/** `GET feed/frames` */
export const feedFrames = defineOperation({
  method: 'GET',
  path: 'feed/frames',
  price: () => workPrices.search,
  isPublic: true,
  tag: 'Feeds',
  summary: 'Fetch feed of casts with frames',
  description:
    'Casts that embed a page with a mini app or a frame, newest first. A cast appears once its page was crawled.',
  deprecatedSince: '2025-08-31',
  query: Type.Object(feedPaging),
  reply: FeedResponse,

  async handle({ db, hydrator }, query, caller) {
    const read: ReadFeed = (pageRequest) => readEmbedFeed(db, { hasFrame: true }, pageRequest)
    return await framePages({ hydrator }, caller, query, { read })
  },
})
