import { Button, List, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api, dataOf, type Schemas } from '../../api'
import { Confirmation } from '../../parts/confirmation'
import { holdersText } from './holders-text'

/** Stops tracking a token, and says what that deletes. */
export function UntrackToken({ token }: { token: Schemas['TrackedToken'] }) {
  const [isOpen, { open, close }] = useDisclosure()
  const queries = useQueryClient()
  const untracking = useMutation({
    mutationFn: () => dataOf(api.DELETE('/admin/tokens/{id}', { params: { path: { id: token.id } } })),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['tokens'] }),
  })
  const { symbol, holders, pools } = token
  return (
    <>
      <Button
        size="xs"
        color="red.9"
        variant="outline"
        onClick={open}
        aria-label={`Stop tracking ${symbol} on ${token.network}`}
      >
        Stop tracking
      </Button>
      <Confirmation
        opened={isOpen}
        onClose={close}
        title={`Stop tracking ${symbol}?`}
        mutation={untracking}
        action="Delete its balances"
        stay="Keep it"
      >
        <Text size="sm">This deletes:</Text>
        <List size="sm">
          <List.Item>{`the balances of ${holdersText(holders)} holders`}</List.Item>
          <List.Item>the progress of its backfill: tracking it again reads its history again</List.Item>
          {pools.length > 0 && (
            <List.Item>{`of its ${pools.length} pools, those without another tracked token`}</List.Item>
          )}
        </List>
        <Text size="sm">
          Recorded trades stay. A request for the token tracks it again, unless MAX_TRACKED_TOKENS is 0.
        </Text>
      </Confirmation>
    </>
  )
}
