import { Badge, Group, Table, Text } from '@mantine/core'
import { AnchorLink, ButtonLink } from '../../parts/link'
import { Empty, Loaded, Page } from '../../parts/page'
import { Time } from '../../parts/time'
import { WideTable } from '../../parts/wide-table'
import { NeedsApp } from '../../selected-app'
import { useWebhooks, type Webhook } from './requests'
import { WebhookState } from './webhook-state'

/** The webhooks of the selected app. */
export function Webhooks() {
  return (
    <Page title="Webhooks" actions={<ButtonLink to="/webhooks/new">Create a webhook</ButtonLink>}>
      <NeedsApp>{(app) => <WebhookList appId={app.id} />}</NeedsApp>
    </Page>
  )
}

function WebhookList({ appId }: { appId: string }) {
  return (
    <Loaded query={useWebhooks(appId)}>
      {({ webhooks }) =>
        webhooks.length === 0 ? (
          <Empty title="This app has no webhook">
            A webhook posts events to a URL of yours. Create one above.
          </Empty>
        ) : (
          <WebhookTable webhooks={webhooks} />
        )
      }
    </Loaded>
  )
}

function WebhookTable({ webhooks }: { webhooks: readonly Webhook[] }) {
  return (
    <WideTable label="Webhooks" minWidth={640}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Name</Table.Th>
          <Table.Th>Events</Table.Th>
          <Table.Th>State</Table.Th>
          <Table.Th>Created</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {webhooks.map((webhook) => (
          <Table.Tr key={webhook.webhook_id}>
            <Table.Td>
              <AnchorLink to="/webhooks/$id" params={{ id: webhook.webhook_id }}>
                {webhook.title}
              </AnchorLink>
              <Text size="sm" c="dimmed" lineClamp={1} title={webhook.target_url}>
                {webhook.target_url}
              </Text>
            </Table.Td>
            <Table.Td>
              <EventTypes webhook={webhook} />
            </Table.Td>
            <Table.Td>
              <WebhookState webhook={webhook} />
            </Table.Td>
            <Table.Td>
              <Time at={webhook.created_at} />
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </WideTable>
  )
}

function EventTypes({ webhook: { subscription } }: { webhook: Webhook }) {
  const types = Object.keys(subscription?.filters ?? {})
  if (types.length === 0) return <Text size="sm">samples only</Text>
  return (
    <Group gap={4}>
      {types.map((type) => (
        <Badge key={type} variant="default">
          {type}
        </Badge>
      ))}
    </Group>
  )
}
