import { Gauge, type Registry } from 'prom-client'
import { parseChannelDocument } from '../../features/channels/channel-document.js'
import { saveChannel } from '../../features/channels/channels.js'
import { notifyStaleViews } from '../../graph/cache/cache-follower.js'
import type { Hub } from '../../hub/hub.js'
import { importNames } from '../../hub/sync/import/name-transfers.js'
import { openPublicApi, type PublicApi } from '../../hub/sync/import/public-api.js'
import {
  channelDocument,
  readPublicChannels,
  readPublicFollowers,
  readPublicMembers,
} from '../../hub/sync/import/public-channels.js'
import { importVerifiedAccounts } from '../../hub/sync/import/verified-accounts.js'
import type { Database } from '../../platform/db/connection.js'
import type { Log } from '../../platform/log/log.js'
import { createNetClient } from '../../platform/outbound/net-client.js'
import { version } from '../../platform/process/version.js'
import type { ScheduledJob } from '../../platform/scheduler/scheduled-jobs.js'
import type { Config } from '../config/config.js'

/** The importers of public APIs, as the server runs them. */
export interface OpenImporters {
  /** None for what is not configured. */
  readonly jobs: readonly ScheduledJob[]
  close(): Promise<void>
}

/** What importers stand on. */
export interface ImporterServices {
  readonly db: Database
  readonly hub: Hub
  readonly registry: Registry
  readonly log: Log
}

/** What is imported, and the variable that says from where. */
const IMPORTS = [
  { importName: 'fnames', variable: 'FNAME_REGISTRY_URL', url: 'fnameRegistryUrl' },
  { importName: 'channels', variable: 'CLIENT_API_URL', url: 'clientApiUrl' },
  { importName: 'verified accounts', variable: 'CLIENT_API_URL', url: 'clientApiUrl' },
] as const

/** As often as the reference node asks (docs/protocol.md §7.2). */
const NAMES_INTERVAL_MS = 5_000
const CHANNELS_INTERVAL_MS = 6 * 60 * 60_000
const ACCOUNTS_INTERVAL_MS = 60 * 60_000

/** Opens what the configuration names; what it does not is said once, and stands in the metrics. */
export function openImporters(config: Config, { db, hub, registry, log }: ImporterServices): OpenImporters {
  reportImporterStates(config, registry, log)
  const { fnameRegistryUrl, clientApiUrl } = config
  const stopping = new AbortController()
  const net = createNetClient({
    policy: { allowHttp: isDevelopment(config), allowLoopback: isDevelopment(config) },
    userAgent: `plaza/${version} (importers)`,
  })
  const openApi = (url: string) =>
    openPublicApi({ net, url: url.replace(/\/$/, ''), signal: stopping.signal })
  const jobs: ScheduledJob[] = []
  if (fnameRegistryUrl !== undefined) {
    const signer = Buffer.from(config.fnameRegistrySigner.slice(2), 'hex')
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
        run: () => importChannels({ db, api, log, includeMembers }),
      },
      {
        name: 'verified accounts of the public client',
        everyMs: ACCOUNTS_INTERVAL_MS,
        run: () => importVerifiedAccounts(db, api, (fids) => refreshUserViews(db, fids)),
      },
    )
  }
  return {
    jobs,
    async close() {
      stopping.abort()
      await net.close()
    },
  }
}

function reportImporterStates(config: Config, registry: Registry, log: Log): void {
  const configured = new Gauge({
    name: 'plaza_importer_configured',
    help: 'Whether there is an address to import it from: 1, or 0 when it is not configured',
    labelNames: ['importer'],
    registers: [registry],
  })
  for (const { importName, variable, url } of IMPORTS) {
    const from = config[url]
    configured.set({ importer: importName.replace(' ', '_') }, Number(from !== undefined))
    if (from === undefined) log.info({ variable }, `importing ${importName}: not configured`)
    else log.info({ from: new URL(from).origin }, `importing ${importName}`)
  }
}

function isDevelopment({ allowPrivateTargets }: Config): boolean {
  return allowPrivateTargets === 'loopback'
}

async function refreshUserViews(db: Database, fids: readonly number[]): Promise<void> {
  for (const fid of fids) await notifyStaleViews(db, `user:${fid}`)
}

/** What channels are imported with. */
export interface ChannelImportOptions {
  readonly db: Database
  readonly api: PublicApi
  readonly log: Log
  /** Channels whose followers and members are imported, too. */
  readonly includeMembers: readonly string[]
}

/**
 * Takes over all channels of the public client, then who follows and belongs to some of them.
 *
 * @returns how many were saved.
 * @throws Error when the API does not answer.
 */
export async function importChannels({
  db,
  api,
  log,
  includeMembers,
}: ChannelImportOptions): Promise<number> {
  let saved = 0
  const byId = new Map<string, Record<string, unknown>>()
  const problems = new Set<string>()
  for (const channel of await readPublicChannels(api)) {
    const document = channelDocument(channel)
    if (includeMembers.includes(String(document.id))) byId.set(String(document.id), document)
    const problem = await storeChannel(db, document)
    if (problem === null) saved += 1
    else if (!problems.has(problem)) {
      problems.add(problem)
      log.warn({ channel: document.id, problem }, 'a channel of the public client was not imported')
    }
  }
  for (const [id, channel] of byId) {
    const followers = await readPublicFollowers(api, id)
    const members = addRoles(await readPublicMembers(api, id), channel)
    const problem = await storeChannel(db, { id, followers, members })
    if (problem !== null) log.warn({ channel: id, problem }, 'the people of a channel were not imported')
  }
  return saved
}

/** The list of members has everybody and does not say who moderates; the channel does, and who leads it. */
function addRoles(
  members: readonly { readonly fid: number; readonly member_since: number }[],
  { lead_fid: lead, moderator_fids: moderators }: Record<string, unknown>,
): object[] {
  const moderates = (fid: number) => Array.isArray(moderators) && moderators.includes(fid)
  return members
    .filter(({ fid }) => fid !== lead)
    .map((member) => ({ ...member, role: moderates(member.fid) ? 'moderator' : 'member' }))
}

/** @returns why it was not saved. */
async function storeChannel(db: Database, importedChannel: object): Promise<string | null> {
  const document = parseChannelDocument(importedChannel)
  if ('problem' in document) return document.problem
  const saved = await saveChannel(db, document, Math.floor(Date.now() / 1000))
  return 'code' in saved ? saved.message : null
}
