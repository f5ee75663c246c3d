import { Alert, Group, Stack, Text } from '@mantine/core'
import { formatCount } from '../../parts/format'
import type { AudienceCounts, AudienceMap } from './requests'

const reasonTexts: Readonly<Record<string, string>> = {
  no_token: 'without a token',
  disabled: 'with disabled notifications',
  invalid: 'with a token that has ended',
  excluded: 'left out by their fid',
  not_following: 'who do not follow',
  low_score: 'with a lower score',
  not_near: 'who are not near',
  repeated: 'notified with the same uuid before',
  rate_limited: 'notified too often',
}

/** The size of an audience, and who is left out. */
export function AudienceResult({ counts, map }: { counts: AudienceCounts; map: AudienceMap }) {
  const { tokens, users, delivery, clients, left_out } = counts
  return (
    <Alert
      color={tokens === 0 ? 'yellow' : 'indigo'}
      role="status"
      title={`${formatCount(tokens)} tokens of ${formatCount(users)} users`}
    >
      <Stack gap="xs">
        <Text size="sm">
          {delivery === 'queued'
            ? 'It is queued as a campaign and sent by a worker.'
            : 'It is sent at once; the request waits for the clients.'}{' '}
          {map.complete ? '' : 'The map shows the first 100,000 users.'}
        </Text>
        {clients.map(({ app_fid, tokens: count }) => (
          <Line
            key={app_fid}
            name={app_fid === 0 ? 'Client not named' : `Client fid ${app_fid}`}
            count={count}
          />
        ))}
        {left_out.map(({ reason, tokens: count }) => (
          <Line key={reason} name={`Left out: ${reasonTexts[reason] ?? reason}`} count={count} />
        ))}
      </Stack>
    </Alert>
  )
}

function Line({ name, count }: { name: string; count: number }) {
  return (
    <Group justify="space-between" wrap="nowrap" maw={420}>
      <Text size="sm">{name}</Text>
      <Text size="sm" fw={600}>
        {formatCount(count)}
      </Text>
    </Group>
  )
}
