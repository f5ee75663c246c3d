import type { QueryClient } from '@tanstack/react-query'
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from '@tanstack/react-router'
import { ApiError, requestSession } from './api'
import { Shell } from './shell'

interface Context {
  readonly queries: QueryClient
}

const root = createRootRouteWithContext<Context>()()

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  component: lazyRouteComponent(() => import('./pages/sign-in'), 'SignIn'),
})

/** Everything else needs a session. A link that signs in carries its code behind the #. */
const signedIn = createRoute({
  getParentRoute: () => root,
  id: 'signed-in',
  component: Shell,
  beforeLoad: async () => {
    if (/^#code=/.test(window.location.hash))
      throw redirect({ to: '/sign-in', hash: window.location.hash.slice(1) })
    try {
      await requestSession('GET')
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) throw redirect({ to: '/sign-in' })
      throw error
    }
  },
})

const overview = createRoute({
  getParentRoute: () => signedIn,
  path: '/',
  component: lazyRouteComponent(() => import('./pages/overview'), 'Overview'),
})

const apps = createRoute({
  getParentRoute: () => signedIn,
  path: '/apps',
  component: lazyRouteComponent(() => import('./pages/apps'), 'Apps'),
})

const app = createRoute({
  getParentRoute: () => signedIn,
  path: '/apps/$id',
  component: lazyRouteComponent(() => import('./pages/app'), 'AppPage'),
})

const changes = createRoute({
  getParentRoute: () => signedIn,
  path: '/changes',
  component: lazyRouteComponent(() => import('./pages/changes'), 'Changes'),
})

/** Creates the router of the pages. */
export function createConsoleRouter(queries: QueryClient) {
  return createRouter({
    routeTree: root.addChildren([signIn, signedIn.addChildren([overview, apps, app, changes])]),
    basepath: '/console',
    context: { queries },
    defaultPreload: 'intent',
  })
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createConsoleRouter>
  }
}
