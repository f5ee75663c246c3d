import { decodeAbiParameters, recoverTypedDataAddress } from 'viem'
import { afterAll, describe, expect, it } from 'vitest'
import { createTestDatabase } from '../../../test/database.js'
import { isRefusal } from '../../platform/errors.js'
import {
  FarcasterNetwork,
  MessageData,
  MessageType,
  OnChainEvent,
  UserDataType,
} from '../../protocol/definitions.js'
import { verifyUsernameProof } from '../../protocol/kinds/username-proof.js'
import { createMessageSigner, type MessageSigner } from '../../protocol/sign.js'
import { farcasterSecondsFromUnixMs } from '../../protocol/time.js'
import { createVerifyPool } from '../../protocol/verify-pool.js'
import { createHub } from '../create-hub.js'
import { decodeProof } from '../merge/names.js'
import { ethAccount, localAccount, newPrivateKey } from './eth-account.js'
import { LocalRegistry, refuseRealNetwork } from './registry.js'

const { db, connect } = await createTestDatabase()
const verifyPool = createVerifyPool({ threads: 0 })
const nowMs = 1_790_000_000_000
const hub = await createHub({
  db,
  verifyPool,
  network: FarcasterNetwork.DEVNET,
  shards: 2,
  clock: () => nowMs,
})
const registry = new LocalRegistry({ db, hub, clock: () => nowMs })
afterAll(() => hub.close())

async function newFid(custody = ethAccount(newPrivateKey())): Promise<number> {
  const result = await registry.createFid(custody.address)
  if (isRefusal(result)) throw new Error(result.message)
  return result.fid
}

function userData(fid: number, signer: MessageSigner, type: UserDataType, value: string) {
  return signer.sign(
    MessageData.create({
      type: MessageType.USER_DATA_ADD,
      fid,
      timestamp: farcasterSecondsFromUnixMs(nowMs),
      network: FarcasterNetwork.DEVNET,
      userDataBody: { type, value },
    }),
  )
}

async function newSigner(fid: number): Promise<MessageSigner> {
  const signer = createMessageSigner(newPrivateKey())
  expect(await registry.addSigner(fid, signer.publicKey)).toBeNull()
  return signer
}

