import { Badge, Spoiler, Table, Text } from '@mantine/core'
import { api, dataOf, type Schemas } from '../../api'
import { Empty } from '../../parts/page'
import { Paged } from '../../parts/paged'
import { Section } from '../../parts/section'
import { Time } from '../../parts/time'
import { WideTable } from '../../parts/wide-table'

type Signer = Schemas['AppSigner']

const colors = { generated: 'gray', pending_approval: 'yellow', approved: 'green', revoked: 'red' } as const

/** The signers of an app: their users, and what they may do. */
export function AppSigners({ appId }: { appId: string }) {
  return (
    <Section title="Signers">
      <Paged
        queryKey={['apps', appId, 'signers']}
        load={(cursor) =>
          dataOf(
            api.GET('/admin/apps/{id}/signers', {
              params: { path: { id: appId }, query: { limit: 25, cursor } },
            }),
          )
        }
        itemsOf={({ signers }) => signers}
        more="Older signers"
      >
        {(signers) =>
          signers.length === 0 ? (
            <Empty title="This app has no signer">
              A signer acts for a user who has approved it: POST signer creates one.
            </Empty>
          ) : (
            <SignerTable signers={signers} />
          )
        }
      </Paged>
    </Section>
  )
}

function SignerTable({ signers }: { signers: readonly Signer[] }) {
  return (
    <WideTable label="Signers" minWidth={820}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>User</Table.Th>
          <Table.Th>Signer</Table.Th>
          <Table.Th>State</Table.Th>
          <Table.Th>Permissions</Table.Th>
          <Table.Th w={260}>May do</Table.Th>
          <Table.Th>Created</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {signers.map((signer) => (
          <Table.Tr key={signer.signer_uuid}>
            <Table.Td>{userText(signer)}</Table.Td>
            <Table.Td className="mono">
              {signer.signer_uuid}
              <Text size="sm">
                {signer.key_type === 'auth_address' ? 'auth address' : `key held by the ${signer.held_by}`}
              </Text>
            </Table.Td>
            <Table.Td>
              <Badge variant="dot" color={colors[signer.status]}>
                {signer.status.replace('_', ' ')}
              </Badge>
            </Table.Td>
            <Table.Td className="mono">{signer.permissions.join(', ') || 'none'}</Table.Td>
            <Table.Td>
              {signer.operations.length === 0 ? (
                'nothing'
              ) : (
                <Spoiler
                  maxHeight={48}
                  showLabel={`All ${signer.operations.length} operations`}
                  hideLabel="Fewer operations"
                >
                  <Text size="sm">{signer.operations.join(', ')}</Text>
                </Spoiler>
              )}
            </Table.Td>
            <Table.Td>
              <Time at={signer.created_at} />
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </WideTable>
  )
}

function userText({ fid, username }: Signer): string {
  if (fid === null) return '–'
  return username === null ? `fid ${fid}` : `@${username}, fid ${fid}`
}
