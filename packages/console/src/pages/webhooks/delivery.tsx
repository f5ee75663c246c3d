import { Badge, Button, Group, Stack, Text, Title } from '@mantine/core'
import { Dialog } from '../../parts/dialog'
import { Facts } from '../../parts/facts'
import { Json } from '../../parts/json'
import { Loaded } from '../../parts/page'
import { Problem } from '../../parts/problem'
import { Time } from '../../parts/time'
import { type Delivery, useDelivery, useRedeliver } from './requests'

const colors: Readonly<Record<Delivery['status'], string>> = {
  waiting: 'yellow',
  sending: 'blue',
  delivered: 'green',
  failed: 'red',
  canceled: 'gray',
}

/** The state of a delivery. */
export function DeliveryState({ status }: Pick<Delivery, 'status'>) {
  return (
    <Badge variant="dot" color={colors[status]}>
      {status}
    </Badge>
  )
}

/** A delivery with its request and response, while one is opened. */
export function DeliveryDialog({
  appId,
  id,
  onClose,
}: {
  appId: string
  id: string | null
  onClose: () => void
}) {
  return (
    <Dialog opened={id !== null} onClose={onClose} title="Delivery">
      {id !== null && <LoadedDelivery appId={appId} id={id} />}
    </Dialog>
  )
}

function LoadedDelivery({ appId, id }: { appId: string; id: string }) {
  return (
    <Loaded query={useDelivery(appId, id)}>
      {({ delivery, request, response }) => (
        <Stack>
          <Details delivery={delivery} />
          <Redeliver delivery={delivery} />
          <Part title="Response">
            {response === null ? (
              <Text size="sm">{delivery.failure ?? 'The target has not replied yet.'}</Text>
            ) : (
              <>
                <Text size="sm">{`Status ${response.status}`}</Text>
                {response.body !== null && <Json label="Response body" value={response.body} />}
              </>
            )}
          </Part>
          <Part title="Request">
            {request === null ? (
              <Text size="sm">It is made with the first attempt.</Text>
            ) : (
              <>
                <Text size="sm" className="mono" style={{ overflowWrap: 'anywhere' }}>
                  POST {request.url}
                </Text>
                <Json
                  label="Request headers"
                  value={Object.entries(request.headers)
                    .map(([name, value]) => `${name}: ${value}`)
                    .join('\n')}
                />
                <Json label="Request body" value={request.body} />
              </>
            )}
          </Part>
        </Stack>
      )}
    </Loaded>
  )
}

function Part({ title, children }: { title: string; children: React.ReactNode }) {
  return (
    <Stack gap="xs" component="section">
      <Title order={2} size="h5">
        {title}
      </Title>
      {children}
    </Stack>
  )
}

function Details({ delivery }: { delivery: Delivery }) {
  return (
    <Facts
      facts={{
        State: <DeliveryState status={delivery.status} />,
        Event: `${delivery.type}, ${delivery.event_id}`,
        Attempts: delivery.attempts,
        'Last attempt': <Time at={delivery.last_attempt_at} />,
        'It took': delivery.latency_ms === null ? '–' : `${delivery.latency_ms} ms`,
        'Next attempt': <Time at={delivery.next_attempt_at} />,
        Failure: delivery.failure ?? '–',
      }}
    />
  )
}

function Redeliver({ delivery: { delivery_id, status } }: { delivery: Delivery }) {
  const redelivery = useRedeliver()
  const hasEnded = status !== 'waiting' && status !== 'sending'
  return (
    <>
      <Group>
        <Button
          disabled={!hasEnded}
          loading={redelivery.isPending}
          onClick={() => redelivery.mutate({ delivery_id })}
        >
          Redeliver
        </Button>
        {!hasEnded && <Text size="sm">It has not ended: it is sent again by itself.</Text>}
      </Group>
      <Problem error={redelivery.error} />
    </>
  )
}
