import {
  CastingMode,
  CastType,
  ChannelMemberAction,
  ChannelModerateAction,
  ChannelOwnerChangeCause,
  ChannelRegisterEventType,
  castingModeToJSON,
  castTypeToJSON,
  channelMemberActionToJSON,
  channelModerateActionToJSON,
  channelOwnerChangeCauseToJSON,
  channelRegisterEventTypeToJSON,
  FarcasterNetwork,
  farcasterNetworkToJSON,
  HashScheme,
  HubEventType,
  hashSchemeToJSON,
  hubEventTypeToJSON,
  MembershipMode,
  MessageType,
  membershipModeToJSON,
  messageTypeToJSON,
  OnChainEventType,
  onChainEventTypeToJSON,
  Protocol,
  protocolToJSON,
  ReactionType,
  reactionTypeToJSON,
  SignatureScheme,
  SignerEventType,
  signatureSchemeToJSON,
  signerEventTypeToJSON,
  UserDataType,
  UserNameType,
  userDataTypeToJSON,
  userNameTypeToJSON,
} from '../../../protocol/definitions.js'

/** The names of one of the protocol's enums in the hub API, by number (docs/protocol.md §1.1-1.2). */
export type Names = readonly (string | undefined)[]

/** The name of a value; its number as text when it has no name. */
export function nameOf(names: Names, value: number): string {
  return names[value] ?? String(value)
}

/** The value of a name, or of a number as text; undefined when there is none. */
export function enumValue(names: Names, text: string): number | undefined {
  const value = /^\d{1,3}$/.test(text) ? Number(text) : names.indexOf(text)
  return names[value] === undefined ? undefined : value
}

/** The names of an enum, in full. */
function namesOf<Value extends number>(
  values: Readonly<Record<string, Value | string>>,
  toJson: (value: Value) => string,
): Names {
  const names: (string | undefined)[] = []
  for (const value of Object.values(values)) if (typeof value === 'number') names[value] = toJson(value)
  return names
}

export const hubEventTypeNames = namesOf(HubEventType, hubEventTypeToJSON)

export const messageTypeNames = namesOf(MessageType, messageTypeToJSON)

export const networkNames = namesOf(FarcasterNetwork, farcasterNetworkToJSON)
export const hashSchemeNames = namesOf(HashScheme, hashSchemeToJSON)
export const signatureSchemeNames = namesOf(SignatureScheme, signatureSchemeToJSON)
export const castTypeNames = namesOf(CastType, castTypeToJSON)
export const reactionTypeNames = namesOf(ReactionType, reactionTypeToJSON)
export const userDataTypeNames = namesOf(UserDataType, userDataTypeToJSON)
export const protocolNames = namesOf(Protocol, protocolToJSON)
export const usernameTypeNames = namesOf(UserNameType, userNameTypeToJSON)
export const channelRegisterEventTypeNames = namesOf(ChannelRegisterEventType, channelRegisterEventTypeToJSON)
export const channelOwnerChangeCauseNames = namesOf(ChannelOwnerChangeCause, channelOwnerChangeCauseToJSON)
export const castingModeNames = namesOf(CastingMode, castingModeToJSON)
export const membershipModeNames = namesOf(MembershipMode, membershipModeToJSON)
export const channelMemberActionNames = namesOf(ChannelMemberAction, channelMemberActionToJSON)
export const channelModerateActionNames = namesOf(ChannelModerateAction, channelModerateActionToJSON)
/** The states of members, by number. Their definitions are those of requests, which have no names in full. */
export const channelMemberStateNames = ['NONE', 'MEMBER', 'MODERATOR', 'REMOVED', 'BANNED'].map(
  (name) => `CHANNEL_MEMBER_STATE_${name}`,
)
export const signerEventTypeNames = namesOf(SignerEventType, signerEventTypeToJSON)

export const onChainEventTypeNames = namesOf(OnChainEventType, onChainEventTypeToJSON)

// The reference node spells these differently from the library.
export const storeTypeNames: Names = [
  'None',
  'Casts',
  'Links',
  'Reactions',
  'UserData',
  'Verifications',
  'UsernameProofs',
  // The JSON of the reference node does not know the type of lends.
  'None',
]
export const storageUnitTypeNames: Names = ['UnitTypeLegacy', 'UnitType2024', 'UnitType2025']
export const idRegisterEventTypeNames: Names = ['None', 'Register', 'Transfer', 'ChangeRecovery']
export const tierTypeNames: Names = ['None', 'Pro']
