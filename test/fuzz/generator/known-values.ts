import type { Random } from '../../fidelity/generator/random.js'

/** What the network under test holds: values that lead past the checks. Lists are in a stable order. */
export interface KnownValues {
  readonly fids: readonly number[]
  readonly usernames: readonly string[]
  /** Hashes of casts, `0x` and hex. */
  readonly hashes: readonly string[]
  readonly addresses: readonly string[]
  readonly channels: readonly string[]
  readonly parentUrls: readonly string[]
  /** Managed signers: one that may write, and one that nobody has approved. */
  readonly signers: readonly string[]
  readonly webhooks: readonly string[]
  /** Apps and keys that nothing else here depends on. */
  readonly victimApps: readonly string[]
  readonly victimKeys: readonly string[]
  /** A server on this machine that answers with a page. */
  readonly targetUrl: string
}

const unknownUuid = '00000000-0000-4000-8000-000000000000'

/** Finds known values by the name of a parameter or member. Undefined: only the schema knows. */
export function knownValue(name: string, random: Random, known: KnownValues): unknown {
  const key = name.toLowerCase()
  const pools: readonly (readonly [RegExp, readonly unknown[]])[] = [
    [/(^|_)fids?$|^(fid|app_fid|viewer.*|target_fids?)$/, known.fids],
    [/signer_uuid/, known.signers],
    [/webhook_id/, known.webhooks],
    [/channel_ids?$|^channel$/, known.channels],
    [/parent_urls?$/, known.parentUrls],
    [/hash|^parent$|^identifier$|^target$/, known.hashes],
    [/address|^target_addresses$|wallet/, known.addresses],
    [/username|^fname$|^name$|^q$/, known.usernames],
    [/^key_id$|^keyid$/, known.victimKeys],
    [/url|^domain$/, [`${known.targetUrl}/page`, `${known.targetUrl}/`, ...known.parentUrls]],
    [/uuid$|^id$|_id$/, [unknownUuid, ...known.webhooks]],
  ]
  const values = pools.find(([pattern]) => pattern.test(key))?.[1]
  return values === undefined || values.length === 0 ? undefined : random.pick(values)
}

/** The parameter of a path below `/admin`: never the app and the key that the run itself needs. */
export function knownAdminId(path: string, random: Random, known: KnownValues): string {
  return random.pick([...(path.includes('/keys/') ? known.victimKeys : known.victimApps), unknownUuid])
}
