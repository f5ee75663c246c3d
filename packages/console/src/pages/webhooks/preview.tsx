import { Button, Group, Stack, Text } from '@mantine/core'
import type { Schemas } from '../../api'
import { formatCount } from '../../parts/format'
import { Json } from '../../parts/json'
import { Problem } from '../../parts/problem'
import { Time } from '../../parts/time'
import { type Subscription, usePreview } from './requests'

/** Events of the last three days that the filters match. It costs the server up to three seconds: on demand only. */
export function Preview({ subscription, isValid }: { subscription: Subscription; isValid: boolean }) {
  const preview = usePreview()
  const isEmpty = Object.keys(subscription).length === 0
  const isCurrent = JSON.stringify(preview.variables) === JSON.stringify(subscription)
  return (
    <Stack gap="xs" aria-live="polite">
      <Group>
        <Button
          variant="default"
          disabled={isEmpty || !isValid}
          loading={preview.isPending}
          onClick={() => preview.mutate(subscription)}
        >
          Preview the last three days
        </Button>
        {isEmpty && (
          <Text size="sm" c="dimmed">
            Select events first.
          </Text>
        )}
      </Group>
      <Problem error={preview.error} isRead />
      {preview.data && !preview.isPending && (
        <>
          {!isCurrent && (
            <Text size="sm" fw={600}>
              The filters have changed since this preview.
            </Text>
          )}
          <Matches preview={preview.data} />
        </>
      )}
    </Stack>
  )
}

function Matches({ preview }: { preview: Schemas['WebhookPreviewResponse'] }) {
  const { matched, matched_by_type, looked_at, complete, since, samples } = preview
  return (
    <Stack gap="xs">
      <Text size="sm">
        {`${formatCount(matched)} of ${formatCount(looked_at)} events match`}
        {matched > 0 &&
          `: ${Object.entries(matched_by_type)
            .map(([type, count]) => `${formatCount(count)} ${type}`)
            .join(', ')}`}
        .{' '}
        {!complete && since !== null && (
          <>
            It came back to <Time at={since} /> in the time that it may take.
          </>
        )}
      </Text>
      {samples.map(({ type, event_id, data }) => (
        <details key={event_id}>
          <summary>{sampleTitle(type, data)}</summary>
          <Json label={`Sample ${event_id}`} value={data} />
        </details>
      ))}
    </Stack>
  )
}

const MAX_TITLE_LENGTH = 100

/** The text of a cast, or else who did it. */
function sampleTitle(type: string, data: unknown): string {
  const { text, username, author, user } = (data ?? {}) as Record<string, unknown> & {
    readonly author?: { readonly username?: string }
    readonly user?: { readonly username?: string }
  }
  const name = author?.username ?? user?.username ?? username
  const parts = [name, text].filter((part) => typeof part === 'string' && part !== '')
  // By whole characters: half of an emoji is no text.
  return `${type} ${[...parts.join(': ')].slice(0, MAX_TITLE_LENGTH).join('')}`.trim()
}
