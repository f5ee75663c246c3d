import type { FieldSpec, MessageSpec, Scalar } from './schema.js'

/** Fields as `number name:type`; a trailing `?` is optional, `[]` repeated, `@x` a member of oneof x. */
function define(text: string, types: Readonly<Record<string, MessageSpec>> = {}): MessageSpec {
  const fields: Record<number, FieldSpec> = {}
  for (const part of text.trim().split(/\s*\n\s*/)) {
    const match = /^(\d+) (\w+):(\w+)(\?|\[\])?(?:@(\w+))?$/.exec(part)
    if (match === null) throw new Error(`not a field: ${part}`)
    const [, number, name, typeName, mark, oneof] = match
    const type = types[typeName!] ?? (typeName as Scalar)
    fields[Number(number)] = {
      name: name!,
      type,
      ...(mark === '?' ? { label: 'optional' } : mark === '[]' ? { label: 'repeated' } : {}),
      ...(oneof === undefined ? {} : { oneof }),
    }
  }
  return { fields }
}

const CastId = define(`1 fid:u64
  2 hash:bytes`)

const Embed = define(
  `1 url:string@embed
  2 castId:CastId@embed`,
  { CastId },
)

const CastAdd = define(
  `1 embedsDeprecated:string[]
  2 mentions:u64[]
  3 parentCastId:CastId@parent
  7 parentUrl:string@parent
  4 text:string
  5 mentionsPositions:u32[]
  6 embeds:Embed[]
  8 type:i32`,
  { CastId, Embed },
)

const CastRemove = define('1 targetHash:bytes')

const Reaction = define(
  `1 type:i32
  2 targetCastId:CastId@target
  3 targetUrl:string@target`,
  { CastId },
)

const VerificationAdd = define(`1 address:bytes
  2 claimSignature:bytes
  3 blockHash:bytes
  4 verificationType:u32
  5 chainId:u32
  7 protocol:i32`)

const VerificationRemove = define(`1 address:bytes
  2 protocol:i32`)

const UserData = define(`1 type:i32
  2 value:string`)

const Link = define(`1 type:string
  2 displayTimestamp:u32?
  3 targetFid:u64@target`)

const UserNameProof = define(`1 timestamp:u64
  2 name:bytes
  3 owner:bytes
  4 signature:bytes
  5 fid:u64
  6 type:i32`)

const FrameAction = define(
  `1 url:bytes
  2 buttonIndex:u32
  3 castId:CastId
  4 inputText:bytes
  5 state:bytes
  6 transactionId:bytes
  7 address:bytes`,
  { CastId },
)

const LinkCompactState = define(`1 type:string
  2 targetFids:u64[]`)

const LendStorage = define(`1 toFid:u64
  2 numUnits:u64
  3 unitType:i32`)

const KeyAdd = define(`1 key:bytes
  2 keyType:u32
  3 custodySignature:bytes
  4 deadline:u32
  5 nonce:u32
  6 metadata:bytes
  7 metadataType:u32
  8 registrationTxHash:bytes
  9 scopes:i32[]
  10 ttl:u32`)

const KeyRemove = define(`1 key:bytes
  2 signature:bytes
  3 signatureType:u32
  4 deadline:u32
  5 nonce:u32`)

const ChannelUpdate = define(`1 channelId:bytes
  2 name:string?
  3 description:string?
  4 imageUrl:string?
  5 header:string?
  6 rules:string?
  7 castingMode:i32?
  8 membershipMode:i32?`)

const ChannelMember = define(`1 channelId:bytes
  2 fid:u64
  3 action:i32`)

const ChannelPin = define(`1 channelId:bytes
  2 castHash:bytes`)

const ChannelModerate = define(`1 channelId:bytes
  2 castHash:bytes
  3 action:i32`)

/** `MessageData` (docs/protocol.md §3.1), with the bodies of channels. */
export const MessageDataSpec = define(
  `1 type:i32
  2 fid:u64
  3 timestamp:u32
  4 network:i32
  5 castAdd:CastAdd@body
  6 castRemove:CastRemove@body
  7 reaction:Reaction@body
  9 verificationAdd:VerificationAdd@body
  10 verificationRemove:VerificationRemove@body
  12 userData:UserData@body
  14 link:Link@body
  15 usernameProof:UserNameProof@body
  16 frameAction:FrameAction@body
  17 linkCompactState:LinkCompactState@body
  18 lendStorage:LendStorage@body
  19 keyAdd:KeyAdd@body
  20 keyRemove:KeyRemove@body
  21 channelUpdate:ChannelUpdate@body
  22 channelMember:ChannelMember@body
  23 channelPin:ChannelPin@body
  24 channelModerate:ChannelModerate@body`,
  {
    CastAdd,
    CastRemove,
    Reaction,
    VerificationAdd,
    VerificationRemove,
    UserData,
    Link,
    UserNameProof,
    FrameAction,
    LinkCompactState,
    LendStorage,
    KeyAdd,
    KeyRemove,
    ChannelUpdate,
    ChannelMember,
    ChannelPin,
    ChannelModerate,
  },
)

/** `Message` (docs/protocol.md §3.1). */
export const EnvelopeSpec = define(
  `1 data:MessageData
  2 hash:bytes
  3 hashScheme:i32
  4 signature:bytes
  5 signatureScheme:i32
  6 signer:bytes
  7 dataBytes:bytes?`,
  { MessageData: MessageDataSpec },
)
