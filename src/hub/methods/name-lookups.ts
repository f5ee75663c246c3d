import { PlazaError } from '../../platform/errors.js'
import { hexOf } from '../../protocol/bytes.js'
import { UserNameType } from '../../protocol/definitions.js'
import {
  AddressToFidResponse,
  FidResponse,
  NameToAddressResponse,
} from '../../protocol/proto/generated/request_response.js'
import {
  type AddressMatch,
  type NamedAddresses,
  nameTypeOf,
  readAddressesByName,
  readFidByName,
  readFidsByAddress,
} from '../query/name-lookups.js'
import { address, type Field, username } from './fields.js'
import { type Reply, readMethod } from './hub-method.js'
import { invalid, requireFound } from './refusals.js'

/** The words for a type of names, in any case. */
const typeWords: Readonly<Record<string, UserNameType>> = {
  fname: UserNameType.USERNAME_TYPE_FNAME,
  username: UserNameType.USERNAME_TYPE_FNAME,
  ens: UserNameType.USERNAME_TYPE_ENS_L1,
  ens_l1: UserNameType.USERNAME_TYPE_ENS_L1,
  ensl1: UserNameType.USERNAME_TYPE_ENS_L1,
  basename: UserNameType.USERNAME_TYPE_BASENAME,
  base: UserNameType.USERNAME_TYPE_BASENAME,
}

/** The type of a name; null for that of its ending. */
const nameType: Field<UserNameType | null> = {
  parameters: ['type'],
  members: ['type'],
  fromQuery: (query) =>
    query.read((name, text) => {
      const word = text.toLowerCase()
      return Object.hasOwn(typeWords, word) ? typeWords[word]! : unknownType(name, text)
    }, 'type'),
  fromRequest({ type }) {
    if (!type) return null
    return Object.values(typeWords).find((known) => known === type) ?? unknownType('type', String(type))
  },
}

function unknownType(name: string, value: string): never {
  throw invalid(name, `is not known: unknown name type: ${value}`)
}

const fidReply: Reply<number> = {
  json: (fid) => ({ fid }),
  protobuf: (fid) => FidResponse.encode({ fid }).finish(),
}

const addressesReply: Reply<NamedAddresses> = {
  json: ({ fid, custodyAddress, connectedAddresses }) => ({
    fid,
    ...(custodyAddress && { custodyAddress: hexOf(custodyAddress) }),
    connectedAddresses: connectedAddresses.map(hexOf),
  }),
  protobuf: ({ fid, custodyAddress, connectedAddresses }) =>
    NameToAddressResponse.encode({
      fid,
      custodyAddress: custodyAddress ?? undefined,
      connectedAddresses: [...connectedAddresses],
    }).finish(),
}

const matchesReply: Reply<AddressMatch[]> = {
  json: (matches) => ({ matches }),
  protobuf: (matches) => AddressToFidResponse.encode({ matches }).finish(),
}

const noProof = 'username proof not found'

/** Methods that look up names and addresses. */
export const nameLookupMethods = [
  readMethod({
    http: { path: '/fidByName', failure: 'Failed to get fid by name' },
    grpc: 'getFidByName',
    request: { name: username, type: nameType },
    reply: fidReply,
    handle: async ({ name, type }, { db }) =>
      requireFound(await readFidByName(db, name, type ?? nameTypeOf(name)), noProof),
  }),
  readMethod({
    http: { path: '/addressesByName', failure: 'Failed to get addresses by name' },
    grpc: 'getAddressesByName',
    request: { name: username, type: nameType },
    reply: addressesReply,
    handle: async ({ name, type }, { db }) =>
      requireFound(await readAddressesByName(db, name, type ?? nameTypeOf(name)), noProof),
  }),
  readMethod({
    http: { path: '/fidByAddress', failure: 'Failed to get fid by address' },
    grpc: 'getFidByAddress',
    request: { address },
    reply: matchesReply,
    async handle({ address }, { db }) {
      const matches = await readFidsByAddress(db, address)
      if (matches.length > 0) return matches
      throw new PlazaError('not_found', 'no fid found for address')
    },
  }),
]
