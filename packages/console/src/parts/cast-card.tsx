import { Anchor, Badge, Box, Group, Image, Paper, Stack, Text, VisuallyHidden } from '@mantine/core'
import type { ReactNode } from 'react'
import type { Schemas } from '../api'
import { AnchorLink } from './link'
import { Time } from './time'
import { nameOf, Picture, secureUrl, UserLink } from './user-line'

/** A cast with its embeds and a link to its thread. */
export function CastCard({
  cast,
  isShown = false,
  depth = 0,
  children,
}: {
  cast: Schemas['Cast']
  /** Whether the page is about this cast. */
  isShown?: boolean
  /** Number of casts between it and the one that the page is about. */
  depth?: number
  children?: ReactNode
}) {
  return (
    <Box pb="xs" pl={depth * 20}>
      <Paper
        component="article"
        withBorder
        p="sm"
        aria-label={`Cast of ${nameOf(cast.author)}`}
        aria-current={isShown ? 'true' : undefined}
        bd={isShown ? '2px solid var(--mantine-primary-color-filled)' : undefined}
      >
        <Stack gap={6}>
          <Group gap="xs" wrap="nowrap" justify="space-between">
            <Group gap="xs" wrap="nowrap" miw={0}>
              <Picture user={cast.author} size={24} />
              <UserLink user={cast.author} />
            </Group>
            <AnchorLink to="/casts/$hash" params={{ hash: cast.hash }} size="xs">
              <VisuallyHidden>Thread of this cast of {nameOf(cast.author)}, </VisuallyHidden>
              <Time at={cast.timestamp} />
            </AnchorLink>
          </Group>
          <Text size="sm" style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
            {cast.text}
          </Text>
          <Embeds embeds={cast.embeds} />
          <Group gap="xs">
            <Text size="xs" c="dimmed">
              {counts(cast)}
            </Text>
            {cast.channel && (
              <Badge variant="default" size="sm">
                {cast.channel.id}
              </Badge>
            )}
            {children}
          </Group>
        </Stack>
      </Paper>
    </Box>
  )
}

function counts({ reactions, replies }: Schemas['Cast']): string {
  return `${replies.count} replies · ${reactions.likes_count} likes · ${reactions.recasts_count} recasts`
}

function Embeds({ embeds }: { embeds: Schemas['Cast']['embeds'] }) {
  return (
    <>
      {embeds.map((embed) =>
        'url' in embed ? (
          <EmbeddedUrl key={embed.url} embed={embed} />
        ) : (
          <EmbeddedCast key={embed.cast.hash} cast={embed.cast} />
        ),
      )}
    </>
  )
}

/** A picture is shown if it comes with https; anything else is a link. */
function EmbeddedUrl({ embed: { url, metadata } }: { embed: Schemas['EmbedUrl'] }) {
  const picture = metadata?.content_type?.startsWith('image/') ? secureUrl(url) : null
  if (picture !== null)
    return (
      <Image
        src={picture}
        alt={`Embedded picture ${url}`}
        mah={240}
        w="auto"
        maw="100%"
        fit="contain"
        radius="sm"
        loading="lazy"
        referrerPolicy="no-referrer"
      />
    )
  const isWeb = /^https?:/.test(url)
  return (
    <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
      {isWeb ? (
        <Anchor href={url} target="_blank" rel="noreferrer noopener" size="sm">
          {url}
        </Anchor>
      ) : (
        url
      )}
    </Text>
  )
}

function EmbeddedCast({ cast }: { cast: Schemas['EmbedCast']['cast'] }) {
  return (
    <Paper withBorder p="xs" bg="var(--mantine-color-default-hover)">
      <Text size="xs">
        <AnchorLink to="/casts/$hash" params={{ hash: cast.hash }} size="xs">
          Quoted cast
        </AnchorLink>
      </Text>
      {'text' in cast && (
        <Text size="sm" style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
          {cast.text}
        </Text>
      )}
    </Paper>
  )
}
