import { type MessageData, UserDataType } from '../definitions.js'
import { SAMPLE_FID, SAMPLE_TIME } from './sample-messages.js'

/** Samples with parts of body and data replaced, by the expected fault, or 'valid'. */
type Rows = readonly (readonly [expected: string, body: object, data?: Partial<MessageData>])[]

const hash = (sizeBytes: number) => Buffer.alloc(sizeBytes, 1)
const text = (sizeBytes: number) => 'x'.repeat(sizeBytes)
const url = (sizeBytes: number) => ({ url: text(sizeBytes), castId: undefined })
const castId = (fid: number, hashBytes: number) => ({ fid, hash: hash(hashBytes) })
const mentionsOf = (count: number) => ({
  mentions: Array.from({ length: count }, () => 2),
  mentionsPositions: Array.from({ length: count }, () => 0),
})
const noMentions = mentionsOf(0)
const emptyBody = { text: '', embeds: [], ...noMentions }
const atTimestamp = (timestamp: number) => ({ timestamp })

/** Bodies at and just past every limit of docs/protocol.md §3.3, by sample name. */
const limits: Record<string, Rows> = {
  castAdd: [
    ['valid', { text: text(320) }],
    ['text > 320 bytes', { text: text(321) }],
    ['text > 320 bytes', { text: 'é'.repeat(161) }],
    ['text too short for long cast', { type: 1, text: text(320) }],
    ['valid', { type: 1, text: text(321) }],
    ['valid', { type: 1, text: text(1024) }],
    ['text > 1024 bytes for long cast', { type: 1, text: text(1025) }],
    ['text > 10,000 bytes for 10k cast', { type: 2, text: text(1024) }],
    ['valid', { type: 2, text: text(1025) }],
    ['valid', { type: 2, text: text(10_000) }],
    ['text too short for 10k cast', { type: 2, text: text(10_001) }],
    ['invalid cast type', { type: 3 }],
    ['invalid cast type', { type: -1 }],
    ['valid', { embeds: [url(1), url(256), url(9), url(9)] }],
    ['embeds > 4', { embeds: [url(9), url(9), url(9), url(9), url(9)] }],
    ['url < 1 byte', { embeds: [url(0)] }],
    ['url > 256 bytes', { embeds: [url(9), url(257)] }],
    ['embed is missing', { embeds: [{}] }],
    ['cannot use both url and castId', { embeds: [{ url: 'a', castId: castId(1, 20) }] }],
    ['fid is missing', { embeds: [{ url: undefined, castId: castId(0, 20) }] }],
    ['hash is missing', { embeds: [{ url: undefined, castId: castId(1, 19) }] }],
    ['string embeds have been deprecated', { embeds: [], embedsDeprecated: ['a'] }],
    ['string embeds have been deprecated', { embeds: [], embedsDeprecated: ['a'] }, atTimestamp(73_612_800)],
    ['valid', { embeds: [], embedsDeprecated: ['a', 'b'] }, atTimestamp(73_612_799)],
    ['string embeds > 2', { embeds: [], embedsDeprecated: ['a', 'b', 'c'] }, atTimestamp(73_612_799)],
    ['url > 256 bytes', { embeds: [], embedsDeprecated: ['a', text(257)] }, atTimestamp(73_612_799)],
    ['cannot use both embeds and string embeds', { embedsDeprecated: ['a'] }, atTimestamp(73_612_799)],
    ['valid', mentionsOf(10)],
    ['mentions > 10', mentionsOf(11)],
    ['mentions and mentionsPositions must match', { mentions: [1], mentionsPositions: [] }],
    ['mentions and mentionsPositions must match', { mentions: [], mentionsPositions: [0] }],
    ['fid is missing', { mentions: [0], mentionsPositions: [0] }],
    ['valid', { text: 'é', mentions: [1], mentionsPositions: [2] }],
    ['mentionsPositions must be a position in text', { text: 'é', mentions: [1], mentionsPositions: [3] }],
    ['valid', { mentions: [1, 2], mentionsPositions: [1, 1] }],
    ['mentionsPositions must be sorted in ascending order', { mentions: [1, 2], mentionsPositions: [1, 0] }],
    ['cast is empty', emptyBody],
    ['valid', { ...emptyBody, ...mentionsOf(1) }],
    ['valid', { ...emptyBody, embeds: [url(1)] }],
    ['valid', { ...emptyBody, ...mentionsOf(1), embeds: [url(1)] }],
    ['valid', { ...emptyBody, ...mentionsOf(1), embedsDeprecated: ['a'] }, atTimestamp(73_612_799)],
    ['valid', { parentCastId: undefined }],
    ['fid is missing', { parentCastId: castId(0, 20) }],
    ['hash is missing', { parentCastId: castId(1, 21) }],
    ['valid', { parentCastId: undefined, parentUrl: text(256) }],
    ['url > 256 bytes', { parentCastId: undefined, parentUrl: text(257) }],
    ['url < 1 byte', { parentCastId: undefined, parentUrl: '' }],
    ['cannot use both parentUrl and parentCastId', { parentUrl: 'a' }],
  ],
  castRemove: [
    ['hash is missing', { targetHash: hash(19) }],
    ['hash is missing', { targetHash: hash(21) }],
    ['hash is missing', { targetHash: hash(0) }],
  ],
  reactionAdd: [
    ['valid', { type: 2 }],
    ['valid', { type: 0 }],
    ['invalid reaction type', { type: 3 }],
    ['invalid reaction type', { type: -1 }],
    ['target is missing', { targetCastId: undefined }],
    ['cannot use both targetUrl and targetCastId', { targetUrl: 'a' }],
    ['fid is missing', { targetCastId: castId(0, 20) }],
    ['hash is missing', { targetCastId: castId(1, 0) }],
  ],
  reactionRemove: [
    ['valid', { targetUrl: text(256) }],
    ['url > 256 bytes', { targetUrl: text(257) }],
    ['url < 1 byte', { targetUrl: '' }],
    ['valid', { type: 0 }],
  ],
  linkAdd: [
    ['valid', { type: text(1) }],
    ['valid', { type: text(8) }],
    ['type must be between 1-8 characters', { type: '' }],
    ['type must be between 1-8 characters', { type: text(9) }],
    ['type must be between 1-8 characters', { type: 'ééééé' }],
    ['target is missing', { targetFid: undefined }],
    ['fid is missing', { targetFid: 0 }],
    ['valid', { displayTimestamp: undefined }],
  ],
  linkRemove: [
    ['type must be between 1-8 characters', { type: text(9) }],
    ['target is missing', { targetFid: undefined }],
  ],
  linkCompactState: [
    ['target is missing', { targetFids: [] }],
    ['fid is missing', { targetFids: [1, 0] }],
    ['valid', { targetFids: Array.from({ length: 16_000 }, () => 100_000) }],
    ['type must be between 1-8 characters', { type: '' }],
  ],
  ethVerification: [
    ['ethereum address is missing', { address: hash(0) }],
    ['invalid length for eth address', { address: hash(19) }],
    ['blockHash is missing', { blockHash: hash(0) }],
    ['blockHash must be 32 bytes', { blockHash: hash(33) }],
    ['dataBytes > 2048 bytess', { claimSignature: hash(2048) }],
    ['Message data invalid', { chainId: 2 }],
    ['valid', { chainId: 420 }],
    ['valid', { chainId: 65_537 }],
    ['Message data invalid', { chainId: 65_538 }],
    ['Message data invalid', { verificationType: 1, chainId: 8453 }],
    ['valid', { verificationType: 1, chainId: 10 }],
    ['Message data invalid', { verificationType: 2 }],
    ['Message data invalid', { protocol: 2 }],
  ],
  solVerification: [
    ['solana address is missing', { address: hash(0) }],
    ['invalid length for sol address', { address: hash(20) }],
    ['blockHash must be 32 bytes', { blockHash: hash(31) }],
    ['claimSignature != 64 bytes', { claimSignature: hash(65) }],
  ],
  verificationRemove: [
    ['invalid length for eth address', { address: hash(32) }],
    ['valid', { protocol: 1, address: hash(32) }],
    ['invalid length for sol address', { protocol: 1 }],
    ['Message data invalid', { protocol: 2 }],
  ],
  ensProof: [
    ['invalid username type', { type: 0 }],
    ['invalid username type', { type: 1 }],
    ['Message data invalid', { type: 3 }],
    [
      'ensName "alice.other.eth" doesn\'t end with .base.eth',
      { type: 3, name: Buffer.from('alice.other.eth') },
    ],
    ['ensName "alice" doesn\'t end with .eth', { name: Buffer.from('alice') }],
    ['ensName "a.base.eth" unsupported subdomain', { name: Buffer.from('a.base.eth') }],
    ['Message data invalid', { name: Buffer.from('ff2e657468', 'hex') }],
    ['invalid username type', { type: 1, name: Buffer.from('ff2e657468', 'hex') }],
    ['fid in username proof does not match fid in message data', { fid: SAMPLE_FID + 1 }],
    ['timestamp in username proof does not match timestamp in message data', { timestamp: 1_789_459_201 }],
  ],
  frameAction: [
    ['valid', { buttonIndex: 5 }],
    ['Invalid button index', { buttonIndex: 6 }],
    ['value is missing', { url: hash(0) }],
    ['valid', { url: hash(1024), inputText: hash(256), transactionId: hash(256), address: hash(64) }],
    ['value is too long', { url: hash(1025) }],
    ['value is too long', { inputText: hash(257) }],
    ['value is too long', { transactionId: hash(257) }],
    ['value is too long', { address: hash(65) }],
    ['valid', { castId: undefined }],
    ['hash is missing', { castId: castId(1, 1) }],
  ],
  lendStorage: [
    ['valid', { numUnits: 5000 }],
    ['valid', { numUnits: 0 }],
    ['num storage units too large', { numUnits: 5001 }],
    ['valid', { unitType: 2 }],
    ['invalid storage unit type', { unitType: 3 }],
    ['valid', {}, atTimestamp(SAMPLE_TIME - 600)],
    ['timestamp more than 10 mins in the past', {}, atTimestamp(SAMPLE_TIME - 601)],
  ],
  keyAdd: [
    ['key must be 32 bytes', { key: hash(31) }],
    ['invalid key type', { keyType: 2 }],
    ['deadline is missing', { deadline: 0 }],
    ['ttl must be > 0 and <= 7776000 seconds', { ttl: 0 }],
    ['valid', { ttl: 7_776_000 }],
    ['ttl must be > 0 and <= 7776000 seconds', { ttl: 7_776_001 }],
    ['invalid metadata type', { metadataType: 0 }],
    ['metadata is missing', { metadata: hash(0) }],
    ['invalid signature', { custodySignature: hash(64) }],
    ['scopes must be non-empty', { scopes: [] }],
    ['valid', { scopes: [1, 2, 3, 4, 5, 6, 7, 8, 11, 12, 13, 14, 15, 1, 1, 1] }],
    ['scopes list exceeds max of 16 entries', { scopes: Array.from({ length: 17 }, () => 1) }],
    ...[0, 9, 10, 16, 17, 18, 21, -1].map(
      (scope) => [`scope "${scope}" is not a valid MessageType`, { scopes: [scope] }] as const,
    ),
  ],
  keyRemove: [
    ['key must be 32 bytes', { key: hash(33) }],
    ['deadline is missing', { deadline: 0 }],
    ['invalid signature', { signature: hash(64) }],
    ['valid', { signatureType: 2, signature: hash(0) }],
    ['invalid signature type', { signatureType: 0 }],
    ['invalid signature type', { signatureType: 3 }],
  ],
}

