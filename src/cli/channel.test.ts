import { Readable } from 'node:stream'
import type { Command } from 'commander'
import { beforeEach, describe, expect, it } from 'vitest'
import { createTestDatabase } from '../../test/database.js'
import { createTestHub } from '../../test/hub.js'
import { TestUser, testNow, testNowUnix } from '../../test/network.js'
import { inviteMember, removeMember } from '../features/channels/membership.js'
import { INVALIDATION_CHANNEL, uncachedWriter } from '../graph/cache/invalidation.js'
import { verification } from '../hub/merge/testing/in-memory-merges.js'
import { createProgram } from './program.js'

const { db, url } = await createTestDatabase()
const hub = await createTestHub(db)
await hub.submitOnChainEvents([1, 2, 3, 4].flatMap((fid) => new TestUser(fid).onChain()))
beforeEach(() => db`delete from channels.channels`)

/** The lines that a command prints, up to where it fails. */
async function plaza(args: string[], input = ''): Promise<{ lines: string[]; failure: string | null }> {
  const lines: string[] = []
  const program = await createProgram({
    env: { DATABASE_URL: url },
    print: (line) => lines.push(line),
    progress: process.stderr,
    stdin: Readable.from(input) as typeof process.stdin,
    stdout: process.stdout,
    onStopSignal: () => {},
    onDatabaseStop: () => () => {},
  })
  throwUsageErrors(program)
  const failure = await program.parseAsync(['node', 'plaza', 'channel', ...args]).then(
    () => null,
    (error: Error) => error.message,
  )
  return { lines, failure }
}

/** By itself, commander ends the process. */
function throwUsageErrors(command: Command): void {
  command.exitOverride().configureOutput({ writeErr: () => {} })
  command.commands.forEach(throwUsageErrors)
}

const row = async (id: string) => (await db`select * from channels.channels where id = ${id}`)[0]

