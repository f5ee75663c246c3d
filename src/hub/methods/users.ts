import { MessageType, UserNameProof } from '../../protocol/definitions.js'
import { MessageSet } from '../../protocol/message-kind.js'
import { FidAddressTypeResponse, FidsResponse } from '../../protocol/proto/generated/request_response.js'
import { pageTokens } from '../page-token.js'
import { listReply } from '../protobuf.js'
import { readMessage, readVerificationsByFid } from '../query/message-page.js'
import {
  type AddressRoles,
  type FidPage,
  readAddressRoles,
  readFidsByShard,
  readUsernameProof,
  readUsernameProofsByFid,
} from '../query/users.js'
import { address, enumeration, fid, httpOnly, messagePage, page, shard, username } from './fields.js'
import { parseAddress } from './http/parameters.js'
import { type Reply, readMethod } from './hub-method.js'
import { userDataTypeNames } from './json/enum-names.js'
import { usernameProofJson } from './json/message.js'
import { messagesOfSet, messagesOfType } from './message-lists.js'
import { requireFound } from './refusals.js'
import { base64Token, encodeCursor, message, messages } from './replies.js'

/** The only address that a list shows; null for all. */
const optionalAddress = httpOnly<Buffer | null>(
  { parameters: ['address'], fromQuery: (query) => query.read(parseAddress, 'address') },
  null,
)

/** Over HTTP the token is always there, empty at the end, as the public description has it. */
const fids: Reply<FidPage> = {
  json: ({ fids: page, last }) => ({
    fids: page,
    nextPageToken: base64Token(encodeCursor(last, pageTokens.fid)) ?? '',
  }),
  protobuf: ({ fids: page, last }) =>
    FidsResponse.encode({ fids: [...page], nextPageToken: encodeCursor(last, pageTokens.fid) }).finish(),
}

const usernameProof: Reply<{ readonly name: string; readonly proof: Buffer | null }> = {
  json: (found) => usernameProofJson(UserNameProof.decode(requireProof(found))),
  protobuf: requireProof,
}

function requireProof({ name, proof }: { readonly name: string; readonly proof: Buffer | null }): Buffer {
  return requireFound(proof, `${name.endsWith('.eth') ? 'ENS username proof' : 'Username proof'} not found`)
}

const usernameProofs: Reply<readonly Buffer[]> = {
  json: (proofs) => ({ proofs: proofs.map((proof) => usernameProofJson(UserNameProof.decode(proof))) }),
  protobuf: (proofs) => listReply(proofs, undefined),
}

const addressRoles: Reply<AddressRoles> = {
  json: (roles) => roles,
  protobuf: ({ is_custody: isCustody, is_auth: isAuth, is_verified: isVerified }) =>
    FidAddressTypeResponse.encode({ isCustody, isAuth, isVerified }).finish(),
}

export const userMethods = [
  readMethod({
    http: { path: '/fids', failure: 'Failed to get fids' },
    grpc: 'getFids',
    request: { shard: shard('shard_id', 'shardId'), page: page(pageTokens.fid) },
    reply: fids,
    handle: ({ shard, page }, { db }) => readFidsByShard(db, shard, page),
  }),
  readMethod({
    // The public description has it so; the reference node ignores the parameter.
    http: { path: '/userDataByFid', when: 'user_data_type' },
    grpc: 'getUserData',
    request: { fid, type: enumeration('user_data_type', 'userDataType', userDataTypeNames) },
    reply: message('user data'),
    handle: ({ fid, type }, { db }) => readMessage(db, fid, MessageType.USER_DATA_ADD, Buffer.of(type)),
  }),
  messagesOfType({
    http: { path: '/userDataByFid', failure: 'Failed to get user data by fid' },
    grpc: 'getUserDataByFid',
    type: MessageType.USER_DATA_ADD,
  }),
  messagesOfSet({ grpc: 'getAllUserDataMessagesByFid', set: MessageSet.userData }),
  readMethod({
    grpc: 'getVerification',
    request: { fid, address },
    reply: message('verification'),
    handle: ({ fid, address }, { db }) =>
      readMessage(db, fid, MessageType.VERIFICATION_ADD_ETH_ADDRESS, address),
  }),
  readMethod({
    http: { path: '/verificationsByFid', failure: 'Failed to get verifications by fid' },
    grpc: 'getVerificationsByFid',
    request: { fid, address: optionalAddress, page: messagePage },
    reply: messages,
    handle: ({ fid, address, page }, { db }) => readVerificationsByFid(db, fid, address, page),
  }),
  messagesOfSet({ grpc: 'getAllVerificationMessagesByFid', set: MessageSet.verifications }),
  readMethod({
    http: { path: '/userNameProofByName', failure: 'Failed to get username proof' },
    grpc: 'getUsernameProof',
    request: { name: username },
    reply: usernameProof,
    handle: async ({ name }, { db }) => ({ name, proof: await readUsernameProof(db, name) }),
  }),
  readMethod({
    http: { path: '/userNameProofsByFid', failure: 'Failed to get username proofs' },
    grpc: 'getUserNameProofsByFid',
    request: { fid },
    reply: usernameProofs,
    handle: ({ fid }, { db }) => readUsernameProofsByFid(db, fid),
  }),
  readMethod({
    http: { path: '/fidAddressType', failure: 'Failed to get fid address type' },
    grpc: 'getFidAddressType',
    request: { fid, address },
    reply: addressRoles,
    handle: ({ fid, address }, { db }) => readAddressRoles(db, fid, address),
  }),
]