describe('LocalRegistry', () => {
  it('creates a fid whose signer can publish, with one unit of storage', async () => {
    const fid = await newFid()
    const signer = await newSigner(fid)
    expect(await hub.submit([userData(fid, signer, UserDataType.DISPLAY, 'Ada')])).toEqual([null])
    const rents = await db`select units from hub.storage_rents where fid = ${fid}`
    expect(rents).toEqual([{ units: 1 }])
  })

  it('gives one fid to each custody address, and different fids to all callers', async () => {
    const custody = ethAccount(newPrivateKey())
    const fid = await newFid(custody)
    expect(await registry.createFid(custody.address)).toEqual({
      code: 'bad_request.conflict',
      message: `this custody address already owns fid ${fid}`,
    })
    const fids = await Promise.all([newFid(), newFid(), newFid()])
    expect(new Set(fids).size).toBe(3)
  })

  it('adds a signer with a key request signed by the requesting app', async () => {
    const fid = await newFid()
    const appFid = await newFid()
    const app = ethAccount(newPrivateKey())
    const { publicKey } = createMessageSigner(newPrivateKey())
    expect(await registry.addSigner(fid, publicKey, { requestFid: appFid, app })).toBeNull()
    const [row] = await db<{ event: Buffer }[]>`select event from hub.signers where fid = ${fid}`
    const { metadata, metadataType, keyType } = OnChainEvent.decode(row!.event).signerEventBody!
    expect([metadataType, keyType]).toEqual([1, 1])
    const types = [
      { name: 'requestFid', type: 'uint256' },
      { name: 'requestSigner', type: 'address' },
      { name: 'signature', type: 'bytes' },
      { name: 'deadline', type: 'uint256' },
    ] as const
    const hex = `0x${Buffer.from(metadata).toString('hex')}` as const
    const [request] = decodeAbiParameters([{ type: 'tuple', components: types }], hex)
    expect(request.requestFid).toBe(BigInt(appFid))
    expect(request.requestSigner).toBe(app.signer.address)
    const recovered = await recoverTypedDataAddress({
      domain: {
        name: 'Farcaster SignedKeyRequestValidator',
        version: '1',
        chainId: 10,
        verifyingContract: '0x00000000FC700472606ED4fA22623Acf62c60553',
      },
      types: {
        SignedKeyRequest: [
          { name: 'requestFid', type: 'uint256' },
          { name: 'key', type: 'bytes' },
          { name: 'deadline', type: 'uint256' },
        ],
      },
      primaryType: 'SignedKeyRequest',
      message: {
        requestFid: request.requestFid,
        key: `0x${publicKey.toString('hex')}`,
        deadline: request.deadline,
      },
      signature: request.signature,
    })
    expect(recovered).toBe(app.signer.address)
  })

  it('removes a signer for good: it signs no more and cannot be added again', async () => {
    const fid = await newFid()
    const signer = await newSigner(fid)
    expect(await registry.removeSigner(fid, signer.publicKey)).toBeNull()
    const [outcome] = await hub.submit([userData(fid, signer, UserDataType.BIO, 'too late')])
    expect(outcome?.code).toBe('bad_request.validation_failure')
    expect((await registry.removeSigner(fid, signer.publicKey))?.code).toBe('bad_request.conflict')
    expect((await registry.addSigner(fid, signer.publicKey))?.message).toMatch(/never comes back/)
  })

  it('rents storage that adds up', async () => {
    const fid = await newFid()
    expect(await registry.rentStorage(fid, 3)).toBeNull()
    expect(await registry.rentStorage(fid, 2)).toBeNull()
    const [row] = await db`select sum(units)::integer as units from hub.storage_rents where fid = ${fid}`
    expect(row).toEqual({ units: 6 })
    expect((await registry.rentStorage(999_999, 1))?.code).toBe('bad_request.validation_failure')
  })

  it('registers a name with its own signature, which a profile may then show', async () => {
    const fid = await newFid()
    const signer = await newSigner(fid)
    expect(await registry.registerName('ada', fid)).toBeNull()
    expect(await hub.submit([userData(fid, signer, UserDataType.USERNAME, 'ada')])).toEqual([null])
    const [row] = await db<{ proof: Buffer }[]>`select proof from hub.username_proofs where name = 'ada'`
    const proof = decodeProof(row!.proof)
    expect(await verifyUsernameProof(proof, localAccount('fname registry').address)).toBe(true)
  })

  it('refuses a name that is taken, malformed, or the second of a fid', async () => {
    const [holder, other] = [await newFid(), await newFid()]
    expect(await registry.registerName('grace', holder)).toBeNull()
    expect((await registry.registerName('grace', other))?.message).toBe(`"grace" belongs to fid ${holder}`)
    expect((await registry.registerName('Grace', other))?.code).toBe('bad_request.invalid_param')
    expect((await registry.registerName('hopper', holder))?.message).toMatch(/already holds "grace"/)
    expect((await registry.registerName('nobody', 999_999))?.code).toBe('bad_request.validation_failure')
  })

  it('transfers and releases a name, which revokes the username', async () => {
    const [first, second] = [await newFid(), await newFid()]
    const signer = await newSigner(first)
    await registry.registerName('linus', first)
    await hub.submit([userData(first, signer, UserDataType.USERNAME, 'linus')])
    expect(await registry.transferName('linus', second)).toBeNull()
    const shown = await db`select 1 from hub.messages where fid = ${first} and type = 11`
    expect(shown).toHaveLength(0)
    expect((await registry.transferName('linus', second))?.code).toBe('bad_request.conflict')
    expect(await registry.releaseName('linus')).toBeNull()
    expect((await registry.releaseName('linus'))?.code).toBe('not_found')
    expect(await registry.registerName('linus', first)).toBeNull()
  })

  it('never repeats a block number, even within one second', async () => {
    const rows = await db<{ block_number: number; fids: number }[]>`
      select block_number, count(distinct fid)::integer as fids from hub.onchain_events group by block_number
    `
    expect(rows.length).toBeGreaterThan(10)
    expect(rows.every((row) => row.fids === 1)).toBe(true)
  })

  it('changes of several registries of a process need two connections between them', async () => {
    const small = connect({ poolSize: 2 })
    const clock = () => nowMs
    const options = { db: small, verifyPool, network: FarcasterNetwork.DEVNET, shards: 2, clock }
    const hubOfSmall = await createHub(options)
    const registries = Array.from(
      { length: 3 },
      () => new LocalRegistry({ db: small, hub: hubOfSmall, clock }),
    )
    const created = await Promise.all(
      registries.map((each) => each.createFid(ethAccount(newPrivateKey()).address)),
    )
    await hubOfSmall.close()
    expect(created).toEqual(registries.map(() => ({ fid: expect.any(Number) })))
  })

  it('refuses real networks', () => {
    expect(refuseRealNetwork(FarcasterNetwork.DEVNET)).toBeNull()
    expect(refuseRealNetwork(FarcasterNetwork.MAINNET)?.message).toMatch(/on mainnet/)
    expect(refuseRealNetwork(FarcasterNetwork.TESTNET)?.message).toMatch(/on testnet/)
  })
})
