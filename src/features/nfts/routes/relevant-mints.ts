import { Type } from '@sinclair/typebox'
import type { Hex } from 'viem'
import { listJson, userItems } from '../../../api/list-json.js'
import { ethAddressParameter } from '../../../api/parameters.js'
import { hiddenFidsFor } from '../../../api/viewer.js'
import { Json, json } from '../../../graph/view/json.js'
import type { ChainRpc } from '../../../hub/chain/chain-rpc.js'
import { PlazaError } from '../../../platform/errors.js'
import { bytesOfHex } from '../../../protocol/bytes.js'
import { defineOperation, type OperationContext } from '../../operation.js'
import { fromChain } from '../../tokens/token-metadata.js'
import { readFollowedAddresses } from '../followed-addresses.js'
import { type Mint, type MintFilter, readMints } from '../mint-logs.js'
import { RelevantMintsResponse } from '../schema/nft.js'

/** Mints of a reply, which has no pages. */
const MAX_MINTS = 100
/** Addresses in the filter of a request to an RPC. */
const MAX_RECEIVERS = 1_000
const MAX_AGE_MS = 60_000

/** `GET /v2/nft/relevant_mints` */
export const relevantMints = defineOperation({
  method: 'GET',
  path: '/nft/relevant_mints',
  tag: 'Onchain',
  summary: 'Fetch relevant mints',
  description:
    `Mints of an ERC-721 or ERC-1155 contract to verified addresses of users whom the user of \`address\` follows, ` +
    `at most ${MAX_MINTS}: the newest of each network, in turn, then the next ones of each. Read from the chains that the server follows, at most every minute; ` +
    `of more than ${MAX_RECEIVERS} addresses those of the users with the highest score count.`,
  deprecatedSince: '2023-11-30',
  query: Type.Object({
    address: ethAddressParameter({ description: 'Verified or custody address of the user.' }),
    contract_address: ethAddressParameter({ description: 'Address of the contract.' }),
    token_id: Type.Optional(
      Type.String({
        pattern: '^[0-9]{1,78}$',
        patternText: 'the id of a token: a whole number',
        description: 'Only mints of this token.',
        examples: ['1'],
      }),
    ),
  }),
  reply: RelevantMintsResponse,

  async handle(context, { address, contract_address, token_id: tokenId }, caller) {
    const rpcs = [...context.tokenTracking.rpcs.values()]
    if (rpcs.length === 0) {
      const message =
        'this server follows no chain: its operator sets CHAIN_BASE_RPC_URLS or that of another network'
      throw new PlazaError('not_configured', message)
    }
    const [hidden, followed] = await Promise.all([
      hiddenFidsFor(context, caller),
      readFollowedAddresses(context.db, bytesOfHex(address), MAX_RECEIVERS),
    ])
    const hiddenFids = new Set(hidden)
    const minters = followed.filter(({ fid }) => !hiddenFids.has(fid))
    // Of several users of an address, the first has the highest score: in a map the last entry counts.
    const fidByAddress = new Map(minters.toReversed().map((each) => [each.address, each.fid]))
    const filter = {
      contract: contract_address.toLowerCase() as Hex,
      // Of all apps alike: they share the cached mints.
      receivers: [...new Set(followed.map((each) => each.address))],
    }
    const mints = await Promise.all(rpcs.map((rpc) => readCachedMints(context, rpc, address, filter)))
    const rowsByChain = mints.map((ofChain) =>
      ofChain
        .filter((mint) => tokenId === undefined || mint.tokenId === BigInt(tokenId))
        .flatMap((mint) => {
          // The cached mints may be of a user who is hidden from this app, or not followed any more.
          const fid = fidByAddress.get(mint.receiver)
          return fid === undefined ? [] : [{ fid, mint }]
        })
        .slice(0, MAX_MINTS),
    )
    const rows = inTurn(rowsByChain).slice(0, MAX_MINTS)
    const items = await userItems(context.hydrator, rows, undefined, (user, { mint }) => {
      const shown = {
        contract_address: filter.contract,
        token_id: String(mint.tokenId),
        block_number: mint.blockNumber,
        tx_hash: mint.transactionHash,
      }
      return Json.of(shown).withMembers(json`,"minter":${user}`)
    })
    return listJson('mints', items)
  },
})

/** Takes from the lists in turn, as logs do not say when their blocks were made: the first of each, then the second of each. */
function inTurn<Row extends object>(lists: readonly (readonly Row[])[]): Row[] {
  const turns = Math.max(...lists.map(({ length }) => length))
  return Array.from({ length: turns }, (_, turn) => lists.flatMap((list) => list[turn] ?? [])).flat()
}

async function readCachedMints(
  { hydrator }: Pick<OperationContext, 'hydrator'>,
  rpc: ChainRpc,
  address: string,
  filter: MintFilter,
): Promise<readonly Mint[]> {
  if (filter.receivers.length === 0) return []
  const key = `mints of ${filter.contract} on ${rpc.chain.name} for ${address.toLowerCase()}`
  return await hydrator.singleFlight.read(key, MAX_AGE_MS, async () => ({
    value: await fromChain(rpc, (endpoint) => readMints(endpoint, filter)),
    tags: [],
  }))
}
