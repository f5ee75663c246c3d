import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { configReference, configVariables } from '../../src/app/config/config.js'
import { signerPermissions } from '../../src/features/signers/schema/signer.js'
import { documentFiles } from './document-files.js'

const INTRODUCTION = `# Configure a server

<!-- Written by \`npm run docs:configuration\` from the declarations in src/app/config. -->

Plaza reads environment variables once, when it starts. If any of them is invalid, it refuses to start and names each
invalid variable with its allowed values. An empty variable counts as unset. A variable that was renamed is refused with
its new name. \`plaza config\` prints this reference.`

/** Variables of the server, and the permissions of signers, which look like variables. */
const known = new Set<string>([...configVariables.map(({ name }) => name), ...signerPermissions])

/** Words in capitals that are not variables of the server. */
const otherNames: Readonly<Record<string, RegExp>> = {
  'names of the protocol': /_TYPE(_|$)|^(MERGE|FARCASTER_NETWORK|HASH_SCHEME|SIGNATURE_SCHEME|PROTOCOL)_/,
  'message types and their parts':
    /^((CAST|REACTION|LINK|VERIFICATION|KEY)_(ADD|REMOVE)|VERIFICATION_ADD_ETH_ADDRESS|LINK_COMPACT_STATE|USER_DATA(_.*)?)$|^(USERNAME_PROOF|FRAME_ACTION|LEND_STORAGE|LONG_CAST|TEN_K_CAST|LIVE_AT|PROFILE_TOKEN|PRIMARY_ADDRESS_.*|ENS_L1|STORAGE_LENDS)$/,
  'channel messages and their parts':
    /^(CHANNEL_(UPDATE|MEMBER|PIN|MODERATE)|(ADD|REMOVE)_(MEMBER|MODERATOR)|MEMBERS_ONLY)$/,
  'kinds of events':
    /^((PRUNE|REVOKE)_MESSAGE|BLOCK_CONFIRMED|CHANNEL_OWNER_CHANGE_(HINT|CAUSE_REGISTER)|CHANNEL_REGISTER|ID_REGISTER|SIGNER_MIGRATED|STORAGE_RENT|TIER_PURCHASE|ADMIN_RESET|TOO_MANY_NAMES)$/,
  placeholders: /^(PRIVATE|PUBLIC|APP_CUSTODY)_KEY$/,
  'statuses of gRPC': /^(RESOURCE_EXHAUSTED|OUT_OF_RANGE)$/,
  'a variable of Node': /^NODE_EXTRA_CA_CERTS$/,
  'variables that the exporter of traces reads':
    /^OTEL_EXPORTER_OTLP_(TRACES_)?(CERTIFICATE|CLIENT_CERTIFICATE|CLIENT_KEY|COMPRESSION|TIMEOUT|HEADERS)$/,
  'variables of clients': /^(NEXT_PUBLIC_)?NEYNAR_LOGIN_URL$/,
  'settings of the image and of Compose':
    /^(BASE_IMAGE|EMBEDDED_POSTGRES|GRAFANA_PASSWORD|(GRAFANA_)?BIND_ADDRESS|API_REPLICAS)$/,
  'variables of the examples':
    /^(PLAZA_URL|API_KEY|ACCOUNT_ASSOCIATION|SIGNER_UUID|BOT_URL|MINI_APP_DOMAIN|EVENTS_URL|APP_MNEMONIC|POSITION_FILE|HUB_GRPC|FROM_EVENT_ID)$/,
  'variables of the tests':
    /^(TEST_DATABASE_URL|UPSTREAM_ROUNDS|CAMPAIGN_CRASH_TOKENS|ACCOUNT_RUNS|PROJECTION_RUNS|PROPERTY_SIZE)$/,
}

it('docs/configuration.md describes every variable; `npm run docs:configuration` writes it', async () => {
  const page = `${INTRODUCTION}\n\n${configReference()}\n`
  await expect(page).toMatchFileSnapshot('../../docs/configuration.md')
})

it('the documentation names only variables that the server reads', () => {
  const unknown = documentFiles
    .filter((path) => path !== 'CHANGELOG.md')
    .flatMap((document) =>
      (readFileSync(document, 'utf8').match(/\b[A-Z][A-Z0-9]*(_[A-Z0-9]+)+\b/g) ?? [])
        .filter((name) => !known.has(name) && !Object.values(otherNames).some((others) => others.test(name)))
        .map((name) => `${document}: ${name}`),
    )
  expect(unknown).toEqual([])
})