describe('plaza channel', () => {
  it('creates a channel once, and edits an existing one', async () => {
    const make = ['create', 'gardens', '--name', 'Gardens', '--lead', '1']
    expect(await plaza(make)).toEqual({ lines: ['channel gardens'], failure: null })
    expect(await plaza(make)).toMatchObject({ failure: 'there is a channel gardens already' })
    expect(await plaza(['edit', 'none', '--name', 'x'])).toMatchObject({
      failure: 'there is no channel none',
    })
    expect(await row('none')).toBeUndefined()
    await plaza(['edit', 'gardens', '--description', 'Peas', '--also-url', 'https://example.com/peas'])
    expect(await row('gardens')).toMatchObject({ name: 'Gardens', description: 'Peas', member_count: 1 })
    expect(await plaza(['create', 'other'])).toMatchObject({
      failure: 'lead_fid is required for a new channel',
    })
    expect((await plaza(['create', 'other', '--lead', '0'])).failure).toMatch('must be a whole number from 1')
    const thief = ['create', 'thief', '--lead', '2', '--parent-url', 'https://example.com/peas']
    expect((await plaza(thief)).failure).toBe('https://example.com/peas belongs to another channel')
  })

  it('removes a URL that is not the parent URL, so that another channel can have it', async () => {
    const [own, older] = ['https://farcaster.xyz/~/channel/gardens', 'https://warpcast.com/~/channel/gardens']
    await plaza(['create', 'gardens', '--lead', '1', '--parent-url', 'chain://gardens'])
    const remove = ['edit', 'gardens', '--remove-url', 'chain://gardens']
    expect((await plaza(remove)).failure).toBe(
      'chain://gardens is the parent URL of gardens: set another one with --parent-url',
    )
    expect((await plaza(['edit', 'gardens', '--remove-url', 'chain://x'])).failure).toBe(
      'chain://x is no URL of gardens',
    )
    expect((await plaza([...remove, '--parent-url', own])).failure).toBeNull()
    expect((await plaza(['edit', 'gardens', '--remove-url', older])).failure).toMatch('is the parent URL')
    const urls = await db`select url from channels.urls order by url`
    expect(urls.map(({ url }) => url)).toEqual([own, older])
    const taker = ['create', 'meadows', '--lead', '1', '--parent-url', 'chain://gardens']
    expect((await plaza(taker)).failure).toBeNull()
  })

  it('deletes a channel that is not of the protocol, and tells servers', async () => {
    await plaza(['create', 'gardens', '--lead', '1', '--parent-url', 'chain://gardens'])
    const stale: string[] = []
    const listening = await db.listen(INVALIDATION_CHANNEL, (tag) => stale.push(tag))
    expect(await plaza(['delete', 'gardens'])).toEqual({
      lines: ['channel gardens is deleted'],
      failure: null,
    })
    await expect.poll(() => stale).toEqual(['channel:gardens', 'channelUrl:chain://gardens'])
    await listening.unlisten()
    expect(await row('gardens')).toBeUndefined()
    expect((await plaza(['delete', 'gardens'])).failure).toBe('there is no channel gardens')
    await plaza(['register', 'ferns', '--owner', '0x00000000000000000000000000000000000000AA'])
    expect((await plaza(['delete', 'ferns'])).failure).toMatch('is a channel of the protocol')
  })

  it('registers, renews and transfers a channel of the protocol, for an address or for a user who verified one', async () => {
    const address = '0x00000000000000000000000000000000000000AA'
    expect((await plaza(['register', 'lilies', '--fid', '1'])).failure).toMatch(
      'has verified no Ethereum address',
    )
    expect((await plaza(['register', 'lilies'])).failure).toBe('give either --owner or --fid')
    expect((await plaza(['register', 'Lilies!', '--owner', address])).failure).toMatch('lowercase letters')
    expect((await plaza(['renew', 'lilies'])).failure).toMatch('no channel "lilies"')
    const made = await plaza(['register', 'lilies', '--owner', address, '--days', '10', '--json'])
    expect(JSON.parse(made.lines[0]!)).toMatchObject({ key: 'lilies', owner: address })
    expect((await plaza(['register', 'lilies', '--owner', address])).failure).toMatch('is registered until')
    const [before] = await db`select expires_at from hub.channels where channel_key = 'lilies'`
    expect((await plaza(['renew', 'lilies', '--days', '1'])).failure).toBeNull()
    const [after] = await db`select expires_at from hub.channels where channel_key = 'lilies'`
    expect(after!.expires_at - before!.expires_at).toBe(86_400)
    const verified = Buffer.alloc(20, 0xbb)
    await hub.submit([verification(new TestUser(1), verified, testNow - 9)], { trusted: true })
    expect((await plaza(['transfer', 'lilies', '--fid', '1'])).lines[0]).toMatch(
      /^channel lilies belongs to 0xb[bB]/,
    )
    expect(await row('lilies')).toMatchObject({ lead_fid: 1, name: 'lilies' })
  })

  it('imports valid lines, reports invalid ones, and keeps membership states valid', async () => {
    const documents = [
      { id: 'gardens', lead_fid: 1, moderator_fids: [2, 1], member_count: 50 },
      { id: 'Wrong' },
      { id: 'sailing', lead_fid: 2, members: [{ fid: 2, role: 'moderator', member_since: 5 }] },
    ]
    const input = documents.map((document) => JSON.stringify(document)).join('\n')
    const { lines, failure } = await plaza(['import', '-'], input)
    expect([lines[0], lines[1], failure]).toEqual([
      expect.stringContaining('line 2: id'),
      'saved: 2',
      '1 lines were not saved',
    ])
    // A number that is given counts whom nobody has listed. The lead has no other role.
    expect(await row('gardens')).toMatchObject({ member_count: 50, moderator_fids: [2] })
    expect(await row('sailing')).toMatchObject({ member_count: 1, moderator_fids: [] })
    const again = JSON.stringify({ id: 'gardens', moderator_fids: [3] })
    await plaza(['import', '-'], again)
    expect(await row('gardens')).toMatchObject({ member_count: 51, moderator_fids: [3] })
  })

  it('lists members, invited and removed users', async () => {
    const members = [
      { fid: 2, role: 'moderator', member_since: 5 },
      { fid: 3, role: 'member', member_since: 4 },
    ]
    const followers = [{ fid: 4, followed_at: 1 }]
    await plaza(['import', '-'], JSON.stringify({ id: 'gardens', lead_fid: 1, members, followers }))
    const asked = { channelId: 'gardens', callerFid: 1, role: 'member' } as const
    await inviteMember(uncachedWriter(db), { ...asked, fid: 4 }, testNowUnix)
    await removeMember(uncachedWriter(db), { ...asked, fid: 3 }, testNowUnix)
    expect((await plaza(['members', 'gardens'])).lines).toEqual([
      'FID  MEMBERSHIP',
      '  1  owner',
      '  2  moderator',
      '  4  invited as member',
      '  3  restricted',
    ])
    const json = (await plaza(['members', 'gardens', '--json'])).lines.map((line) => JSON.parse(line))
    expect(json[1]).toEqual({
      object: 'channel_membership',
      channel_id: 'gardens',
      fid: 2,
      membership: 'moderator',
    })
    expect((await plaza(['members', 'none'])).failure).toBe('there is no channel none')
  })
})
