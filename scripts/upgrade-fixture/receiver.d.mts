import type { IncomingHttpHeaders } from 'node:http'

/** A request that arrived. */
export interface Received {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly raw: string
  readonly body: ReturnType<typeof JSON.parse>
}

export declare function startReceiver(answers?: Readonly<Record<string, number>>): Promise<{
  readonly port: number
  readonly received: readonly Received[]
  stop(): void
}>
