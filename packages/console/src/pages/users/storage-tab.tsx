import { Progress, Stack, Table, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { api, dataOf, type Schemas } from '../../api'
import { formatCount } from '../../parts/format'
import { Empty, Loaded } from '../../parts/page'
import { Time } from '../../parts/time'
import { WideTable } from '../../parts/wide-table'

const types = [
  ['casts', 'Casts'],
  ['reactions', 'Reactions'],
  ['links', 'Follows and blocks'],
  ['verified_addresses', 'Verified addresses'],
  ['username_proofs', 'User names'],
  ['signers', 'Keys'],
] as const

/** Units of storage of a user, and what uses them. */
export function StorageTab({ fid }: { fid: number }) {
  const params = { params: { query: { fid } } }
  const usage = useQuery({
    queryKey: ['users', fid, 'storage'],
    queryFn: () => dataOf(api.GET('/v2/social/storage/usage/', params)),
  })
  const rents = useQuery({
    queryKey: ['users', fid, 'rents'],
    queryFn: () => dataOf(api.GET('/v2/social/storage/allocations/', params)),
  })
  return (
    <Stack>
      <Loaded query={usage}>{(used) => <Usage used={used} />}</Loaded>
      <Title order={2} size="h4">
        Rents
      </Title>
      <Loaded query={rents}>
        {({ allocations = [] }) =>
          allocations.length === 0 ? (
            <Empty title="No storage was rented">
              POST /v2/farcaster/storage/buy rents a unit with a wallet of the app.
            </Empty>
          ) : (
            <WideTable label="Rents" minWidth={420}>
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>Units</Table.Th>
                  <Table.Th>Rented</Table.Th>
                  <Table.Th>Ends</Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {allocations.map(({ units, timestamp, expiry }) => (
                  <Table.Tr key={`${timestamp} ${expiry} ${units}`}>
                    <Table.Td>{units}</Table.Td>
                    <Table.Td>
                      <Time at={timestamp ?? null} />
                    </Table.Td>
                    <Table.Td>
                      <Time at={expiry ?? null} />
                    </Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </WideTable>
          )
        }
      </Loaded>
    </Stack>
  )
}

function Usage({ used }: { used: Schemas['StorageUsageResponse'] }) {
  return (
    <Stack gap="sm">
      <Text>{used.total_active_units ?? 0} active units</Text>
      {types.map(([name, label]) => {
        const { used: count = 0, capacity = 0 } = used[name] ?? {}
        return (
          <Stack key={name} gap={2} maw={480}>
            <Text size="sm">
              {label}: {formatCount(count)} of {formatCount(capacity)}
            </Text>
            <Progress value={capacity === 0 ? 0 : (100 * count) / capacity} aria-label={`${label} used`} />
          </Stack>
        )
      })}
    </Stack>
  )
}
