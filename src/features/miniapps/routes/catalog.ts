import { Type } from '@sinclair/typebox'
import type { Caller } from '../../../api/caller.js'
import { cursorKind, keyPart } from '../../../api/cursor.js'
import { listJson } from '../../../api/list-json.js'
import {
  choiceParameter,
  cursorParameter,
  fidParameter,
  limitParameter,
  listParameter,
} from '../../../api/parameters.js'
import { viewerOf } from '../../../api/viewer.js'
import { readBestFriends } from '../../../graph/query/users-affinity.js'
import { Json, json, jsonArray, noJson } from '../../../graph/view/json.js'
import type { FrameV2 } from '../../../graph/view/schema/url-metadata.js'
import { farcasterSecondsFromUnixMs } from '../../../protocol/time.js'
import { defineOperation, type Operation, type OperationContext } from '../../operation.js'
import { trendWindowNames, trendWindows } from '../../trend-windows.js'
import {
  type ListedMiniApp,
  type MiniAppPage,
  type RankedMiniApp,
  readCatalog,
  readRelevant,
  searchMiniApps,
} from '../catalog/catalog-lists.js'
import { frameCategories, frameNetworks } from '../catalog/manifest.js'
import { searchWords } from '../catalog/search-words.js'
import { FrameCatalogResponse, RelevantFramesResponse } from '../schema/frame-catalog.js'

const networksParameter = Type.Optional(
  listParameter(choiceParameter(frameNetworks, { description: 'Network.' }), {
    maxItems: frameNetworks.length,
    description: 'Only mini apps that require at least one of these networks, or none at all.',
    examples: [],
  }),
)

const timeWindowParameter = (description: string) =>
  choiceParameter(trendWindowNames, { default: '7d', description })

/**
 * Renders a mini app of the catalog.
 *
 * @param author Undefined leaves it out.
 */
function miniAppJson({ manifest, html }: ListedMiniApp, author: Json | undefined): Json {
  const { account_association, miniapp } = manifest
  const { home_url, icon_url, image_url, hero_image_url, og_image_url, button_title, name } = miniapp
  const frame: FrameV2 = {
    version: 'next',
    image: image_url ?? hero_image_url ?? og_image_url ?? icon_url,
    frames_url: home_url,
    title: button_title ?? name,
    // Clients read either of the two.
    manifest: { account_association, miniapp, frame: miniapp },
    metadata: { html: html ?? {} },
  }
  return Json.of(frame).withMembers(author === undefined ? noJson : json`,"author":${author}`)
}

/** Renders a page of mini apps with their authors. */
async function renderPage(
  { hydrator }: Pick<OperationContext, 'hydrator'>,
  caller: Caller,
  { cursors, limit, cursor, networks }: PageRequest,
  read: (page: MiniAppPage) => Promise<RankedMiniApp[]>,
): Promise<Json> {
  const { banningAppId } = await viewerOf({ hydrator }, caller)
  const found = await read({ banningAppId, networks, limit: limit + 1, after: cursors.decode(cursor) })
  const { page, next } = cursors.page(found, limit, (last) => [last.rank, last.domain])
  const authors = await hydrator.users(page.map(({ authorFid }) => authorFid))
  const frames = page.map((miniApp) => miniAppJson(miniApp, authors.get(miniApp.authorFid)))
  return listJson('frames', frames, next)
}

interface PageRequest {
  readonly cursors: typeof searchCursors
  readonly limit: number
  readonly cursor?: string
  readonly networks?: readonly string[]
}

const catalogCursors = Object.fromEntries(
  trendWindowNames.map((name) => [name, cursorKind(`frame/catalog ${name}`, keyPart.number, keyPart.text)]),
)

/** `GET frame/catalog` */
const frameCatalog = defineOperation({
  method: 'GET',
  path: 'frame/catalog',
  isPublic: true,
  tag: 'Mini apps',
  summary: 'Fetch mini apps catalog',
  description:
    'Mini apps by the change of their use: the users who shared one within the time window, by a cast that embeds ' +
    'a URL of its domain, and those who added it, each with its score, minus the same of the window before. ' +
    'Listed are domains whose manifest was read, is signed by a user, and has no `noindex`. Use is counted every ' +
    'five minutes.',
  query: Type.Object({
    limit: limitParameter({ maximum: 100, default: 100 }),
    cursor: cursorParameter,
    time_window: timeWindowParameter('Time range that ends now.'),
    categories: Type.Optional(
      listParameter(choiceParameter(frameCategories, { description: 'Category.' }), {
        maxItems: frameCategories.length,
        description: 'Only mini apps of these categories.',
        examples: [],
      }),
    ),
    networks: networksParameter,
  }),
  reply: FrameCatalogResponse,

  handle({ db, hydrator }, { time_window, categories, ...query }, caller) {
    const cursors = catalogCursors[time_window]!
    return renderPage({ hydrator }, caller, { ...query, cursors }, (page) =>
      readCatalog(db, time_window, { ...page, categories }),
    )
  },
})

