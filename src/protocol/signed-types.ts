/**
 * EIP-712 domains and types of what accounts sign: claims in messages, and authorizations of the contracts (docs/protocol.md
 * §3.3.6, §5.3). The contracts' domains name OP Mainnet; the library `@farcaster/core` has the same values, and a test compares.
 */

const OP_MAINNET = 10

/** The key gateway of OP Mainnet. */
export const KEY_GATEWAY_ADDRESS = '0x00000000fC56947c7E7183f8Ca4B62398CaAdf0B'

/** The claim of an address to a fid. */
export const verificationClaim = {
  domain: {
    name: 'Farcaster Verify Ethereum Address',
    version: '2.0.0',
    salt: '0xf2d857f4a3edcb9b78b4d503bfe733db1e3f6cdc2b7971ee739626c97e86a558',
  },
  types: {
    VerificationClaim: [
      { name: 'fid', type: 'uint256' },
      { name: 'address', type: 'address' },
      { name: 'blockHash', type: 'bytes32' },
      { name: 'network', type: 'uint8' },
    ],
  },
} as const

/** Ids of chains that a verification may name. 0 is an account of any chain. */
export const VERIFICATION_CHAIN_IDS: readonly number[] = [1, 5, 10, 420, 0]

/** The proof that a name has an owner. */
export const usernameProofClaim = {
  domain: {
    name: 'Farcaster name verification',
    version: '1',
    chainId: 1,
    verifyingContract: '0xe3be01d99baa8db9905b33a3ca391238234b79d1',
  },
  types: {
    UserNameProof: [
      { name: 'name', type: 'string' },
      { name: 'timestamp', type: 'uint256' },
      { name: 'owner', type: 'address' },
    ],
  },
} as const

const gaslessKeyDomain = { name: 'Farcaster KeyAdd', version: '1', chainId: 1 } as const

const keyRequestFields = [
  { name: 'requestFid', type: 'uint256' },
  { name: 'key', type: 'bytes' },
  { name: 'deadline', type: 'uint256' },
] as const

/** KEY_ADD, signed by the custody address. */
export const gaslessKeyAdd = {
  domain: gaslessKeyDomain,
  types: {
    KeyAdd: [
      { name: 'fid', type: 'uint256' },
      { name: 'key', type: 'bytes' },
      { name: 'keyType', type: 'uint32' },
      { name: 'scopes', type: 'uint32[]' },
      { name: 'ttl', type: 'uint32' },
      { name: 'nonce', type: 'uint32' },
      { name: 'deadline', type: 'uint256' },
    ],
  },
} as const

/** KEY_REMOVE, signed by the custody address. */
export const gaslessKeyRemove = {
  domain: gaslessKeyDomain,
  types: {
    KeyRemove: [
      { name: 'fid', type: 'uint256' },
      { name: 'key', type: 'bytes' },
      { name: 'nonce', type: 'uint32' },
      { name: 'deadline', type: 'uint256' },
    ],
  },
} as const

/** The request of an app in a KEY_ADD. */
export const gaslessKeyRequest = {
  domain: gaslessKeyDomain,
  types: { SignedKeyRequest: keyRequestFields },
} as const

/** The request of an app for a key of the key registry. */
export const signedKeyRequest = {
  domain: contractDomain('Farcaster SignedKeyRequestValidator', '0x00000000FC700472606ED4fA22623Acf62c60553'),
  types: { SignedKeyRequest: keyRequestFields },
} as const

const nonceAndDeadline = [
  { name: 'nonce', type: 'uint256' },
  { name: 'deadline', type: 'uint256' },
] as const

/** `Register` of the id gateway. */
export const idGatewayRegister = {
  domain: contractDomain('Farcaster IdGateway', '0x00000000Fc25870C6eD6b6c7E41Fb078b7656f69'),
  types: {
    Register: [{ name: 'to', type: 'address' }, { name: 'recovery', type: 'address' }, ...nonceAndDeadline],
  },
} as const

/** `Transfer` of the id registry. */
export const idRegistryTransfer = {
  domain: contractDomain('Farcaster IdRegistry', '0x00000000Fc6c5F01Fc30151999387Bb99A9f489b'),
  types: {
    Transfer: [{ name: 'fid', type: 'uint256' }, { name: 'to', type: 'address' }, ...nonceAndDeadline],
  },
} as const

/** `Add` of the key gateway. */
export const keyGatewayAdd = {
  domain: contractDomain('Farcaster KeyGateway', KEY_GATEWAY_ADDRESS),
  types: {
    Add: [
      { name: 'owner', type: 'address' },
      { name: 'keyType', type: 'uint32' },
      { name: 'key', type: 'bytes' },
      { name: 'metadataType', type: 'uint8' },
      { name: 'metadata', type: 'bytes' },
      ...nonceAndDeadline,
    ],
  },
} as const

/** `Remove` of the key registry. */
export const keyRegistryRemove = {
  domain: contractDomain('Farcaster KeyRegistry', '0x00000000fc1237824fb747abde0ff18990e59b7e'),
  types: {
    Remove: [{ name: 'owner', type: 'address' }, { name: 'key', type: 'bytes' }, ...nonceAndDeadline],
  },
} as const

function contractDomain<const Name extends string>(name: Name, verifyingContract: `0x${string}`) {
  return { name, version: '1', chainId: OP_MAINNET, verifyingContract } as const
}
