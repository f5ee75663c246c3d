import fc from 'fast-check'
import { expect, it } from 'vitest'
import { castViewerContext, presentCast } from './cast.js'
import { channelDehydrated, channelUserContext, presentChannel } from './channel.js'
import { jsonArray } from './json.js'
import { castTemplate, channelTemplate, renderCast, renderChannel, userTemplate } from './render.js'
import { castRecord, channelRecord, userRecord, viewerRelations } from './testing/records.js'
import { presentUser, userViewerContext } from './user.js'

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.constantFrom('🌱 seeds', 'Straße', '日本語', 'مرحبا', '\ud83c', '\udf31 later', '"\\\u0000\u2028'),
)
const fids = fc.uniqueArray(fc.constantFrom(1, 2, 3))
const hashes = fc.uniqueArray(fc.constantFrom('11', '22', '33'))
const input = {
  names: { users: new Map(), channels: new Map() },
  locationOf: () => null,
  now: 1_700_000_000,
}

/** A network of three users, the third of whom may be unknown, and casts of theirs. */
const network = fc
  .record({
    users: fc.tuple(text, text, text),
    knownUsers: fc.constantFrom(2, 3),
    casts: fc.array(
      fc.record({
        fid: fc.constantFrom(1, 2, 3),
        name: fc.constantFrom('11', '22', '33'),
        text,
        mentions: fids,
        channel: fc.option(fc.record({ id: text, name: text, imageUrl: fc.option(text) })),
      }),
      { maxLength: 5 },
    ),
    viewer: fc.option(
      fc.record({ following: fids, followers: fids, blocking: fids, blockers: fids, liked: hashes }),
    ),
  })
  .map(({ users, knownUsers, casts, viewer }) => ({
    users: users
      .slice(0, knownUsers)
      .map((bio, index) => userRecord(index + 1, { username: `u${index}`, bio })),
    casts: casts.map(({ fid, name, channel, mentions, text: ownText }) =>
      castRecord(name, fid, {
        text: ownText,
        mentions,
        mentionPositions: mentions.map(() => 0),
        channel,
        authorInChannel: channel && { following: true, role: null },
      }),
    ),
    viewer:
      viewer &&
      viewerRelations({
        following: new Set(viewer.following),
        followers: new Set(viewer.followers),
        blocking: new Set(viewer.blocking),
        blockers: new Set(viewer.blockers),
        liked: new Set(viewer.liked.map((name) => name.repeat(20))),
        channels: new Set(['']),
      }),
  }))

it('a page of buffers is, byte for byte, the page that is serialized from objects', () => {
  fc.assert(
    fc.property(network, ({ users, casts, viewer }) => {
      const records = new Map(users.map((user) => [user.fid, user]))
      const templates = new Map(users.map((user) => [user.fid, userTemplate(user, input)]))
      const castInput = { casts: new Map(), users: records, names: input.names }
      const context = (value: object | null) => (value ? { viewer_context: value } : {})
      const userView = (fid: number) => {
        const user = records.get(fid)
        return user && { ...presentUser(user, input), ...context(viewer && userViewerContext(fid, viewer)) }
      }
      const castViews = casts.flatMap((cast) => {
        const { body, authorFid, mentionedFids, channel } = presentCast(cast, castInput)
        const author = userView(authorFid)
        if (!author) return []
        const channelView = channel && {
          ...channelDehydrated(channel),
          ...context(viewer && channelUserContext(channel.id, viewer)),
        }
        const mentioned_profiles = mentionedFids.map(userView)
        const own = context(viewer && castViewerContext({ hash: cast.hash, authorFid: cast.fid }, viewer))
        return [{ ...body, author, mentioned_profiles, channel: channelView, ...own }]
      })
      const rendered = casts.flatMap(
        (cast) => renderCast(castTemplate(cast, castInput), templates, viewer) ?? [],
      )
      expect(
        jsonArray(rendered)
          .toBuffer()
          .equals(Buffer.from(JSON.stringify(castViews))),
      ).toBe(true)

      const channel = channelRecord({ description: casts[0]?.text ?? '', leadFid: 3 })
      const described = { users: records, usersByName: new Map() }
      const lead = userView(3)
      const leadMembers = lead ? { lead, moderator: lead, hosts: [lead] } : { hosts: [] }
      const own = context(viewer && channelUserContext(channel.id, viewer))
      const channelView = { ...presentChannel(channel, described), ...leadMembers, ...own }
      expect(`${renderChannel(channelTemplate(channel, described), templates, viewer)}`).toBe(
        JSON.stringify(channelView),
      )
    }),
  )
})
