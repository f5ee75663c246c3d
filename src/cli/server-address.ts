import type { Config } from '../app/config/config.js'

/** Where programs on this machine reach the server, unless it is configured. Without a slash at its end. */
export function serverAddress({
  publicUrl,
  host,
  port,
}: Pick<Config, 'publicUrl' | 'host' | 'port'>): string {
  const name = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host
  return publicUrl ?? `http://${name.includes(':') ? `[${name}]` : name}:${port}`
}
