import type { PublicApi } from '../../../hub/sync/import/public-api.js'

/** Users of a channel of the public client. */
export interface ListedUsers {
  readonly followers: readonly number[]
  /** Without the lead. */
  readonly members: readonly number[]
}

/** What the public client lists; a test changes it between imports. */
export interface PublicClient {
  channels: Record<string, unknown>[]
  users: Record<string, ListedUsers>
}

/** The API of a public client with these lists. */
export function publicApiOf(client: PublicClient): PublicApi {
  const reply = (path: string, id: string) => {
    const { followers, members } = client.users[id] ?? { followers: [], members: [] }
    switch (path) {
      case '/v2/all-channels':
        return { channels: client.channels }
      case '/v1/channel-followers':
        return { users: followers.map((fid) => ({ fid, followedAt: 5 })) }
      default:
        return { members: members.map((fid) => ({ fid, memberAt: 6 })) }
    }
  }
  const get = async (path: string, { channelId }: Record<string, unknown>) => ({
    result: reply(path, String(channelId)),
  })
  return { get, wellFormed: (entries: readonly unknown[]) => entries } as unknown as PublicApi
}
