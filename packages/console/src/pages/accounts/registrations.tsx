import { Badge, SegmentedControl, Table, Text } from '@mantine/core'
import { useState } from 'react'
import { api, dataOf } from '../../api'
import { Paged } from '../../parts/paged'
import { Time } from '../../parts/time'
import { WideTable } from '../../parts/wide-table'

/** Registrations of accounts: those that go on, or all. */
export function Registrations() {
  const [shown, setShown] = useState('pending')
  const filter = shown === 'pending' ? { pending: true } : {}
  return (
    <>
      <SegmentedControl
        aria-label="Registrations"
        style={{ alignSelf: 'start' }}
        data={[
          { value: 'pending', label: 'Pending registrations' },
          { value: 'all', label: 'All registrations' },
        ]}
        value={shown}
        onChange={setShown}
      />
      <Paged
        queryKey={['accounts', 'registrations', shown]}
        load={(cursor) =>
          dataOf(
            api.GET('/admin/accounts/registrations', { params: { query: { limit: 25, cursor, ...filter } } }),
          )
        }
        itemsOf={({ registrations }) => registrations}
        more="Older registrations"
      >
        {(registrations) =>
          registrations.length === 0 ? (
            <Text size="sm">
              {shown === 'pending' ? 'None is pending.' : 'None yet: POST user registers one.'}
            </Text>
          ) : (
            <WideTable label="Registrations" minWidth={720}>
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>Fid</Table.Th>
                  <Table.Th>Name</Table.Th>
                  <Table.Th>App</Table.Th>
                  <Table.Th>Step</Table.Th>
                  <Table.Th>Problems</Table.Th>
                  <Table.Th>Last attempt</Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {registrations.map(({ id, fid, fname, app, step, is_pending, problems, attempted_at }) => (
                  <Table.Tr key={id}>
                    <Table.Td>{fid ?? '–'}</Table.Td>
                    <Table.Td>{fname ?? '–'}</Table.Td>
                    <Table.Td>{app}</Table.Td>
                    <Table.Td>
                      <Badge
                        variant="dot"
                        color={is_pending ? 'yellow' : step === 'undone' ? 'red' : 'green'}
                      >
                        {step}
                      </Badge>
                    </Table.Td>
                    <Table.Td>{problems.join('; ') || '–'}</Table.Td>
                    <Table.Td>
                      <Time at={attempted_at} />
                    </Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </WideTable>
          )
        }
      </Paged>
    </>
  )
}
