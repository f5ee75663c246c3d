import { Type } from '@sinclair/typebox'
import type { Hex } from 'viem'
import { onlookerOf } from '../../../api/onlooker.js'
import { listParameter, viewerFidParameter } from '../../../api/parameters.js'
import { FungiblesResponse } from '../../../graph/view/schema/fungible.js'
import { PlazaError } from '../../../platform/errors.js'
import { defineOperation } from '../../operation.js'
import { type Assets, rpcOf } from '../asked-tokens.js'
import { type NamedToken, readTokenName, TOKEN_NAME } from '../caip.js'
import { presentToken, type ShownToken } from '../present-token.js'
import { readTokens, type Token } from '../token.js'
import { readTokenDetails } from '../token-details.js'
import { countCastsOfUrls, readSupplies } from '../token-facts.js'

const MAX_TOKENS = 25

const nameParameter = Type.String({
  pattern: TOKEN_NAME.source,
  patternText: 'the CAIP-19 name of an ERC-20 token: `eip155:8453/erc20:0x…`',
})

/** `GET fungibles` */
export const fungibles = defineOperation({
  method: 'GET',
  path: 'fungibles',
  tag: 'Fungible',
  summary: 'Tokens by their names',
  description: [
    'What a token says of itself, how much there is of it (where its owners are kept here), and how many casts embed its',
    'name. What is no token is left out. With a viewer, casts of users whom it blocks or mutes do not count.',
  ].join(' '),
  query: Type.Object({
    fungibles: listParameter(nameParameter, {
      maxItems: MAX_TOKENS,
      description: 'CAIP-19 names: `eip155:<chain id>/erc20:<address>`.',
    }),
    viewer_fid: viewerFidParameter,
  }),
  reply: FungiblesResponse,

  async handle({ db, hydrator, assets }, { fungibles: names, viewer_fid }, caller) {
    const named = [...new Set(names)].map((name) => namedToken(name, assets))
    const addresses = named.map(({ address }) => address)
    const known = await readTokens(db, { addresses })
    const onlooker = await onlookerOf({ db, hydrator }, caller, viewer_fid)
    const [supplies, counts] = await Promise.all([
      readSupplies(
        db,
        known.map(({ id }) => id),
      ),
      countCastsOfUrls(
        db,
        named.flatMap(({ spellings }) => spellings),
        onlooker,
      ),
    ])
    const shown = await Promise.all(
      named.map(async (each) => {
        const token = known.find((one) => isSame(one, each))
        const details: ShownToken | null = token ?? (await readUnknown(assets, each))
        if (details === null) return []
        const casts = each.spellings.reduce((sum, spelling) => sum + (counts.get(spelling) ?? 0), 0)
        const fungible = presentToken(details, token && supplies.get(token.id))
        return [{ object: 'social_fungible' as const, fungible, cast_count: casts }]
      }),
    )
    return { fungibles: shown.flat() }
  },
})

function namedToken(name: string, assets: Assets): NamedToken {
  const token = readTokenName(name, assets.rpcs)
  if (token !== null) return token
  throw new PlazaError('not_configured', `this server does not follow the chain of ${name}`, {
    property: 'fungibles',
  })
}

function isSame(token: Token, { network, address }: NamedToken): boolean {
  return token.network === network && token.address.equals(address)
}

/** What a token says of itself that is not known here. */
async function readUnknown(assets: Assets, { network, address }: NamedToken): Promise<ShownToken | null> {
  const hex: Hex = `0x${address.toString('hex')}`
  const details = await rpcOf(assets, network)
    .with((endpoint) => readTokenDetails(endpoint, hex))
    .catch((cause: unknown) => {
      throw new PlazaError('unavailable.other_side', `${network} does not answer`, { cause })
    })
  return details && { ...details, network, address, logo: null }
}
