import { Type } from '@sinclair/typebox'
import { flag, integer, text } from './variable.js'

/** The node that is followed. */
export const upstreamVariables = {
  UPSTREAM_HUB: Type.Optional(
    text({
      pattern:
        '^(\\[[0-9A-Fa-f:.]+\\]|[^\\s,:/@\\[\\]]+):\\d{1,5}(\\s*,\\s*(\\[[0-9A-Fa-f:.]+\\]|[^\\s,:/@\\[\\]]+):\\d{1,5})*$',
      patternText: 'pairs like `node.example:3383`, separated by commas',
      description:
        'Nodes of the network, or other servers like this one, to follow over gRPC: the first, and the next one ' +
        'when it does not answer. Unset: nothing is followed.',
    }),
  ),
  UPSTREAM_TLS: flag({ default: false, description: 'Whether upstreams are reached by TLS.' }),
  UPSTREAM_HEADERS: Type.Optional(
    text({
      pattern: '^[A-Za-z0-9-]+=[\\x20-\\x2b\\x2d-\\x7e]+(,\\s*[A-Za-z0-9-]+=[\\x20-\\x2b\\x2d-\\x7e]+)*$',
      patternText: 'pairs like `x-api-key=secret`, separated by commas',
      secret: true,
      description: 'Sent with every call to an upstream: keys of hosted nodes.',
    }),
  ),
  UPSTREAM_TRUSTED: flag({
    default: false,
    description:
      "Whether the upstreams are one's own: signatures that they have verified are then not verified again.",
  }),
  SYNC_FIDS: Type.Optional(
    text({
      pattern: '^\\d{1,15}(\\s*,\\s*\\d{1,15})*$',
      patternText: 'fids, separated by commas',
      description:
        'Users that are followed of the upstream, and nobody else but those of `SYNC_CHANNELS`. Both unset: everybody.',
    }),
  ),
  SYNC_CHANNELS: Type.Optional(
    text({
      pattern: '^[^\\s,]+(\\s*,\\s*[^\\s,]+)*$',
      patternText: 'ids or parent URLs of channels, separated by commas',
      description: 'Channels whose authors are followed of the upstream.',
    }),
  ),
  SYNC_INCLUDE_NEIGHBORS: flag({
    default: false,
    description:
      'Whether whom the users of `SYNC_FIDS` follow, and who reacts or replies to them, is followed, too.',
  }),
  FNAME_REGISTRY_URL: Type.Optional(
    text({
      pattern: '^https?://[^\\s/?#]+(/[^\\s?#]*)?$',
      patternText: 'an address like `https://fnames.farcaster.xyz`',
      description:
        'The registry whose transfers of fnames are imported. Unset: names come with the upstream alone.',
    }),
  ),
  FNAME_REGISTRY_SIGNER: text({
    pattern: '^0x[0-9a-fA-F]{40}$',
    patternText: 'an address like `0xBc52…`',
    default: '0xBc5274eFc266311015793d89E9B591fa46294741',
    description: 'The address that the registry of fnames signs with; what another one signed is refused.',
  }),
  CLIENT_API_URL: Type.Optional(
    text({
      pattern: '^https?://[^\\s/?#]+(/[^\\s?#]*)?$',
      patternText: 'an address like `https://api.farcaster.xyz`',
      description:
        'The public API of the client that keeps channels and verified accounts, which are imported from it; the ' +
        'followers and members of those in `SYNC_CHANNELS`, too. Unset: neither is imported.',
    }),
  ),
  RECONCILE_FIDS_PER_MINUTE: integer({
    minimum: 0,
    maximum: 100_000,
    default: 60,
    description:
      'How many users are compared with the upstream in a minute, one after the other and then again, while it is ' +
      'followed; 0 compares only those of whom something may be missing.',
  }),
}
