import type { Database, Queryable } from '../../platform/db/connection.js'
import type { PaymentChain } from '../payments/payment-chains.js'

/** A contract on a network. */
export interface NftContract {
  readonly network: PaymentChain
  /** 20 bytes. */
  readonly address: Buffer
}

/** Stores the document of a deployed collection. */
export async function saveCollection(
  db: Database,
  { network, address }: NftContract,
  { walletId, metadata }: { readonly walletId: string; readonly metadata: object },
): Promise<void> {
  await db`
    insert into nfts.collections (network, address, wallet_id, metadata)
    values (${network}, ${address}, ${walletId}, ${JSON.stringify(metadata)}::text::jsonb)
    on conflict (network, address) do update set metadata = excluded.metadata`
}

/** Reads the document of a collection; null when this server has not deployed it. */
export async function readCollectionMetadata(db: Queryable, contract: NftContract): Promise<object | null> {
  const [row] = await db<{ metadata: object }[]>`
    select metadata from nfts.collections where network = ${contract.network} and address = ${contract.address}`
  return row?.metadata ?? null
}

/** Metadata of a token, by its id as a decimal number. */
export interface TokenDocument {
  readonly tokenId: string
  readonly metadata: object
}

/** Stores metadata of tokens; the last of a token counts. */
export async function saveTokenMetadata(
  db: Database,
  { network, address }: NftContract,
  documents: readonly TokenDocument[],
): Promise<void> {
  const unique = [...new Map(documents.map((each) => [each.tokenId, each])).values()]
  await db`
    insert into nfts.token_metadata (network, contract, token_id, metadata)
    select ${network}, ${address}, token_id::numeric, metadata::jsonb
    from unnest(
      ${db.types.texts(unique.map(({ tokenId }) => tokenId))}::text[],
      ${db.types.texts(unique.map(({ metadata }) => JSON.stringify(metadata)))}::text[]
    ) as given (token_id, metadata)
    on conflict (network, contract, token_id) do update set metadata = excluded.metadata, updated_at = now()`
}

/** Reads the metadata of a token; null when there is none. */
export async function readTokenMetadataOf(
  db: Queryable,
  { network, address }: NftContract,
  tokenId: string,
): Promise<object | null> {
  const [row] = await db<{ metadata: object }[]>`
    select metadata from nfts.token_metadata
    where network = ${network} and contract = ${address} and token_id = ${tokenId}::numeric`
  return row?.metadata ?? null
}
