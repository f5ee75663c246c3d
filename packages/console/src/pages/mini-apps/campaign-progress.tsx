import { Badge, Progress, Stack, Text } from '@mantine/core'
import { formatCount } from '../../parts/format'
import type { Campaign } from './requests'

const colors: Readonly<Record<Campaign['status'], string>> = {
  queued: 'yellow',
  running: 'blue',
  completed: 'green',
  failed: 'red',
  canceled: 'gray',
}

/** The state of a campaign. */
export function CampaignState({ campaign: { status } }: { campaign: Campaign }) {
  return (
    <Badge variant="dot" color={colors[status]}>
      {status}
    </Badge>
  )
}

/** How far a campaign is, by outcome. */
export function CampaignProgress({ campaign: { status, title, stats } }: { campaign: Campaign }) {
  if (status === 'queued') return <Text size="sm">The audience is being selected.</Text>
  const all = stats.intended_recipient_notification_token_count
  const parts = [
    { label: 'sent', count: stats.successful_sends, color: 'green' },
    { label: 'failed', count: stats.failure_count, color: 'red' },
    { label: 'not tried', count: stats.not_attempted_count, color: 'gray' },
  ]
  const words = [
    ...parts.filter(({ count, label }) => count > 0 || label === 'sent'),
    ...(stats.pending_count > 0 ? [{ label: 'waiting', count: stats.pending_count }] : []),
  ].map(({ label, count }) => `${formatCount(count)} ${label}`)
  return (
    <Stack gap={4}>
      <Text size="sm">{`${words.join(', ')} of ${formatCount(all)}`}</Text>
      <Progress.Root aria-hidden>
        {parts.map(({ label, count, color }) => (
          <Progress.Section
            key={label}
            value={(count / Math.max(1, all)) * 100}
            color={color}
            aria-label={`${title}: ${label}`}
          />
        ))}
      </Progress.Root>
    </Stack>
  )
}