const { PFP, DISPLAY, BIO, URL, USERNAME, LOCATION, TWITTER, GITHUB, BANNER, PROFILE_TOKEN, LIVE_AT } =
  UserDataType
const primaryEth = UserDataType.USER_DATA_PRIMARY_ADDRESS_ETHEREUM
const primarySol = UserDataType.USER_DATA_PRIMARY_ADDRESS_SOLANA
const fname = 'fname "%" doesn\'t match ^[a-z0-9][a-z0-9-]{0,15}$'
const ensName = 'ensName "%" doesn\'t match ^[a-z0-9][a-z0-9-]{0,15}$'
const twitter = 'username "%" doesn\'t match ^[a-z0-9_]{0,15}$'
const github = 'username "%" doesn\'t match ^[a-zA-Z\\d](?:[a-zA-Z\\d]|-(?!-)){0,38}$'
const invalidData = 'Message data invalid'

/** Profile entries at and just past every limit; `%` in the fault is replaced by the value. */
const profileLimits: readonly (readonly [type: number, value: string, expected: string])[] = [
  ...[PFP, BIO, URL, BANNER, LIVE_AT].map((type) => [type, text(256), 'valid'] as const),
  [PFP, text(257), 'pfp value > 256'],
  [BIO, text(257), 'bio value > 256'],
  [URL, text(257), 'url value > 256'],
  [BANNER, text(257), 'banner value > 256'],
  [LIVE_AT, text(257), 'url value > 256'],
  [DISPLAY, text(32), 'valid'],
  [DISPLAY, text(33), 'display value > 32'],
  [DISPLAY, 'é'.repeat(17), 'display value > 32'],
  ...['', 'a', '0-', text(16), 'a.eth', `${text(16)}.eth`, `${text(16)}.base.eth`].map(
    (name) => [USERNAME, name, 'valid'] as const,
  ),
  [USERNAME, text(17), 'fname "%" > 16 characters'],
  [USERNAME, '-a', fname],
  [USERNAME, 'Alice', fname],
  [USERNAME, 'a_b', fname],
  [USERNAME, 'é', fname],
  [USERNAME, 'a.b', fname],
  [USERNAME, 'A.eth', ensName],
  [USERNAME, `${text(17)}.eth`, 'ensName "%" > 20 characters'],
  [USERNAME, `${text(17)}.base.eth`, 'ensName "%" > 20 characters'],
  [USERNAME, 'b.a.eth', 'ensName "%" unsupported subdomain'],
  [USERNAME, 'b.a.base.eth', invalidData],
  [USERNAME, '.eth', 'ensName "%" is not a valid ENS name'],
  [USERNAME, 'ab--c.eth', 'valid'],
  [USERNAME, 'abc--d.eth', 'valid'],
  [LOCATION, '', 'valid'],
  ...['geo:90.00,180.00', 'geo:-90.00,-180.00', 'geo:1.25,-0.10'].map(
    (at) => [LOCATION, at, 'valid'] as const,
  ),
  ...['geo:1.2,1.25', 'geo:1.25', 'geo:1.25,1.250', '1.25,1.25', 'geo:1.25,1.25\n'].map(
    (at) => [LOCATION, at, 'Invalid location string'] as const,
  ),
  [LOCATION, 'geo:90.01,1.25', 'Latitude value outside valid range'],
  [LOCATION, 'geo:1.25,-180.01', 'Longitude value outside valid range'],
  ...['', 'a_1', text(15)].map((name) => [TWITTER, name, 'valid'] as const),
  [TWITTER, text(16), 'username "%" > 15 characters'],
  [TWITTER, 'A', twitter],
  // Arabic-Indic digits: two bytes each.
  ...['a', 'aB-1', text(38), '٣٤', '٣'.repeat(19)].map((name) => [GITHUB, name, 'valid'] as const),
  [GITHUB, text(39), 'username "%" > 38 characters'],
  [GITHUB, '٣'.repeat(20), 'username "%" > 38 characters'],
  ...['', 'é', '-a', 'a--b', 'a_b'].map((name) => [GITHUB, name, github] as const),
  [primaryEth, '', 'valid'],
  [primaryEth, '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed', 'valid'],
  [primaryEth, '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed', invalidData],
  [primaryEth, '0x5AAeb6053F3E94C9b9A09f33669435E7Ef1BeAed', invalidData],
  [primaryEth, '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAe', 'invalid length for eth address'],
  [primaryEth, '005aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed', 'invalid length for eth address'],
  [primaryEth, '0xgaAeb6053F3E94C9b9A09f33669435E7Ef1BeAed', invalidData],
  [primarySol, '', 'valid'],
  [primarySol, '1'.repeat(32), 'valid'],
  [primarySol, 'So11111111111111111111111111111111111111112', 'valid'],
  [primarySol, 'JEKNVnkbo3jma5nREBBJCDoXFVeKkD56V3xKrvRmWxFG', 'valid'],
  [primarySol, '1'.repeat(31), 'invalid length for sol address'],
  [primarySol, '1'.repeat(45), 'invalid length for sol address'],
  [primarySol, '0'.repeat(45), invalidData],
  [primarySol, '0'.repeat(32), invalidData],
  [PROFILE_TOKEN, '', 'valid'],
  [PROFILE_TOKEN, 'eip155:1/erc20:0x6b175474e89094c44da98b954eedeac495271d0f', 'valid'],
  [PROFILE_TOKEN, `eip155:1/erc721:${text(128)}/77`, 'valid'],
  [PROFILE_TOKEN, `eip155:1/erc721:${text(129)}`, invalidData],
  [PROFILE_TOKEN, 'eip155:1', invalidData],
  [PROFILE_TOKEN, `a:${text(245)}/erc721:a`, 'valid'],
  [PROFILE_TOKEN, `a:${text(246)}/erc721:a`, 'CAIP-19 string too long'],
  [0, '', 'invalid user data type'],
  ...[4, 15, 99, -1].map((type) => [type, '', invalidData] as const),
]

/** A message at the limit of a rule. */
export interface BoundaryCase {
  readonly sample: string
  readonly data: MessageData
  /** The text of the broken rule, or 'valid'. */
  readonly expected: string
}

/** Returns messages at every limit of a body. */
export function boundaryCases(samples: Record<string, MessageData>): BoundaryCase[] {
  const bodyCases = Object.entries(limits).flatMap(([sample, rows]) =>
    rows.map(([expected, body, data]) => ({
      sample,
      expected,
      data: changedData(samples[sample]!, body, data),
    })),
  )
  const profileCases = profileLimits.map(([type, value, expected]) => ({
    sample: 'userData',
    expected: expected.replace('%', value),
    data: changedData(samples.userData!, { type, value }),
  }))
  return [...bodyCases, ...profileCases]
}

function changedData(valid: MessageData, body: object, data: Partial<MessageData> = {}): MessageData {
  const names = Object.keys(valid) as (keyof MessageData)[]
  const name = names.find((key) => key.endsWith('Body') && valid[key] !== undefined) as 'castAddBody'
  return { ...valid, ...data, [name]: { ...valid[name], ...body } } as MessageData
}
