import { farcasterNetworks } from '../app/farcaster-networks.js'
import type { Hub } from '../hub/hub.js'
import { LocalRegistry, refuseRealNetwork } from '../hub/registry/registry.js'
import type { Database } from '../platform/db/connection.js'
import { isRefusal, type Refusal } from '../platform/errors.js'
import { type CommandContext, loadConfig, UsageError } from './context.js'
import { withHub } from './with-hub.js'

/** The result of a registry command: lines of text, and an object for `--json`. */
export interface RegistryReport {
  readonly lines: readonly string[]
  readonly json: Readonly<Record<string, string | number>>
}

/** Refuses to run on a public network, whose events come from the chain. */
export function requireDevnet(context: CommandContext): void {
  const refusal = refuseRealNetwork(farcasterNetworks[loadConfig(context).hubNetwork])
  if (refusal) throw new UsageError(refusal.message)
}

/** Runs a command on the local registry and prints its result. A refusal becomes a `UsageError`. */
export async function withRegistry(
  context: CommandContext,
  { command, json = false }: { readonly command: string; readonly json?: boolean | undefined },
  work: (registry: LocalRegistry, db: Database, hub: Hub) => Promise<RegistryReport | Refusal>,
): Promise<void> {
  requireDevnet(context)
  const report = await withHub(context, command, ({ db, hub }) =>
    work(new LocalRegistry({ db, hub, clock: Date.now }), db, hub),
  )
  if (isRefusal(report)) throw new UsageError(report.message)
  if (json) context.print(JSON.stringify(report.json))
  else for (const line of report.lines) context.print(line)
}
