import './component-styles'
import './console.css'
import { Alert, Badge, type CSSVariablesResolver, createTheme, MantineProvider } from '@mantine/core'
import { QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { setNonce } from 'get-nonce'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { isRefusal } from './api'
import { createConsoleRouter } from './router'
import { isSignedOut, setSignedIn, signInFrom } from './session'

/** The nonce of this page: the component library writes its variables into a style element, and dialogs one of their own. */
const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? ''
setNonce(nonce)

const theme = createTheme({
  primaryColor: 'indigo',
  // Text on it has a contrast of at least 4.5.
  primaryShade: { light: 8, dark: 8 },
  autoContrast: true,
  defaultRadius: 'md',
  respectReducedMotion: true,
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif',
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, monospace',
  components: {
    // The colors of the library's titles have too little contrast.
    Badge: Badge.extend({ defaultProps: { tt: 'none' } }),
    Alert: Alert.extend({ styles: { title: { color: 'var(--mantine-color-text)' } } }),
  },
})

/** The library's grey for lesser text and its red for text have too little contrast, too. */
const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: { ...lesserText('var(--mantine-color-gray-7)'), ...redText('var(--mantine-color-red-9)') },
  dark: { ...lesserText('var(--mantine-color-dark-1)'), ...redText('var(--mantine-color-red-4)') },
})

function lesserText(color: string) {
  return { '--mantine-color-dimmed': color, '--mantine-color-placeholder': color }
}

function redText(color: string) {
  return { '--mantine-color-error': color, '--mantine-color-red-outline': color }
}

/**
 * A session that has ended leads to the sign-in page when a query notices it. When an action does, `Problem` says so instead: what
 * was typed for it stays.
 */
function leaveWhenSignedOut(error: unknown): void {
  const { pathname, href } = router.latestLocation
  if (!isSignedOut(error) || pathname === '/sign-in') return
  const search = signInFrom(href)
  setSignedIn(false)
  void router.navigate({ to: '/sign-in', search })
}

const queries = new QueryClient({
  queryCache: new QueryCache({ onError: leaveWhenSignedOut }),
  defaultOptions: {
    queries: {
      // A refusal stays one; only what could not be reached is worth another try.
      retry: (failures, error) => !isRefusal(error) && failures < 3,
      staleTime: 5_000,
    },
    // While the browser is offline it fails, and is not done later without being asked again.
    mutations: { networkMode: 'always' },
  },
})
const router = createConsoleRouter(queries)

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <MantineProvider
      theme={theme}
      defaultColorScheme="auto"
      getStyleNonce={() => nonce}
      cssVariablesResolver={cssVariables}
    >
      <QueryClientProvider client={queries}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
)
