import { UserNameProof } from '@farcaster/core'
import { PlazaError } from '../../../platform/errors.js'
import { pageTokens } from '../../page-token.js'
import { readAddressRoles, readFidsByShard } from '../../query/fids.js'
import { readStorageUsage } from '../../query/storage.js'
import { readUserData, readUserDataByFid } from '../../query/user-data.js'
import { readUsernameProof, readUsernameProofsByFid } from '../../query/username-proofs.js'
import { readVerificationsByFid } from '../../query/verifications.js'
import { userDataTypeNames } from '../json/enum-names.js'
import { storedMessageJson } from '../json/message.js'
import { storageLimitsJson } from '../json/storage-limits.js'
import { usernameProofJson } from '../json/username-proof.js'
import type { GetOperation, HubApi } from './hub-api.js'
import { foundMessage, messageList } from './messages.js'
import { decodePageToken, messagePageOptions, nextPageToken } from './page-tokens.js'
import { type Parameters, refusal, required } from './parameters.js'

export const userOperations: readonly GetOperation[] = [
  { path: '/fids', failure: 'Failed to get fids', answer: listFids },
  { path: '/userDataByFid', failure: 'Failed to get user data by fid', answer: getUserData },
  { path: '/verificationsByFid', failure: 'Failed to get verifications by fid', answer: listVerifications },
  { path: '/userNameProofByName', failure: 'Failed to get username proof', answer: getUsernameProof },
  { path: '/userNameProofsByFid', failure: 'Failed to get username proofs', answer: listUsernameProofs },
  { path: '/storageLimitsByFid', failure: 'Failed to get storage limits', answer: getStorageLimits },
  { path: '/fidAddressType', failure: 'Failed to get fid address type', answer: getAddressType },
]

async function listFids(parameters: Parameters, { db, config }: HubApi): Promise<object> {
  const shard = parameters.u32('shard_id') ?? required('shard_id')
  if (shard < 1 || shard > config.shards) throw refusal('shard_id', `${shard}: Shard not found`)
  const { fids, last } = await readFidsByShard(db, shard, {
    limit: parameters.pageSize(),
    reverse: parameters.reverse,
    after: decodePageToken(parameters, pageTokens.fid),
  })
  return { fids, nextPageToken: nextPageToken(last, pageTokens.fid) }
}

/** One message when a type is asked for, as the public description has it; the reference node ignores it. */
async function getUserData(parameters: Parameters, { db }: HubApi): Promise<object> {
  const fid = parameters.fid('fid')
  const type = parameters.optionalEnumValue('user_data_type', userDataTypeNames)
  if (type === null) return messageList(await readUserDataByFid(db, fid, messagePageOptions(parameters)))
  return storedMessageJson(foundMessage(await readUserData(db, fid, type), 'user data'))
}

async function listVerifications(parameters: Parameters, { db }: HubApi): Promise<object> {
  const fid = parameters.fid('fid')
  const address = parameters.optionalAddress('address')
  return messageList(await readVerificationsByFid(db, fid, address, messagePageOptions(parameters)))
}

async function getUsernameProof(parameters: Parameters, { db }: HubApi): Promise<object> {
  const name = parameters.requiredText('name')
  const proof = await readUsernameProof(db, name)
  if (proof === null) {
    const what = name.endsWith('.eth') ? 'ENS username proof' : 'Username proof'
    throw new PlazaError('not_found', `${what} not found`)
  }
  return usernameProofJson(UserNameProof.decode(proof))
}

async function listUsernameProofs(parameters: Parameters, { db }: HubApi): Promise<object> {
  const proofs = await readUsernameProofsByFid(db, parameters.fid('fid'))
  return { proofs: proofs.map((proof) => usernameProofJson(UserNameProof.decode(proof))) }
}

async function getStorageLimits(parameters: Parameters, { db, clock }: HubApi): Promise<object> {
  const nowUnix = Math.floor(clock() / 1000)
  return storageLimitsJson(await readStorageUsage(db, parameters.fid('fid'), nowUnix))
}

async function getAddressType(parameters: Parameters, { db }: HubApi): Promise<object> {
  return await readAddressRoles(db, parameters.fid('fid'), parameters.address('address'))
}
