import { Avatar, Badge, Box, Group, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import type { Schemas } from '../api'
import { AnchorLink } from './link'

/** Fields of a user in lists. */
export type ShownUser = Pick<
  Schemas['UserDehydrated'],
  'fid' | 'username' | 'display_name' | 'pfp_url' | 'score'
>

/** The picture of a user; only addresses with https are loaded. */
export function Picture({ user, size = 36 }: { user: ShownUser; size?: number }) {
  return (
    <Avatar
      src={secureUrl(user.pfp_url)}
      alt=""
      size={size}
      imageProps={{ loading: 'lazy', referrerPolicy: 'no-referrer' }}
      aria-hidden
    >
      {firstCharacter(user.display_name ?? nameOf(user).replace('@', '')).toUpperCase()}
    </Avatar>
  )
}

/** A whole one: half of an emoji is no text. */
function firstCharacter(text: string): string {
  return [...text][0] ?? ''
}

/** The address, if it is one with https. */
export function secureUrl(url: string | null | undefined): string | null {
  return url && URL.canParse(url) && new URL(url).protocol === 'https:' ? url : null
}

/** The name of a user: its username, or its fid without one, which replies write as `!3`. */
export function nameOf({ username, fid }: ShownUser): string {
  return username && !username.startsWith('!') ? `@${username}` : `fid ${fid}`
}

/** A user in a list, with a link to its profile. */
export function UserLine({ user, children }: { user: ShownUser; children?: ReactNode }) {
  return (
    <Group wrap="nowrap" gap="sm" py={6} justify="space-between">
      <Group wrap="nowrap" gap="sm" miw={0}>
        <Picture user={user} />
        <Box miw={0}>
          <Text size="sm" truncate>
            <UserLink user={user} /> {user.display_name}
          </Text>
          {nameOf(user).startsWith('@') && (
            <Text size="xs" c="dimmed">
              fid {user.fid}
            </Text>
          )}
        </Box>
      </Group>
      <Group wrap="nowrap" gap="xs">
        {user.score !== undefined && (
          <Badge variant="default" visibleFrom="xs">
            score {user.score.toFixed(2)}
          </Badge>
        )}
        {children}
      </Group>
    </Group>
  )
}

/** A link to the profile of a user. */
export function UserLink({ user }: { user: ShownUser }) {
  return (
    <AnchorLink to="/users/$fid" params={{ fid: String(user.fid) }} size="sm" underline="always">
      {nameOf(user)}
    </AnchorLink>
  )
}
