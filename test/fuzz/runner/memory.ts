import { type MessageEvent, WebSocket } from 'undici'

/** Memory of a server after a full garbage collection, in megabytes. */
export interface Memory {
  readonly heap: number
  /** Buffers and other memory beside the heap. */
  readonly external: number
  readonly rss: number
}

const BYTES_PER_MB = 1024 * 1024

/**
 * Reads the memory of a process that runs with `--inspect`, after two full collections: what the first finalizes, the
 * second frees. The connection is closed again, because a process with one waits for it when it ends.
 *
 * @param output What the process has printed, with the line that names its inspector.
 */
export async function readMemory(output: string): Promise<Memory> {
  const [, address] = /Debugger listening on (ws:\S+)/.exec(output) ?? []
  if (address === undefined) throw new Error('the process has no inspector')
  const socket = new WebSocket(address)
  const nextEvent = (type: 'open' | 'message') =>
    new Promise<MessageEvent>((resolve, reject) => {
      socket.addEventListener(type, (event) => resolve(event as MessageEvent), { once: true })
      socket.addEventListener('close', () => reject(new Error('the inspector has closed')), { once: true })
    })
  const call = async (method: string, params: object = {}) => {
    const answer = nextEvent('message')
    socket.send(JSON.stringify({ id: 1, method, params }))
    return JSON.parse(String((await answer).data)) as InspectorAnswer
  }
  try {
    await nextEvent('open')
    await call('HeapProfiler.collectGarbage')
    await call('HeapProfiler.collectGarbage')
    const { result } = await call('Runtime.evaluate', { expression: 'JSON.stringify(process.memoryUsage())' })
    const usage = JSON.parse(String(result.result?.value)) as NodeJS.MemoryUsage
    const megabytes = (bytes: number) => Math.round((bytes / BYTES_PER_MB) * 10) / 10
    return {
      heap: megabytes(usage.heapUsed),
      external: megabytes(usage.external),
      rss: megabytes(usage.rss),
    }
  } finally {
    socket.close()
  }
}

interface InspectorAnswer {
  readonly result: { readonly result?: { readonly value?: unknown } }
}
