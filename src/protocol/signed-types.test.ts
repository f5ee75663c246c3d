import * as library from '@farcaster/core'
import { type Abi, encodeAbiParameters, toEventSelector, toFunctionSelector } from 'viem'
import { expect, it } from 'vitest'
import { hexOf } from './bytes.js'
import { decodeKeyRequestMetadata, encodeKeyRequestMetadata } from './key-request-metadata.js'
import * as rules from './key-rules.js'
import * as abis from './registry-abis.js'
import * as signed from './signed-types.js'

it('domains and types that accounts sign are those of the published library', () => {
  const { eip712 } = library
  expect(signed.verificationClaim).toEqual({
    domain: eip712.EIP_712_FARCASTER_DOMAIN,
    types: { VerificationClaim: eip712.EIP_712_FARCASTER_VERIFICATION_CLAIM },
  })
  expect(signed.VERIFICATION_CHAIN_IDS).toEqual(eip712.EIP_712_FARCASTER_VERIFICATION_CLAIM_CHAIN_IDS)
  expect(signed.usernameProofClaim).toEqual(eip712.USERNAME_PROOF_EIP_712_TYPES)
  expect(signed.gaslessKeyAdd).toEqual(library.GASLESS_KEY_ADD_EIP_712_TYPES)
  expect(signed.gaslessKeyRemove).toEqual(library.GASLESS_KEY_REMOVE_EIP_712_TYPES)
  expect(signed.gaslessKeyRequest).toEqual(library.GASLESS_SIGNED_KEY_REQUEST_EIP_712_TYPES)
  expect(signed.signedKeyRequest).toEqual(library.SIGNED_KEY_REQUEST_VALIDATOR_EIP_712_TYPES)
  expect(signed.idGatewayRegister).toEqual(library.ID_GATEWAY_EIP_712_TYPES)
  expect(signed.idRegistryTransfer.domain).toEqual(library.ID_REGISTRY_EIP_712_TYPES.domain)
  expect(signed.idRegistryTransfer.types.Transfer).toEqual(library.ID_REGISTRY_EIP_712_TYPES.types.Transfer)
  expect(signed.keyGatewayAdd).toEqual(library.KEY_GATEWAY_EIP_712_TYPES)
  expect(signed.keyRegistryRemove).toEqual(library.KEY_REGISTRY_EIP_712_TYPES)
  expect(signed.KEY_GATEWAY_ADDRESS).toBe(library.KEY_GATEWAY_ADDRESS)
})

it('numbers of keys are those of the published library', () => {
  const published: Readonly<Record<string, unknown>> = { ...library }
  // The library has no names for the keys of auth addresses and the most keys of a fid (docs/protocol.md §4.10, §3.3.12).
  const { KEY_TYPE_AUTH, MAX_KEYS_PER_FID, ...named } = rules
  const names = Object.keys(named)
  expect([KEY_TYPE_AUTH, MAX_KEYS_PER_FID]).toEqual([2, 1_000])
  expect({ ...named }).toEqual(Object.fromEntries(names.map((name) => [name, published[name]])))
})

const contracts = [
  ['id gateway', abis.idGatewayAbi, library.idGatewayABI],
  ['id registry', abis.idRegistryAbi, library.idRegistryABI],
  ['key gateway', abis.keyGatewayAbi, library.keyGatewayABI],
  ['key registry', abis.keyRegistryAbi, library.keyRegistryABI],
  ['storage registry', abis.storageRegistryAbi, library.storageRegistryABI],
] as const

/** Name, selector, names of arguments and what of them is indexed. */
function membersOf(abi: Abi, kind: 'error' | 'event' | 'function'): unknown[] {
  return abi.flatMap((item) => {
    if (item.type !== kind) return []
    const selector =
      item.type === 'event' ? toEventSelector(item) : item.type === 'function' ? toFunctionSelector(item) : ''
    return [
      {
        name: item.name,
        selector,
        inputs: item.inputs.map((each) => [each.name, each.type, 'indexed' in each && each.indexed === true]),
        outputs: item.type === 'function' ? item.outputs.map(({ type }) => type) : [],
      },
    ]
  })
}

it.each(contracts)(
  'the interface of the %s is a part of the published one, with all errors',
  (_name, ours, published) => {
    for (const kind of ['event', 'function'] as const)
      expect(membersOf(published, kind)).toEqual(expect.arrayContaining(membersOf(ours, kind)))
    const errors = (abi: Abi) => new Map(membersOf(abi, 'error').map((each) => [JSON.stringify(each), each]))
    expect([...errors(ours).keys()].sort()).toEqual([...errors(published).keys()].sort())
  },
)

const metadata = {
  requestFid: 9n,
  requestSigner: Buffer.from('00000000fc25870c6ed6b6c7e41fb078b7656f69', 'hex'),
  signature: Buffer.alloc(65, 7),
  deadline: 1_793_491_200n,
}

it('key metadata: has the bytes of the published library, which reads it', () => {
  const bytes = encodeKeyRequestMetadata(metadata)
  const theirs = { ...metadata, requestSigner: hexOf(metadata.requestSigner) }
  expect(bytes).toEqual(Buffer.from(library.encodeGaslessSignedKeyRequestMetadata(theirs)._unsafeUnwrap()))
  expect(decodeKeyRequestMetadata(bytes)).toEqual(metadata)
})

it('key metadata: what the published library cannot read is null', () => {
  const bytes = encodeKeyRequestMetadata(metadata)
  const wrong = [
    Buffer.alloc(0),
    bytes.subarray(0, -32),
    Buffer.alloc(300, 255),
    Buffer.from(encodeAbiParameters([{ type: 'uint256' }], [1n]).slice(2), 'hex'),
  ]
  for (const each of wrong) {
    expect(library.decodeGaslessSignedKeyRequestMetadata(each).isErr()).toBe(true)
    expect(decodeKeyRequestMetadata(each)).toBeNull()
  }
})
