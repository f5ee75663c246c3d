import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A web app with a sign-in button, on an origin of its own. */
export interface AppPage {
  readonly origin: string
  close(): void
}

/**
 * The button of an app, as the published ones work: it opens the login page in a popup, believes messages from that
 * page's origin only, and closes the popup. Everything that it receives is recorded.
 */
const page = `<!doctype html>
<meta charset="utf-8"><link rel="icon" href="data:,"><title>App</title>
<button>Sign in</button>
<script>
  window.received = []
  window.ignored = []
  document.querySelector('button').onclick = () => {
    const loginUrl = new URL(location.hash.slice(1))
    const popup = window.open(loginUrl, '_blank', 'width=600,height=700')
    window.addEventListener('message', (event) => {
      if (event.origin !== loginUrl.origin || !event.data.is_authenticated) return window.ignored.push(event.origin)
      window.received.push(event.data)
      popup.close()
    })
  }
</script>`

/** Serves the app. Another host name makes it another site than the login page. */
export async function serveAppPage(): Promise<AppPage> {
  const server = createServer((_, reply) => reply.setHeader('content-type', 'text/html').end(page))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    origin: `http://localhost:${(server.address() as AddressInfo).port}`,
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}
