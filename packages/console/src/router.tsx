import type { QueryClient } from '@tanstack/react-query'
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent as lazyComponent,
  redirect,
} from '@tanstack/react-router'
import { FailedPage, MissingPage } from './parts/failed-page'
import { hasSession, signInFrom, signInSearchOf } from './session'
import { Shell } from './shell'

interface Context {
  readonly queries: QueryClient
}

/**
 * A page whose code is loaded when it is opened. The library reloads the document when that fails, which ends at an error of
 * the browser while the server is down: another message keeps it from doing so, and the console stays.
 */
const lazyRouteComponent: typeof lazyComponent = (load, name) =>
  lazyComponent(
    () =>
      load().catch(() => {
        throw new Error(
          'The code of this page could not be loaded. Is the server running? After an upgrade, load this page again.',
        )
      }),
    name,
  )

const root = createRootRouteWithContext<Context>()()

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: signInSearchOf,
  component: lazyRouteComponent(() => import('./pages/sign-in'), 'SignIn'),
})

/** Everything else needs a session. A link that signs in carries its code behind the #. */
const signedIn = createRoute({
  getParentRoute: () => root,
  id: 'signed-in',
  component: Shell,
  beforeLoad: async ({ location, preload }) => {
    if (/^#code=/.test(window.location.hash))
      throw redirect({ to: '/sign-in', hash: window.location.hash.slice(1) })
    if (!preload && !(await hasSession()))
      throw redirect({ to: '/sign-in', search: signInFrom(location.href) })
  },
})

const overview = createRoute({
  getParentRoute: () => signedIn,
  path: '/',
  component: lazyRouteComponent(() => import('./pages/overview/overview'), 'Overview'),
})

interface EventsSearch {
  readonly fid?: number | undefined
  readonly shard?: number | undefined
  /** Names with commas between them, or `all`. */
  readonly types?: string | undefined
  /** The id of the event that is opened. */
  readonly event?: string | undefined
}

/** Returns all members: an absent one would keep its value. */
function eventsSearchOf({ fid, shard, types, event }: Record<string, unknown>): EventsSearch {
  const number = (value: unknown) =>
    typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : undefined
  return {
    fid: number(fid),
    shard: number(shard),
    types: typeof types === 'string' ? types : undefined,
    event: typeof event === 'string' ? event : undefined,
  }
}

const events = createRoute({
  getParentRoute: () => signedIn,
  path: '/events',
  validateSearch: eventsSearchOf,
  component: lazyRouteComponent(() => import('./pages/events/events'), 'Events'),
})

const apps = createRoute({
  getParentRoute: () => signedIn,
  path: '/apps',
  component: lazyRouteComponent(() => import('./pages/apps/apps'), 'Apps'),
})

const app = createRoute({
  getParentRoute: () => signedIn,
  path: '/apps/$id',
  component: lazyRouteComponent(() => import('./pages/apps/app'), 'AppPage'),
})

const auditLog = createRoute({
  getParentRoute: () => signedIn,
  path: '/audit-log',
  component: lazyRouteComponent(() => import('./pages/audit-log'), 'AuditLog'),
})

interface Search {
  /** Text of the search. */
  readonly q?: string
  readonly tab?: string
  readonly fid?: number
}

/** Takes what a page understands from its address. */
function searchOf({ q, tab, fid }: Record<string, unknown>): Search {
  return {
    // A number is read as one, and may be an fid or a text.
    ...((typeof q === 'string' || typeof q === 'number') && q !== '' && { q: String(q) }),
    ...(typeof tab === 'string' && { tab }),
    ...(typeof fid === 'number' && { fid }),
  }
}

const users = createRoute({
  getParentRoute: () => signedIn,
  path: '/users',
  validateSearch: searchOf,
  component: lazyRouteComponent(() => import('./pages/users/search'), 'UserSearch'),
})

const profile = createRoute({
  getParentRoute: () => signedIn,
  path: '/users/$fid',
  validateSearch: searchOf,
  component: lazyRouteComponent(() => import('./pages/users/profile'), 'Profile'),
})

const cast = createRoute({
  getParentRoute: () => signedIn,
  path: '/casts/$hash',
  component: lazyRouteComponent(() => import('./pages/users/cast'), 'CastPage'),
})

const moderation = createRoute({
  getParentRoute: () => signedIn,
  path: '/moderation',
  validateSearch: searchOf,
  component: lazyRouteComponent(() => import('./pages/moderation/moderation'), 'Moderation'),
})

const channels = createRoute({
  getParentRoute: () => signedIn,
  path: '/channels',
  validateSearch: searchOf,
  component: lazyRouteComponent(() => import('./pages/channels/channels'), 'Channels'),
})

const channel = createRoute({
  getParentRoute: () => signedIn,
  path: '/channels/$id',
  validateSearch: searchOf,
  component: lazyRouteComponent(() => import('./pages/channels/channel'), 'ChannelPage'),
})

const webhooks = createRoute({
  getParentRoute: () => signedIn,
  path: '/webhooks',
  component: lazyRouteComponent(() => import('./pages/webhooks/list'), 'Webhooks'),
})

const newWebhook = createRoute({
  getParentRoute: () => signedIn,
  path: '/webhooks/new',
  component: lazyRouteComponent(() => import('./pages/webhooks/edit'), 'CreateWebhook'),
})

const webhook = createRoute({
  getParentRoute: () => signedIn,
  path: '/webhooks/$id',
  component: lazyRouteComponent(() => import('./pages/webhooks/webhook'), 'WebhookPage'),
})

const editWebhook = createRoute({
  getParentRoute: () => signedIn,
  path: '/webhooks/$id/edit',
  component: lazyRouteComponent(() => import('./pages/webhooks/edit'), 'EditWebhook'),
})

const miniApps = createRoute({
  getParentRoute: () => signedIn,
  path: '/mini-apps',
  component: lazyRouteComponent(() => import('./pages/mini-apps/mini-apps'), 'MiniApps'),
})

const composeCampaign = createRoute({
  getParentRoute: () => signedIn,
  path: '/mini-apps/compose',
  component: lazyRouteComponent(() => import('./pages/mini-apps/compose'), 'Compose'),
})

const campaign = createRoute({
  getParentRoute: () => signedIn,
  path: '/mini-apps/campaigns/$id',
  component: lazyRouteComponent(() => import('./pages/mini-apps/campaign'), 'CampaignPage'),
})

const webhookRoutes = [webhooks, newWebhook, webhook, editWebhook] as const
const miniAppRoutes = [miniApps, composeCampaign, campaign] as const

const accounts = createRoute({
  getParentRoute: () => signedIn,
  path: '/accounts',
  component: lazyRouteComponent(() => import('./pages/accounts/accounts'), 'Accounts'),
})

const tokens = createRoute({
  getParentRoute: () => signedIn,
  path: '/tokens',
  component: lazyRouteComponent(() => import('./pages/tokens/tokens'), 'Tokens'),
})

const token = createRoute({
  getParentRoute: () => signedIn,
  path: '/tokens/$network/$address',
  component: lazyRouteComponent(() => import('./pages/tokens/token'), 'TokenPage'),
})

const query = createRoute({
  getParentRoute: () => signedIn,
  path: '/query',
  component: lazyRouteComponent(() => import('./pages/query/query'), 'Query'),
})

const system = createRoute({
  getParentRoute: () => signedIn,
  path: '/system',
  validateSearch: searchOf,
  component: lazyRouteComponent(() => import('./pages/system/system'), 'System'),
})

/** Every other path, inside the frame of the console. */
const missing = createRoute({ getParentRoute: () => signedIn, path: '$', component: MissingPage })

/** Creates the router of the pages. */
export function createConsoleRouter(queries: QueryClient) {
  return createRouter({
    routeTree: root.addChildren([
      signIn,
      signedIn.addChildren([
        overview,
        events,
        apps,
        app,
        users,
        profile,
        cast,
        moderation,
        channels,
        channel,
        ...webhookRoutes,
        ...miniAppRoutes,
        accounts,
        tokens,
        token,
        query,
        system,
        auditLog,
        missing,
      ]),
    ]),
    basepath: '/console',
    context: { queries },
    defaultPreload: 'intent',
    defaultErrorComponent: FailedPage,
    defaultNotFoundComponent: MissingPage,
  })
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createConsoleRouter>
  }
}
