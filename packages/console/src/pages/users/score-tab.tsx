import { Group, Stack, Table, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { api, dataOf, type Schemas } from '../../api'
import { Empty, Loaded } from '../../parts/page'
import { Time } from '../../parts/time'
import { WideTable } from '../../parts/wide-table'

/** Why a user has its score. */
export function ScoreTab({ fid }: { fid: number }) {
  const query = useQuery({
    queryKey: ['users', fid, 'score'],
    queryFn: () => dataOf(api.GET('/admin/users/{fid}/score', { params: { path: { fid } } })),
  })
  return <Loaded query={query}>{({ explanation }) => <Explanation explanation={explanation} />}</Loaded>
}

function Explanation({ explanation }: { explanation: Schemas['ScoreExplanation'] }) {
  const { score, computed_at, is_complete, read_up_to, followers, neighborhood } = explanation
  return (
    <Stack>
      {score === null ? (
        <Empty title="There is no score yet">
          It is computed with the scores of all accounts: plaza score does it now. Below is what it will be
          computed from.
        </Empty>
      ) : (
        <Group align="baseline">
          <Text size="xl" fw={700}>
            {score.toFixed(3)}
          </Text>
          <Text size="sm" c="dimmed">
            the probability that this is no spam, computed <Time at={computed_at} />
          </Text>
        </Group>
      )}
      <Parts explanation={explanation} />
      <Title order={2} size="h4">
        Neighborhood
      </Title>
      <Text size="sm">Followers: {bands(followers)}.</Text>
      <Text size="sm">
        Accounts that it follows or likes: {bands(neighborhood.endorsed)}; {neighborhood.mutual} follow back.
      </Text>
      <Text size="sm" c="dimmed">
        Signals and neighborhood are those of now, the score is older. Trust is what the score leaves for it,
        so it is an estimate{is_complete ? '' : `, the more as only ${read_up_to} of each list were read`}.
      </Text>
    </Stack>
  )
}

function bands({ trusted, between, doubted, unscored }: Schemas['EndorsementCounts']): string {
  return `${trusted} trusted (0.9 or more), ${between} between, ${doubted} doubted (0.5 or less), ${unscored} without a score`
}

/** The log-odds of the score, from trust downwards. */
function Parts({
  explanation: { trust, signals, neighborhood },
}: {
  explanation: Schemas['ScoreExplanation']
}) {
  return (
    <WideTable label="Parts of the score" minWidth={560}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Part</Table.Th>
          <Table.Th>Found</Table.Th>
          <Table.Th>Strength</Table.Th>
          <Table.Th>Log-odds</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {trust && (
          <Table.Tr>
            <Table.Td>trust</Table.Td>
            <Table.Td>what endorsements alone make of it</Table.Td>
            <Table.Td>{trust.probability.toFixed(2)}</Table.Td>
            <Table.Td>{signed(trust.log_odds)}</Table.Td>
          </Table.Tr>
        )}
        {signals.map(({ name, found, value, takes }) => (
          <Table.Tr key={name}>
            <Table.Td>{name}</Table.Td>
            <Table.Td>{found}</Table.Td>
            <Table.Td>{value.toFixed(2)}</Table.Td>
            <Table.Td>{signed(-takes)}</Table.Td>
          </Table.Tr>
        ))}
        <Table.Tr>
          <Table.Td>neighborhood</Table.Td>
          <Table.Td>endorses {neighborhood.endorsed.doubted} doubted accounts</Table.Td>
          <Table.Td>{neighborhood.penalty.toFixed(2)}</Table.Td>
          <Table.Td>{signed(-neighborhood.takes)}</Table.Td>
        </Table.Tr>
      </Table.Tbody>
    </WideTable>
  )
}

function signed(value: number): string {
  const text = Math.abs(value).toFixed(2)
  if (text === '0.00') return '0'
  return value > 0 ? `+${text}` : `−${text}`
}
