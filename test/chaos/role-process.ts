import { createDataDir, type ServerProcess, startServerProcess } from '../server-process.js'
import { startTcpProxy, type TcpProxy } from '../tcp-proxy.js'

/** A `plaza serve` with some roles that faults befall, behind a proxy to the database. */
export class RoleProcess {
  #server: ServerProcess
  /** What earlier processes have printed. */
  #earlierOutput = ''

  private constructor(
    readonly name: string,
    /** Connections to the database. */
    readonly database: TcpProxy,
    private readonly start: () => Promise<ServerProcess>,
    server: ServerProcess,
  ) {
    this.#server = server
  }

  /** Starts a process with these roles on its own connections to the database. */
  static async start(name: string, { roles, databaseUrl, env }: RoleOptions): Promise<RoleProcess> {
    const url = new URL(databaseUrl)
    const proxy = await startTcpProxy(url.host)
    url.host = proxy.address
    const dataDir = await createDataDir()
    const start = () => startServerProcess({ dataDir, env: { ...env, ROLES: roles, DATABASE_URL: url.href } })
    return new RoleProcess(name, proxy, start, await start())
  }

  /** Changes when it is started again. */
  get url(): string {
    return this.#server.url
  }

  /** Output of all processes so far. */
  get output(): string {
    return this.#earlierOutput + this.#server.output()
  }

  /** Kills it without notice, and starts another. */
  async killAndRestart(): Promise<void> {
    this.#server.child.kill('SIGKILL')
    await this.#server.ended
    this.#earlierOutput = this.output
    this.#server = await this.start()
  }

  /** Stops all its work, as a hanging machine does, until it is thawed. */
  freeze(): void {
    this.#server.child.kill('SIGSTOP')
  }

  /** Continues after `freeze`. */
  thaw(): void {
    this.#server.child.kill('SIGCONT')
  }

  /** Ends it as an operator does. */
  async end(): Promise<{ readonly code: number | null }> {
    this.#server.child.kill('SIGTERM')
    return await this.#server.ended
  }
}

/** How a process is started. */
export interface RoleOptions {
  readonly roles: string
  readonly databaseUrl: string
  readonly env: Readonly<Record<string, string>>
}
