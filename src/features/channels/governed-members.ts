import type { Transaction } from '../../platform/db/connection.js'
import { PlazaError } from '../../platform/errors.js'
import { MessageType } from '../../protocol/definitions.js'
import type { ChannelDocument } from './channel-document.js'

type Member = Exclude<keyof ChannelDocument, 'id'>

/** Members of a document that messages of the protocol decide in a channel that its registry has. */
const PEOPLE: readonly Member[] = ['lead_fid', 'moderator_fids', 'members', 'member_count']
const METADATA: readonly Member[] = [
  'name',
  'description',
  'description_mentions',
  'description_mention_positions',
  'image_url',
  'header_image_url',
]
const PIN: readonly Member[] = ['pinned_cast_hash']

/**
 * Applies precedence in a channel of the protocol (docs/compatibility.md §11.9): leaves out what messages decide. An
 * edit is refused instead, since a change that is left out would look like one that was made.
 *
 * @throws PlazaError that names the first member that an edit may not change.
 */
export async function withoutGoverned(
  db: Transaction,
  document: ChannelDocument,
  isEdit: boolean,
): Promise<ChannelDocument> {
  const governed = await readGoverned(db, document.id, isEdit)
  const [refused] = governed.filter((member) => document[member] !== undefined)
  if (isEdit && refused !== undefined) {
    throw new PlazaError(
      'bad_request.invalid_param',
      `${refused} of ${document.id} is decided by messages of the protocol`,
      { property: refused },
    )
  }
  const kept = Object.entries(document).filter(([member]) => !governed.includes(member as Member))
  return Object.fromEntries(kept) as ChannelDocument
}

/** Returns the members that the protocol decides. Metadata and pins are imported until a message sets them. */
async function readGoverned(db: Transaction, id: string, isEdit: boolean): Promise<Member[]> {
  const [row] = await db<{ hasMetadata: boolean; hasPin: boolean }[]>`
    select
      exists (
        select from hub.channel_messages m
        where m.channel_id = c.protocol_id and m.type = ${MessageType.CHANNEL_UPDATE}::smallint
      ) as "hasMetadata",
      exists (
        select from hub.channel_messages m
        where m.channel_id = c.protocol_id and m.type = ${MessageType.CHANNEL_PIN}::smallint
      ) as "hasPin"
    from channels.channels c
    where c.id = ${id}
  `
  const { hasMetadata, hasPin } = row!
  return [...PEOPLE, ...(isEdit || hasMetadata ? METADATA : []), ...(isEdit || hasPin ? PIN : [])]
}
