import { Badge, Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { api, dataOf, type Schemas } from '../../api'
import { Dialog } from '../../parts/dialog'
import { Facts, Verbatim } from '../../parts/facts'
import { formatCount } from '../../parts/format'
import { Json } from '../../parts/json'
import { Loaded } from '../../parts/page'
import { Time } from '../../parts/time'

/** One event with all fields, and what the check of its message has found. */
export function EventDetails({ id, onClose }: { id: string | null; onClose: () => void }) {
  return (
    <Dialog opened={id !== null} onClose={onClose} title={`Event ${id ?? ''}`} size="xl">
      {id !== null && <Details id={id} />}
    </Dialog>
  )
}

function Details({ id }: { id: string }) {
  const query = useQuery({
    queryKey: ['event', id],
    queryFn: () => dataOf(api.GET('/admin/events/{id}', { params: { path: { id } } })),
  })
  return (
    <Loaded query={query}>
      {({ event, decoded, bytes, check }) => (
        <Stack>
          <Facts
            facts={{
              Time: <Time at={event.at} />,
              Event: event.type,
              ...(event.message_type !== null && { Message: event.message_type }),
              ...(event.fid !== null && { User: event.fid }),
              ...(event.hash !== null && { Hash: <Verbatim value={event.hash} /> }),
              Stored: `${formatCount(bytes)} bytes`,
            }}
          />
          {check === null ? (
            <Text size="sm">It has no message whose signature could be checked.</Text>
          ) : (
            <Check check={check} />
          )}
          <Json label="Decoded event" value={decoded} />
        </Stack>
      )}
    </Loaded>
  )
}

const signerStates = {
  active: 'may sign for the user',
  'by message': 'may sign for the user, who granted it by a message',
  expired: 'was granted by a message, and not used for longer than its time: it may not sign any more',
  removed: 'was removed since: it may not sign any more',
  unknown: 'is not known for this user',
} as const satisfies Record<Schemas['MessageCheck']['signer_state'], string>

function Check({ check }: { check: Schemas['MessageCheck'] }) {
  return (
    <Stack gap="xs">
      <Group gap="xs">
        <Verdict what="Hash" isValid={check.hash_is_valid} />
        <Verdict what="Signature" isValid={check.signature_is_valid} />
        {check.claim_is_valid !== null && <Verdict what="Claim" isValid={check.claim_is_valid} />}
      </Group>
      {check.problem !== null && <Text size="sm">The hub says: {check.problem}</Text>}
      <Text size="sm">
        The key{' '}
        <Text span className="mono wraps">
          {check.signer}
        </Text>{' '}
        {signerStates[check.signer_state]}.
      </Text>
    </Stack>
  )
}

function Verdict({ what, isValid }: { what: string; isValid: boolean }) {
  return (
    <Badge variant="dot" color={isValid ? 'green' : 'red'}>
      {`${what} ${isValid ? 'valid' : 'not valid'}`}
    </Badge>
  )
}