const searchCursors = cursorKind('frame/search', keyPart.number, keyPart.text)

const MAX_QUERY_LENGTH = 32

/** `GET frame/search` */
const frameSearch = defineOperation({
  method: 'GET',
  path: 'frame/search',
  isPublic: true,
  tag: 'Mini apps',
  summary: 'Search mini apps',
  description:
    'Mini apps of the catalog that have all words of the query, or words that start so, in their name, domain, ' +
    'tags, subtitle, tagline or description; best match first. A name counts most, a description least.',
  query: Type.Object({
    q: Type.String({
      ...{ minLength: 0, maxLength: MAX_QUERY_LENGTH, examples: ['garden'] },
      description: 'Search text. An empty one finds nothing.',
    }),
    limit: limitParameter({ maximum: 100, default: 20 }),
    cursor: cursorParameter,
    networks: networksParameter,
  }),
  reply: FrameCatalogResponse,

  handle({ db, hydrator }, { q, ...query }, caller) {
    const tsquery = prefixQuery(q)
    return renderPage({ hydrator }, caller, { ...query, cursors: searchCursors }, async (page) =>
      tsquery === '' ? [] : await searchMiniApps(db, tsquery, page),
    )
  },
})

/** All words of a text, each of which may go on. */
function prefixQuery(text: string): string {
  return searchWords(text)
    .map((word) => `'${word}':*`)
    .join(' & ')
}

const MAX_RELEVANT = 25
const BEST_FRIENDS = 50
/** Users of a mini app that are shown in full, and that are shown at all. */
const TOP_USERS = 5
const MAX_USERS = 50

/** `GET frame/relevant` */
const frameRelevant = defineOperation({
  method: 'GET',
  path: 'frame/relevant',
  isPublic: true,
  tag: 'Mini apps',
  summary: 'Fetch relevant mini apps',
  description:
    `The ${MAX_RELEVANT} mini apps that most users whom the viewer follows, and its ${BEST_FRIENDS} best friends, have ` +
    'shared within the time window; a best friend counts twice. Each has the users, closest first: the first ' +
    `${TOP_USERS} as full users, and the rest of the first ${MAX_USERS} as dehydrated ones.`,
  query: Type.Object({
    viewer_fid: fidParameter({ description: 'Fid of the viewer.', examples: [191] }),
    time_window: timeWindowParameter('Time range that ends now.'),
    networks: networksParameter,
  }),
  reply: RelevantFramesResponse,

  async handle({ db, hydrator, clock }, { viewer_fid: viewerFid, time_window, networks }, caller) {
    const now = farcasterSecondsFromUnixMs(clock())
    const viewer = { ...(await viewerOf({ hydrator }, caller, viewerFid)), viewerFid }
    const friends = await readBestFriends(db, { ...viewer, fid: viewerFid, limit: BEST_FRIENDS, now }, null)
    const relevant = await readRelevant(db, {
      ...viewer,
      networks,
      bestFriends: friends.map(({ fid }) => fid),
      since: now - trendWindows[time_window],
      limit: MAX_RELEVANT,
    })
    const topFids = relevant.flatMap(({ fids }) => fids.slice(0, TOP_USERS))
    const [users, others] = await Promise.all([
      hydrator.users([...new Set([...topFids, ...relevant.map(({ authorFid }) => authorFid)])], viewerFid),
      hydrator.dehydratedUsers([
        ...new Set(relevant.flatMap(({ fids }) => fids.slice(TOP_USERS, MAX_USERS))),
      ]),
    ])
    const items = relevant.map(({ fids, ...miniApp }) => {
      const frame = miniAppJson(miniApp, users.get(miniApp.authorFid))
      const top = fids.slice(0, TOP_USERS).flatMap((fid) => users.get(fid) ?? [])
      const remaining = fids.slice(TOP_USERS, MAX_USERS).flatMap((fid) => others.get(fid) ?? [])
      const members = json`"top_relevant_users":${jsonArray(top)},"remaining_relevant_users":${remaining}`
      return json`{"frame":${frame},"frames":[${frame}],${members}}`
    })
    return listJson('relevant_frames', items)
  },
})

/** Operations of the catalog of mini apps. */
export const catalogOperations: readonly Operation[] = [frameCatalog, frameSearch, frameRelevant]
