import { otherAppsTargetPolicy } from '../app/target-policies.js'
import { openPublicApi, type PublicApi } from '../hub/sync/import/public-api.js'
import { createNetClient } from '../platform/outbound/net-client.js'
import { isNetFailure } from '../platform/outbound/net-failure.js'
import { checkTarget } from '../platform/outbound/target.js'
import { version } from '../platform/process/version.js'
import { type CommandContext, loadConfig, pipedInput, UsageError } from './context.js'
import { stopSignal } from './long-command.js'

/** Where a command reads from another service. */
export interface HostedOptions {
  readonly from: string
  readonly key: string
}

/** A key is some dozens of characters. */
const MAX_KEY_BYTES = 4_096

/** Runs a command on the API of another service, with its key. Only public addresses are reached, as in requests of the server. */
export async function withHostedService(
  context: CommandContext,
  { from, key }: HostedOptions,
  work: (api: PublicApi) => Promise<void>,
): Promise<void> {
  const policy = otherAppsTargetPolicy(loadConfig(context))
  const target = checkTarget(from, policy)
  if (isNetFailure(target)) {
    throw new UsageError(
      `--from is not an allowed address: ${target.detail}. Give a public https address, or set ` +
        'ALLOW_PRIVATE_TARGETS=loopback for a service on this machine',
    )
  }
  const headers = { 'x-api-key': key === '-' ? await pipedKey(context) : key }
  const net = createNetClient({ policy, userAgent: `plaza/${version} (migrate)` })
  try {
    await work(openPublicApi({ net, url: baseOf(target), signal: stopSignal(context), headers }))
  } finally {
    await net.close()
  }
}

/** The base address of operations; `--from` may have it, or only the host. */
function baseOf({ origin, pathname }: URL): string {
  const path = pathname.replace(/\/+$/, '')
  if (/\/v2\/\w+$/.test(path)) return `${origin}${path}`
  return `${origin}${path.replace(/\/v2$/, '')}/v2/farcaster`
}

async function pipedKey(context: CommandContext): Promise<string> {
  let text = ''
  for await (const part of pipedInput(context)) {
    text += Buffer.from(part).toString('utf8')
    if (text.length > MAX_KEY_BYTES) throw new UsageError('what is piped in is too long for a key')
  }
  return text.trim()
}
