import { Gauge } from 'prom-client'
import { importChannels } from '../../features/channels/import-channels.js'
import { cacheTag } from '../../graph/cache/cache-tags.js'
import { publishInvalidation } from '../../graph/cache/invalidation.js'
import { importNames } from '../../hub/sync/import/name-transfers.js'
import { openPublicApi, type PublicApi } from '../../hub/sync/import/public-api.js'
import { importVerifiedAccounts } from '../../hub/sync/import/verified-accounts.js'
import { createNetClient } from '../../platform/outbound/net-client.js'
import { version } from '../../platform/process/version.js'
import type { ScheduledJob } from '../../platform/scheduler/scheduled-jobs.js'
import { bytesOfHex } from '../../protocol/bytes.js'
import type { Module, ServerApp } from '../module.js'
import { otherAppsTargetPolicy } from '../target-policies.js'

/** Imported data, and the variable with the source. */
const IMPORTS = [
  { importName: 'fnames', variable: 'FNAME_REGISTRY_URL', url: 'fnameRegistryUrl' },
  { importName: 'channels', variable: 'CLIENT_API_URL', url: 'clientApiUrl' },
  { importName: 'verified accounts', variable: 'CLIENT_API_URL', url: 'clientApiUrl' },
] as const

/** As often as the reference node asks (docs/protocol.md §7.2). */
const NAMES_INTERVAL_MS = 5_000
const CHANNELS_INTERVAL_MS = 6 * 60 * 60_000
const ACCOUNTS_INTERVAL_MS = 60 * 60_000

/** Imports names, channels and verified accounts from the public APIs that the configuration names. */
export const importersModule: Module = { name: 'importers', runsIn: ['sync'], start: startImporters }

/** Dependencies of importers. */
export interface ImporterApp extends Pick<ServerApp, 'config' | 'hub' | 'log' | 'clock'> {
  readonly connections: Pick<ServerApp['connections'], 'sync'>
  readonly metrics: Pick<ServerApp['metrics'], 'registry'>
}

/** Makes the jobs of the importers; what is not configured is logged once, and stands in the metrics. */
export function startImporters(app: ImporterApp) {
  reportImporterStates(app)
  const { config } = app
  const stopping = new AbortController()
  const net = createNetClient({
    policy: otherAppsTargetPolicy(config),
    userAgent: `plaza/${version} (importers)`,
  })
  const openApi = (url: string) =>
    openPublicApi({ net, url: url.replace(/\/$/, ''), signal: stopping.signal, log: app.log })
  return {
    jobs: importJobs(app, openApi),
    cancelJobs: () => stopping.abort(),
    async stop() {
      stopping.abort()
      await net.close()
    },
  }
}

function importJobs(
  { config, connections: { sync: db }, hub, log, clock }: ImporterApp,
  openApi: (url: string) => PublicApi,
): ScheduledJob[] {
  const { fnameRegistryUrl, clientApiUrl } = config
  const jobs: ScheduledJob[] = []
  if (fnameRegistryUrl !== undefined) {
    const signer = bytesOfHex(config.fnameRegistrySigner)
    const options = { db, hub, api: openApi(fnameRegistryUrl), signer, log }
    jobs.push({ name: 'fnames of the registry', everyMs: NAMES_INTERVAL_MS, run: () => importNames(options) })
  }
  if (clientApiUrl !== undefined) {
    const api = openApi(clientApiUrl)
    const includeMembers = (config.syncChannels ?? '').split(',').map((channel) => channel.trim())
    jobs.push(
      {
        name: 'channels of the public client',
        everyMs: CHANNELS_INTERVAL_MS,
        run: () => importChannels({ db, api, log, clock, includeMembers }),
      },
      {
        name: 'verified accounts of the public client',
        everyMs: ACCOUNTS_INTERVAL_MS,
        run: () =>
          importVerifiedAccounts(db, api, (transaction, fids) =>
            publishInvalidation(transaction, fids.map(cacheTag.user)),
          ),
      },
    )
  }
  return jobs
}

function reportImporterStates({ config, metrics, log }: ImporterApp): void {
  const configured = new Gauge({
    name: 'plaza_importer_configured',
    help: 'Whether there is an address to import it from: 1, or 0 when it is not configured',
    labelNames: ['importer'],
    registers: [metrics.registry],
  })
  for (const { importName, variable, url } of IMPORTS) {
    const from = config[url]
    configured.set({ importer: importName.replace(' ', '_') }, Number(from !== undefined))
    if (from === undefined) log.info({ variable }, `importing ${importName}: not configured`)
    else log.info({ from: new URL(from).origin }, `importing ${importName}`)
  }
}
