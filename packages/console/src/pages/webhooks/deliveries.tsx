import { Badge, Box, Button, Group, Select, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useState } from 'react'
import { Dialog } from '../../parts/dialog'
import { formatCount } from '../../parts/format'
import { Empty, Loaded } from '../../parts/page'
import { Problem } from '../../parts/problem'
import { Time } from '../../parts/time'
import { VirtualList } from '../../parts/virtual-list'
import { DeliveryDialog, DeliveryState } from './delivery'
import { type Delivery, useDeliveries, useFailedCount, useRedeliver, type Webhook } from './requests'

const states: readonly Delivery['status'][] = ['waiting', 'sending', 'delivered', 'failed', 'canceled']

/** The deliveries of a webhook, by state. */
export function Deliveries({ appId, webhook }: { appId: string; webhook: Webhook }) {
  const [status, setStatus] = useState<Delivery['status'] | null>(null)
  const [opened, setOpened] = useState<string | null>(null)
  const query = useDeliveries(appId, webhook.webhook_id, status)
  return (
    <Stack>
      <Group justify="space-between" align="flex-end">
        <Select
          label="State"
          placeholder="All"
          data={[...states]}
          value={status}
          clearable
          clearButtonProps={{ 'aria-label': 'All states' }}
          onChange={(value) => setStatus(value as Delivery['status'] | null)}
        />
        <RedeliverAll appId={appId} webhook={webhook} />
      </Group>
      <VirtualList
        label="Deliveries"
        query={query}
        itemsOf={({ deliveries }) => deliveries}
        keyOf={({ delivery_id }) => delivery_id}
        rowHeight={76}
        isHeld={opened !== null}
        empty={
          <Empty title={status === null ? 'Nothing was sent yet' : `No delivery is ${status}`}>
            Deliveries are listed here as soon as an event matches. Send a sample to try the receiver.
          </Empty>
        }
      >
        {(delivery) => <DeliveryRow delivery={delivery} onOpen={setOpened} />}
      </VirtualList>
      <DeliveryDialog appId={appId} id={opened} onClose={() => setOpened(null)} />
    </Stack>
  )
}

function DeliveryRow({ delivery, onOpen }: { delivery: Delivery; onOpen: (id: string) => void }) {
  const { type, event_id, created_at, status, attempts, response_code, next_attempt_at } = delivery
  return (
    <Group className="list-row" justify="space-between" wrap="nowrap" gap="xs">
      <Box miw={0}>
        <Group gap="xs">
          <Text size="sm">{type}</Text>
          <DeliveryState status={status} />
        </Group>
        <Text size="sm" c="dimmed" className="mono wraps">
          {event_id}
        </Text>
        <Text size="sm" c="dimmed">
          queued <Time at={created_at} />
          {` · ${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}`}
          {response_code !== null && ` · response ${response_code}`}
          {next_attempt_at !== null && (
            <>
              {' · next '}
              <Time at={next_attempt_at} />
            </>
          )}
        </Text>
      </Box>
      <Button
        size="xs"
        variant="default"
        style={{ flexShrink: 0 }}
        aria-label={`Open ${event_id}`}
        onClick={() => onOpen(delivery.delivery_id)}
      >
        Open
      </Button>
    </Group>
  )
}

const HOUR_MS = 3_600_000

const periods = [
  { value: '1', label: 'in the last hour' },
  { value: '24', label: 'in the last day' },
  { value: '168', label: 'in the last week' },
  { value: 'all', label: 'at any time' },
]

function RedeliverAll({ appId, webhook: { webhook_id, active } }: { appId: string; webhook: Webhook }) {
  const [isOpen, { open, close }] = useDisclosure()
  const [period, setPeriod] = useState('24')
  const redelivery = useRedeliver()
  const count = redelivery.data?.redelivered
  const since = () =>
    (period === 'all' ? new Date(0) : new Date(Date.now() - Number(period) * HOUR_MS)).toISOString()
  const failed = useFailedCount({ appId, id: webhook_id, period, since, isEnabled: isOpen })
  function finish() {
    close()
    redelivery.reset()
  }
  return (
    <>
      <Button variant="default" onClick={open} disabled={!active}>
        Redeliver all failed
      </Button>
      <Dialog opened={isOpen} onClose={finish} title="Redeliver all failed">
        <Stack>
          <Select
            label="Deliveries that failed or were canceled, queued"
            data={periods}
            value={period}
            allowDeselect={false}
            onChange={(value) => setPeriod(value ?? period)}
          />
          <Loaded query={failed}>
            {({ found, isAll }) => (
              <Text size="sm" role="status">
                {`${formatCount(found)}${isAll ? '' : ' or more'} ${found === 1 && isAll ? 'delivery is' : 'deliveries are'} sent again.`}
              </Text>
            )}
          </Loaded>
          <Problem error={redelivery.error} />
          {count !== undefined && (
            <Badge variant="dot" color="green">{`${formatCount(count)} queued again`}</Badge>
          )}
          <Group>
            <Button
              loading={redelivery.isPending}
              onClick={() => redelivery.mutate({ webhook_id, since: since() })}
            >
              Redeliver
            </Button>
            <Button variant="default" onClick={finish}>
              Close
            </Button>
          </Group>
        </Stack>
      </Dialog>
    </>
  )
}
