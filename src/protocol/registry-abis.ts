import { parseAbi } from 'viem'

/**
 * The parts of the contracts' interfaces that Plaza calls and reads, with all their errors (docs/protocol.md §5). A test
 * compares them with those of `@farcaster/core`.
 */

const signatureErrors = [
  'error InvalidAccountNonce(address account, uint256 currentNonce)',
  'error InvalidShortString()',
  'error InvalidSignature()',
  'error OnlyGuardian()',
  'error SignatureExpired()',
  'error StringTooLong(string str)',
] as const

export const idGatewayAbi = parseAbi([
  'function nonces(address owner) view returns (uint256)',
  'function price(uint256 extraStorage) view returns (uint256)',
  'function registerFor(address to, address recovery, uint256 deadline, bytes sig, uint256 extraStorage) payable returns (uint256 fid, uint256 overpayment)',
  ...signatureErrors,
  'error CallFailed()',
  'error InvalidPayment()',
  'error Unauthorized()',
])

export const idRegistryAbi = parseAbi([
  'event ChangeRecoveryAddress(uint256 indexed id, address indexed recovery)',
  'event Register(address indexed to, uint256 indexed id, address recovery)',
  'event Transfer(address indexed from, address indexed to, uint256 indexed id)',
  'function idOf(address owner) view returns (uint256 fid)',
  'function nonces(address owner) view returns (uint256)',
  'function transferFor(address from, address to, uint256 fromDeadline, bytes fromSig, uint256 toDeadline, bytes toSig)',
  ...signatureErrors,
  'error AlreadyMigrated()',
  'error GatewayFrozen()',
  'error HasId()',
  'error HasNoId()',
  'error OnlyMigrator()',
  'error PermissionRevoked()',
  'error Unauthorized()',
])

export const keyGatewayAbi = parseAbi([
  'function add(uint32 keyType, bytes key, uint8 metadataType, bytes metadata)',
  'function addFor(address fidOwner, uint32 keyType, bytes key, uint8 metadataType, bytes metadata, uint256 deadline, bytes sig)',
  'function nonces(address owner) view returns (uint256)',
  ...signatureErrors,
  'error ExceedsMaximum()',
  'error InvalidMetadata()',
  'error InvalidState()',
])

export const keyRegistryAbi = parseAbi([
  'event Add(uint256 indexed fid, uint32 indexed keyType, bytes indexed key, bytes keyBytes, uint8 metadataType, bytes metadata)',
  'event AdminReset(uint256 indexed fid, bytes indexed key, bytes keyBytes)',
  'event Migrated(uint256 indexed migratedAt)',
  'event Remove(uint256 indexed fid, bytes indexed key, bytes keyBytes)',
  'function keyDataOf(uint256 fid, bytes key) view returns ((uint8 state, uint32 keyType))',
  'function nonces(address owner) view returns (uint256)',
  'function removeFor(address fidOwner, bytes key, uint256 deadline, bytes sig)',
  ...signatureErrors,
  'error AlreadyMigrated()',
  'error ExceedsMaximum()',
  'error GatewayFrozen()',
  'error InvalidKeyType()',
  'error InvalidMaxKeys()',
  'error InvalidMetadata()',
  'error InvalidMetadataType()',
  'error InvalidState()',
  'error OnlyMigrator()',
  'error PermissionRevoked()',
  'error Unauthorized()',
  'error ValidatorNotFound(uint32 keyType, uint8 metadataType)',
])

export const storageRegistryAbi = parseAbi([
  'event Rent(address indexed payer, uint256 indexed fid, uint256 units)',
  'function price(uint256 units) view returns (uint256)',
  'function rent(uint256 fid, uint256 units) payable returns (uint256 overpayment)',
  'error CallFailed()',
  'error ContractDeprecated()',
  'error ExceedsCapacity()',
  'error GracePeriodNotOver()',
  'error IncompleteRound()',
  'error InvalidAddress()',
  'error InvalidAmount()',
  'error InvalidBatchInput()',
  'error InvalidDeprecationTimestamp()',
  'error InvalidFixedPrice()',
  'error InvalidMaxAnswer()',
  'error InvalidMinAnswer()',
  'error InvalidPayment()',
  'error InvalidPrice()',
  'error InvalidRangeInput()',
  'error InvalidRoundTimestamp()',
  'error NotOperator()',
  'error NotOwner()',
  'error NotTreasurer()',
  'error PriceOutOfBounds()',
  'error SequencerDown()',
  'error StaleAnswer()',
  'error Unauthorized()',
])
