import { createHash } from 'node:crypto'
import { createRequire } from 'node:module'
import { ensureApp } from '../dist/features/apps/apps.js'
import { createSigner } from '../dist/features/signers/signer-record.js'
import { createHub } from '../dist/hub/create-hub.js'
import { connect } from '../dist/platform/db/connection.js'
import { createVault } from '../dist/platform/vault/vault.js'
import { encodeMessage } from '../dist/protocol/codec.js'
import { createMessageSigner } from '../dist/protocol/sign.js'
import { createVerifyPool } from '../dist/protocol/verify-pool.js'

/** Users with signers, and the messages that they sign themselves. */

const core = createRequire(new URL('../package.json', import.meta.url))('@farcaster/core')
const DEVNET = core.FarcasterNetwork.DEVNET
const FARCASTER_EPOCH_SECONDS = 1_609_459_200
/** Room for more casts than any run publishes: nothing is pruned. */
const UNITS = 10_000

/**
 * @typedef {object} Writer
 * @property {number} fid
 * @property {string} signerUuid
 * @property {ReturnType<typeof createMessageSigner>} key Another key of the user, held by the bench.
 */

/**
 * Registers users on the server's database, each with a signer of the app that the API key belongs to.
 *
 * @param {string} databaseUrl
 * @param {{ users: number, appName: string, secretKey: string }} options `secretKey` is the server's.
 * @returns {Promise<Writer[]>}
 */
export async function registerWriters(databaseUrl, { users, appName, secretKey }) {
  const db = connect(databaseUrl, { poolSize: 4, applicationName: 'bench' })
  const verifyPool = createVerifyPool({ threads: 0 })
  const hub = await createHub({ db, network: DEVNET, shards: 1, verifyPool, clock: Date.now })
  try {
    const appId = await ensureApp(db, appName)
    const vault = createVault([secretKey])
    const writers = []
    const events = []
    for (let fid = 1; fid <= users; fid += 1) {
      const key = createMessageSigner(createHash('sha256').update(`writer ${fid}`).digest())
      const signer = await createSigner({ db, vault }, appId)
      writers.push({ fid, signerUuid: signer.id, key })
      events.push(...chainEvents(fid, [key.publicKey, signer.publicKey]))
    }
    const refused = (await hub.submitOnChainEvents(events)).filter((refusal) => refusal !== null)
    if (refused.length > 0) throw new Error(`users were not registered: ${refused[0]?.message}`)
    return writers
  } finally {
    await hub.close()
    await verifyPool.close()
    await db.end()
  }
}

/**
 * @param {number} fid
 * @param {readonly Buffer[]} keys
 */
function chainEvents(fid, keys) {
  const type = core.OnChainEventType
  const nowUnix = Math.floor(Date.now() / 1000)
  const custody = createHash('sha256').update(`custody ${fid}`).digest().subarray(0, 20)
  const empty = Buffer.alloc(0)
  const bodies = [
    {
      type: type.EVENT_TYPE_ID_REGISTER,
      idRegisterEventBody: {
        to: custody,
        eventType: core.IdRegisterEventType.REGISTER,
        from: empty,
        recoveryAddress: empty,
      },
    },
    {
      type: type.EVENT_TYPE_STORAGE_RENT,
      storageRentEventBody: { payer: custody, units: UNITS, expiry: nowUnix + 31_536_000 },
    },
    ...keys.map((key) => ({
      type: type.EVENT_TYPE_SIGNER,
      signerEventBody: {
        key,
        keyType: 1,
        eventType: core.SignerEventType.ADD,
        metadata: empty,
        metadataType: 1,
      },
    })),
  ]
  return bodies.map((body, index) => {
    const hash = createHash('sha256').update(`${fid} ${index}`).digest()
    return core.OnChainEvent.fromPartial({
      chainId: 31_337,
      blockNumber: fid * 100 + index,
      blockHash: hash,
      blockTimestamp: nowUnix,
      transactionHash: hash,
      logIndex: 0,
      fid,
      ...body,
    })
  })
}

/**
 * A cast that the user has signed: the bytes that the hub takes.
 *
 * @param {Writer} writer
 * @param {string} text
 */
export function signedCast({ fid, key }, text) {
  const data = core.MessageData.fromPartial({
    type: core.MessageType.CAST_ADD,
    fid,
    timestamp: Math.floor(Date.now() / 1000) - FARCASTER_EPOCH_SECONDS,
    network: DEVNET,
    castAddBody: { embedsDeprecated: [], mentions: [], mentionsPositions: [], embeds: [], type: 0, text },
  })
  return encodeMessage(key.sign(data))
}
