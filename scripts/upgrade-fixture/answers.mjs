/**
 * The requests whose answers are recorded: for each caller the paths. `hub` has no key, `admin` the admin token. Requests whose
 * answer depends on the time of the request are not here: trends, suggestions, best friends, storage that is left.
 */
export function requestsOf(filled, { casts, users }) {
  const { people, apps } = filled
  const viewers = [3, 20, 61, people.alice.fid]
  return {
    reader: [
      ...chunks(users, 100).flatMap((fids) => [bulkOf(fids), `${bulkOf(fids)}&viewer_fid=3`]),
      ...requestsForLists(people),
      ...viewers.flatMap(requestsOfUser),
      ...requestsForCasts(casts),
    ],
    writer: requestsOfWriter(filled),
    hub: requestsOfHub(people),
    admin: ['apps?limit=100', ...Object.values(apps).map((id) => `apps/${id}/keys?limit=100`)],
  }
}

function bulkOf(fids) {
  return `user/bulk?fids=${fids.join(',')}`
}

function requestsForLists({ alice, bob, maker }) {
  return [
    'user/by_username?username=kite',
    'user/by_username?username=alice-of-old&viewer_fid=1',
    `user/custody-address?custody_address=${maker.custody}`,
    `user/verifications?fid=1`,
    'user/search?q=a&limit=10',
    'user/search?q=alice&limit=10&viewer_fid=3',
    'user/by_location?latitude=52.5&longitude=13.4&limit=100',
    'channel?id=gardens',
    'channel?id=gardens&viewer_fid=1',
    'channel/bulk?ids=gardens,music',
    'channel/list?limit=100',
    'channel/search?q=gar',
    'channel/followers?id=gardens&limit=100',
    'channel/member/list?channel_id=gardens&limit=100',
    'channel/member/invite/list?channel_id=gardens&limit=100',
    `channel/user?fid=${bob.fid}&limit=100`,
    'feed/channels?channel_ids=gardens&limit=100',
    'feed?feed_type=filter&filter_type=fids&fids=1,2,3&limit=100',
    'cast/search?q=coffee&limit=100',
    'cast/search?q=coffee&limit=2',
    'user/search?q=a&limit=3',
    'channel/list?limit=1',
    'feed/channels?channel_ids=gardens&limit=100&members_only=false',
    'cast/search?q=tulips&limit=100&viewer_fid=1',
    'fname/availability?fname=alice-of-old',
    'fname/availability?fname=nobody-yet',
    `notifications/channel?fid=${alice.fid}&channel_ids=gardens`,
  ]
}

function requestsOfUser(fid) {
  return [
    `feed/following?fid=${fid}&limit=100`,
    `feed/following?fid=${fid}&limit=3`,
    `feed/user/casts?fid=${fid}&limit=3`,
    `followers?fid=${fid}&limit=3`,
    `following?fid=${fid}&limit=3`,
    `notifications?fid=${fid}&limit=3`,
    `reactions/user?fid=${fid}&type=all&limit=3`,
    `feed?fid=${fid}&limit=50`,
    `feed/user/casts?fid=${fid}&limit=150`,
    `feed/user/casts?fid=${fid}&limit=50&viewer_fid=2`,
    `feed/user/popular?fid=${fid}`,
    `feed/user/replies_and_recasts?fid=${fid}&limit=50`,
    `followers?fid=${fid}&limit=100`,
    `following?fid=${fid}&limit=100&viewer_fid=2`,
    `followers/reciprocal?fid=${fid}&limit=100`,
    `followers/relevant?target_fid=${fid}&viewer_fid=2`,
    `reactions/user?fid=${fid}&type=all&limit=100`,
    `notifications?fid=${fid}&limit=25`,
    `notifications?fid=${fid}&type=replies&limit=25`,
    `mute/list?fid=${fid}&limit=100`,
    `block/list?blocker_fid=${fid}&limit=100`,
    `user/memberships/list?fid=${fid}&limit=100`,
    `user/channels?fid=${fid}&limit=100`,
  ]
}

function requestsForCasts(casts) {
  return [
    ...chunks(casts, 100).map((hashes) => `casts?casts=${hashes.join(',')}&viewer_fid=3`),
    ...casts
      .slice(0, 12)
      .flatMap((hash) => [
        `cast/conversation?identifier=${hash}&type=hash&reply_depth=3&include_chronological_parent_casts=true`,
        `reactions/cast?hash=${hash}&types=all&limit=100`,
        `cast/quotes?identifier=${hash}&type=hash&limit=100`,
      ]),
  ]
}

function requestsOfWriter({ people, signers, webhooks }) {
  return [
    'ban/list',
    'webhook/list',
    ...webhooks.map(({ id }) => `webhook?webhook_id=${id}`),
    // What is retried depends on the time.
    ...webhooks
      .filter(({ name }) => name !== 'broken')
      .map(({ id }) => `webhook/deliveries?webhook_id=${id}&limit=100`),
    ...Object.values(signers)
      .filter(({ signer_uuid }) => signer_uuid !== undefined)
      .map(({ signer_uuid }) => `signer?signer_uuid=${signer_uuid}`),
    `signer?signer_uuid=${people.registered.signer_uuid}`,
    `signer/developer_managed?public_key=${signers.developerKey}`,
    'frame/notification_tokens?limit=100',
    'frame/notifications?limit=100',
    bulkOf([20, 31, people.registered.fid]),
    // Bans of the app count.
    'feed?feed_type=filter&filter_type=fids&fids=3,20,31&limit=100',
    'followers?fid=3&limit=100',
  ]
}

function requestsOfHub({ alice, bob, carol, maker }) {
  return [
    'fids?pageSize=1000&shard_id=1',
    'info',
    ...[1, 2, 3, maker.fid, alice.fid, bob.fid, carol.fid].flatMap((fid) => [
      `castsByFid?fid=${fid}`,
      `reactionsByFid?fid=${fid}&reaction_type=Like`,
      `reactionsByFid?fid=${fid}&reaction_type=Recast`,
      `linksByFid?fid=${fid}`,
      `linksByTargetFid?target_fid=${fid}&link_type=follow`,
      `userDataByFid?fid=${fid}`,
      `verificationsByFid?fid=${fid}`,
      `userNameProofsByFid?fid=${fid}`,
      `onChainSignersByFid?fid=${fid}`,
      `onChainEventsByFid?fid=${fid}&event_type=EVENT_TYPE_STORAGE_RENT`,
      `castsByMention?fid=${fid}`,
    ]),
    'userNameProofByName?name=alice-of-old',
    'events?from_event_id=0&pageSize=1000',
    'events?reverse=1&pageSize=1000',
  ]
}

const PREFIXES = { reader: '/v2/social/', writer: '/v2/social/', hub: '/v1/', admin: '/admin/' }

/** Sends each request, and one for the second page if there is one. Returns status and body by caller and path. */
export async function record(url, requests, headers) {
  const answers = {}
  for (const [caller, paths] of Object.entries(requests)) {
    answers[caller] = {}
    const ask = async (path) => {
      const response = await fetch(`${url}${PREFIXES[caller]}${path}`, { headers: headers[caller] })
      answers[caller][path] = { status: response.status, body: await response.json() }
      return answers[caller][path].body
    }
    for (const path of paths) {
      const { next, result } = await ask(path)
      const cursor = (next ?? result?.next)?.cursor
      if (cursor) await ask(`${path}&cursor=${encodeURIComponent(cursor)}`)
    }
  }
  return answers
}

function chunks(items, size) {
  const found = []
  for (let start = 0; start < items.length; start += size) found.push(items.slice(start, start + size))
  return found
}
