import { WebSocket } from 'undici'

/** Memory of a server after a full garbage collection, in megabytes. */
export interface Memory {
  readonly heap: number
  /** Buffers and other memory beside the heap. */
  readonly external: number
  readonly rss: number
}

const BYTES_PER_MB = 1024 * 1024

/** Reads the memory of a process that runs with `--inspect`, through its inspector. */
export class MemoryProbe {
  readonly #socket: WebSocket
  readonly #waiting = new Map<number, (result: InspectorResult) => void>()
  #lastId = 0

  private constructor(socket: WebSocket) {
    this.#socket = socket
    socket.addEventListener('message', ({ data }) => {
      const { id, result } = JSON.parse(String(data)) as {
        readonly id?: number
        readonly result: InspectorResult
      }
      if (id === undefined) return
      this.#waiting.get(id)?.(result)
      this.#waiting.delete(id)
    })
  }

  /** @param output What the process has printed, with the line that names its inspector. */
  static async open(output: string): Promise<MemoryProbe> {
    const [, address] = /Debugger listening on (ws:\S+)/.exec(output) ?? []
    if (address === undefined) throw new Error('the process has no inspector')
    const socket = new WebSocket(address)
    await new Promise<void>((resolve, reject) => {
      socket.addEventListener('open', () => resolve(), { once: true })
      socket.addEventListener('error', () => reject(new Error('the inspector does not answer')), {
        once: true,
      })
    })
    return new MemoryProbe(socket)
  }

  /** Collects garbage first, so that two readings can be compared. */
  async read(): Promise<Memory> {
    // What the first collection finalizes, the second frees.
    await this.#call('HeapProfiler.collectGarbage')
    await this.#call('HeapProfiler.collectGarbage')
    const { result } = await this.#call('Runtime.evaluate', {
      expression: 'JSON.stringify(process.memoryUsage())',
    })
    const usage = JSON.parse(String(result?.value)) as NodeJS.MemoryUsage
    const megabytes = (bytes: number) => Math.round((bytes / BYTES_PER_MB) * 10) / 10
    return { heap: megabytes(usage.heapUsed), external: megabytes(usage.external), rss: megabytes(usage.rss) }
  }

  close(): void {
    this.#socket.close()
  }

  #call(method: string, params: object = {}): Promise<InspectorResult> {
    this.#lastId += 1
    const id = this.#lastId
    this.#socket.send(JSON.stringify({ id, method, params }))
    return new Promise((resolve) => this.#waiting.set(id, resolve))
  }
}

interface InspectorResult {
  readonly result?: { readonly value?: unknown }
}
