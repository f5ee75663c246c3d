import { Type } from '@sinclair/typebox'
import type { Hex } from 'viem'
import { listParameter, viewerFidParameter } from '../../../api/parameters.js'
import { viewerOf } from '../../../api/viewer.js'
import { FungiblesResponse } from '../../../graph/view/schema/fungible.js'
import { PlazaError } from '../../../platform/errors.js'
import { defineOperation } from '../../operation.js'
import { parseTokenName, TOKEN_NAME_PATTERN, type TokenReference } from '../caip.js'
import { type Assets, rpcOf } from '../on-demand-tokens.js'
import { presentToken, type TokenSummary } from '../present-token.js'
import { readTokens, type Token } from '../token.js'
import { readTokenDetails } from '../token-details.js'
import { countCastsOfUrls, readSupplies } from '../token-stats.js'

const MAX_TOKENS = 25

const nameParameter = Type.String({
  pattern: TOKEN_NAME_PATTERN.source,
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
    const tokensByName = [...new Set(names)].map((name) => toNamedToken(name, assets))
    const addresses = tokensByName.map(({ address }) => address)
    const known = await readTokens(db, { addresses })
    const viewer = await viewerOf({ db, hydrator }, caller, viewer_fid)
    const [supplies, counts] = await Promise.all([
      readSupplies(
        db,
        known.map(({ id }) => id),
      ),
      countCastsOfUrls(
        db,
        tokensByName.flatMap(({ spellings: addressSpellings }) => addressSpellings),
        viewer,
      ),
    ])
    const shownTokens = await Promise.all(
      tokensByName.map(async (each) => {
        const token = known.find((one) => isSame(one, each))
        const details: TokenSummary | null = token ?? (await readUntrackedToken(assets, each))
        if (details === null) return []
        const casts = each.spellings.reduce((sum, spelling) => sum + (counts.get(spelling) ?? 0), 0)
        const fungible = presentToken(details, token && supplies.get(token.id))
        return [{ object: 'social_fungible' as const, fungible, cast_count: casts }]
      }),
    )
    return { fungibles: shownTokens.flat() }
  },
})

function toNamedToken(name: string, assets: Assets): TokenReference {
  const token = parseTokenName(name, assets.rpcs)
  if (token !== null) return token
  throw new PlazaError('not_configured', `this server does not follow the chain of ${name}`, {
    property: 'fungibles',
  })
}

function isSame(token: Token, { network, address }: TokenReference): boolean {
  return token.network === network && token.address.equals(address)
}

/** What a token says of itself that is not known here. */
async function readUntrackedToken(
  assets: Assets,
  { network, address }: TokenReference,
): Promise<TokenSummary | null> {
  const hex: Hex = `0x${address.toString('hex')}`
  const details = await rpcOf(assets, network)
    .withEndpoint((endpoint) => readTokenDetails(endpoint, hex))
    .catch((cause: unknown) => {
      throw new PlazaError('unavailable.other_side', `${network} does not answer`, { cause })
    })
  return details && { ...details, network, address, logo: null }
}
