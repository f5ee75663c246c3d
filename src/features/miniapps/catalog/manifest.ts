import { isIP } from 'node:net'
import type { MiniAppConfig } from '../../../graph/view/schema/url-metadata.js'
import { type Refusal, refuse } from '../../../platform/errors.js'
import { isNetFailure } from '../../../platform/outbound/net-failure.js'
import { bareHost, checkTarget, type TargetPolicy } from '../../../platform/outbound/target.js'
import type { JsonSignature } from '../../../protocol/json-signature.js'
import { cleanText, omitUndefined } from '../../embeds/page-text.js'

/** The manifest of a mini app, parsed. Its signature is not verified. */
export interface Manifest {
  readonly accountAssociation: JsonSignature
  /** In the names of the API. */
  readonly config: MiniAppConfig
  /** Names of the required chains. */
  readonly networks: readonly string[]
}

/** A manifest that a user of the network has signed. */
export interface VerifiedManifest extends Manifest {
  readonly authorFid: number
}

/** Chains that a mini app can require, by the names of the API, with their CAIP-2 ids. */
const chainIds = {
  ethereum: 'eip155:1',
  base: 'eip155:8453',
  arbitrum: 'eip155:42161',
  'arbitrum-sepolia': 'eip155:421614',
  'base-sepolia': 'eip155:84532',
  degen: 'eip155:666666666',
  gnosis: 'eip155:100',
  optimism: 'eip155:10',
  'optimism-sepolia': 'eip155:11155420',
  polygon: 'eip155:137',
  'ethereum-sepolia': 'eip155:11155111',
  zora: 'eip155:7777777',
  unichain: 'eip155:130',
  'monad-testnet': 'eip155:10143',
  celo: 'eip155:42220',
  solana: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
} as const

/** The names of the API. */
export const frameNetworks = Object.keys(chainIds) as (keyof typeof chainIds)[]

const namesById: ReadonlyMap<string, string> = new Map(
  Object.entries(chainIds).map(([name, id]) => [id, name]),
)

/** The name of a chain; chains without one keep their CAIP-2 id. */
function networkNameOf(chainId: string): string {
  return namesById.get(chainId) ?? chainId
}

/** Categories of the specification. */
export const frameCategories = [
  'games',
  'social',
  'finance',
  'utility',
  'productivity',
  'health-fitness',
  'news-media',
  'music',
  'shopping',
  'education',
  'developer-tools',
  'entertainment',
  'art-creativity',
] as const

const versions = ['0.0.0', '0.0.1', '1', 'next'] as const

const MAX_URL_LENGTH = 1_024
const MAX_SIGNATURE_LENGTH = 4_096
const MAX_TAGS = 5
const MAX_TAG_LENGTH = 20
const MAX_SCREENSHOTS = 3
const MAX_CHAINS = 32
const MAX_CHAIN_LENGTH = 64

type Members = Readonly<Record<string, unknown>>

/**
 * Parses a manifest by the limits of the specification. An optional member that breaks one is left out; a required one
 * (version, name, iconUrl, homeUrl, account association) makes the manifest invalid.
 *
 * @param policy Which URLs are accepted: loopback only in development.
 */
export function parseManifest(file: Members, policy: TargetPolicy): Manifest | Refusal {
  const accountAssociation = parseSignature(file.accountAssociation)
  if (accountAssociation === null)
    return invalid('accountAssociation must have header, payload and signature')
  const app = membersOf(file.miniapp) ?? membersOf(file.frame)
  if (app === null) return invalid('miniapp must be an object')
  const version = versions.find((each) => each === app.version)
  if (version === undefined) return invalid(`miniapp.version must be one of ${versions.join(', ')}`)
  const name = textOf(app.name, 32)
  if (name === undefined) return invalid('miniapp.name must be a text of up to 32 characters')
  const [icon_url, home_url] = [urlOf(app.iconUrl, policy), urlOf(app.homeUrl, policy)]
  if (icon_url === undefined) return invalid('miniapp.iconUrl must be an https URL')
  if (home_url === undefined) return invalid('miniapp.homeUrl must be an https URL')
  return {
    accountAssociation,
    networks: textsOf(app.requiredChains, MAX_CHAINS, MAX_CHAIN_LENGTH).map(networkNameOf),
    config: { version, name, icon_url, home_url, ...optionalMembers(app, policy) },
  }
}

function optionalMembers(app: Members, policy: TargetPolicy): Partial<MiniAppConfig> {
  const [tags, screenshots] = [
    textsOf(app.tags, MAX_TAGS, MAX_TAG_LENGTH).filter((tag) => !/\s/.test(tag)),
    listOf(app.screenshotUrls, MAX_SCREENSHOTS).flatMap((url) => urlOf(url, policy) ?? []),
  ]
  const color = textOf(app.splashBackgroundColor, 7)
  return omitUndefined({
    image_url: urlOf(app.imageUrl, policy),
    button_title: textOf(app.buttonTitle, 32),
    splash_image_url: urlOf(app.splashImageUrl, policy),
    splash_background_color: color && /^#([\da-f]{3}){1,2}$/i.test(color) ? color : undefined,
    webhook_url: urlOf(app.webhookUrl, policy),
    subtitle: textOf(app.subtitle, 30),
    description: textOf(app.description, 170),
    tagline: textOf(app.tagline, 30),
    primary_category: frameCategories.find((category) => category === app.primaryCategory),
    tags: tags.length > 0 ? tags : undefined,
    screenshot_urls: screenshots.length > 0 ? screenshots : undefined,
    hero_image_url: urlOf(app.heroImageUrl, policy),
    og_title: textOf(app.ogTitle, 30),
    og_description: textOf(app.ogDescription, 100),
    og_image_url: urlOf(app.ogImageUrl, policy),
    noindex: typeof app.noindex === 'boolean' ? app.noindex : undefined,
  })
}

function parseSignature(value: unknown): JsonSignature | null {
  const { header, payload, signature } = membersOf(value) ?? {}
  const parts = [header, payload, signature]
  if (!parts.every((part) => typeof part === 'string' && part.length <= MAX_SIGNATURE_LENGTH)) return null
  return { header, payload, signature } as JsonSignature
}

function membersOf(value: unknown): Members | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null
}

/** The text on one line; undefined when it is empty or too long. */
function textOf(value: unknown, maxLength: number): string | undefined {
  return typeof value === 'string' && value.length <= maxLength ? cleanText(value, maxLength) : undefined
}

function listOf(value: unknown, maxItems: number): unknown[] {
  return Array.isArray(value) ? value.slice(0, maxItems) : []
}

function textsOf(value: unknown, maxItems: number, maxLength: number): string[] {
  return listOf(value, maxItems).flatMap((each) => textOf(each, maxLength) ?? [])
}

function urlOf(value: unknown, policy: TargetPolicy): string | undefined {
  if (typeof value !== 'string' || value.length > MAX_URL_LENGTH) return undefined
  const url = checkTarget(value, policy)
  if (isNetFailure(url)) return undefined
  const isAddress = isIP(bareHost(url.hostname)) !== 0
  return isAddress && !policy.allowLoopback ? undefined : url.href
}

function invalid(problem: string): Refusal {
  return refuse('bad_request.invalid_param', problem)
}
