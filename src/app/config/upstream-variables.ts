import { Type } from '@sinclair/typebox'
import { flag, integer, text } from './variable.js'

/** Variables of the sync with the network. */
export const upstreamVariables = {
  UPSTREAM_HUB: Type.Optional(
    text(
      'Nodes of the network, or other Plaza servers, to sync from over gRPC. The first is used, the next one ' +
        'when it fails. Set it for all processes: each tells by it whether the role `sync` has work, and those with ' +
        'the role `api` whether the console can start a comparison. Unset: sync is off.',
      {
        pattern:
          '^(\\[[0-9A-Fa-f:.]+\\]|[^\\s,:/@\\[\\]]+):\\d{1,5}(\\s*,\\s*(\\[[0-9A-Fa-f:.]+\\]|[^\\s,:/@\\[\\]]+):\\d{1,5})*$',
        patternText: 'pairs like `node.example:3383`, separated by commas',
      },
    ),
  ),
  UPSTREAM_TLS: flag('Uses TLS for connections to upstreams.', false),
  UPSTREAM_HEADERS: Type.Optional(
    text('Headers for every call to an upstream, such as the API key of a hosted node.', {
      pattern: '^[A-Za-z0-9-]+=[\\x20-\\x2b\\x2d-\\x7e]+(,\\s*[A-Za-z0-9-]+=[\\x20-\\x2b\\x2d-\\x7e]+)*$',
      patternText: 'pairs like `x-api-key=secret`, separated by commas',
      secret: true,
    }),
  ),
  UPSTREAM_TRUSTED: flag(
    'Skips the verification of signatures of messages from upstreams. Set it only for upstreams of your own.',
    false,
  ),
  PUBLISH_UPSTREAM: flag(
    'Sends what apps publish on this server to the upstream, and so to the network. It cannot be taken back. Needs ' +
      '`UPSTREAM_HUB`, for all processes. Without it, what is published here stays here.',
    false,
  ),
  SYNC_CHECK_CLAIMS: flag(
    'Asks chains about ENS names, basenames and contract wallets in synced and imported messages, too. Without it, ' +
      'upstreams and archives are trusted in this. Needs the RPC URLs of Ethereum, Base and OP Mainnet.',
    false,
  ),
  SYNC_FIDS: Type.Optional(
    text(
      'Users to sync. All others, except authors in `SYNC_CHANNELS`, are left out. Both unset: the whole ' +
        'network.',
      { pattern: '^\\d{1,15}(\\s*,\\s*\\d{1,15})*$', patternText: 'fids, separated by commas' },
    ),
  ),
  SYNC_CHANNELS: Type.Optional(
    text('Channels whose authors are synced.', {
      pattern: '^[^\\s,]+(\\s*,\\s*[^\\s,]+)*$',
      patternText: 'ids or parent URLs of channels, separated by commas',
    }),
  ),
  SYNC_INCLUDE_NEIGHBORS: flag(
    'Also syncs the users whom those of `SYNC_FIDS` follow, and users who react or reply to them.',
    false,
  ),
  FNAME_REGISTRY_URL: Type.Optional(
    text(
      'Fname registry whose name transfers are imported. Set it for all processes, as `UPSTREAM_HUB`. Unset: names come ' +
        'only from the upstream.',
      {
        pattern: '^https?://[^\\s/?#@]+(/[^\\s?#]*)?$',
        patternText: 'a URL like `https://fnames.farcaster.xyz`',
      },
    ),
  ),
  FNAME_REGISTRY_SIGNER: text(
    'Address that signs for the fname registry. Transfers with other signatures are refused.',
    {
      pattern: '^0x[0-9a-fA-F]{40}$',
      patternText: 'an address like `0xBc52…`',
      default: '0xBc5274eFc266311015793d89E9B591fa46294741',
    },
  ),
  CLIENT_API_URL: Type.Optional(
    text(
      'Public API of the Farcaster client, from which channels and verified accounts are imported, and ' +
        'followers and members of the channels in `SYNC_CHANNELS`. Set it for all processes, as `UPSTREAM_HUB`. Unset: ' +
        'neither is imported.',
      {
        pattern: '^https?://[^\\s/?#@]+(/[^\\s?#]*)?$',
        patternText: 'a URL like `https://api.farcaster.xyz`',
      },
    ),
  ),
  RECONCILE_FIDS_PER_MINUTE: integer(
    'Users per minute that are compared with the upstream while it is synced, in a cycle. 0 compares only ' +
      'users with known gaps.',
    { minimum: 0, maximum: 100_000, default: 60 },
  ),
}
