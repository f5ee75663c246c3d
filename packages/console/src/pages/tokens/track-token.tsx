import { Button, Checkbox, NumberInput, Select, Stack, Textarea, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { api, dataOf } from '../../api'
import { enteredNumber } from '../../parts/format'
import { Problem } from '../../parts/problem'

type Network = 'ethereum' | 'optimism' | 'base' | 'arbitrum'

/** The form that tracks a token, or adds pools to one. */
export function TrackToken({ networks, onDone }: { networks: readonly string[]; onDone: () => void }) {
  const [network, setNetwork] = useState(networks[0] ?? '')
  const [address, setAddress] = useState('')
  const [pools, setPools] = useState('')
  const [firstBlock, setFirstBlock] = useState<number | string>('')
  const [logo, setLogo] = useState('')
  const [isDollar, setIsDollar] = useState(false)
  const queries = useQueryClient()
  const block = enteredNumber(firstBlock)
  const tracking = useMutation({
    mutationFn: () =>
      dataOf(
        api.POST('/admin/tokens', {
          body: {
            network: network as Network,
            address: address.trim(),
            pools: pools.split(/[\s,]+/).filter(Boolean),
            ...(block === null ? {} : { first_block: block }),
            ...(logo === '' ? {} : { logo }),
            is_dollar: isDollar,
          },
        }),
      ),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['tokens'] })
      onDone()
    },
  })
  function submit(event: FormEvent) {
    event.preventDefault()
    tracking.mutate()
  }
  return (
    <form onSubmit={submit}>
      <Stack>
        <Select
          label="Network"
          data={[...networks]}
          value={network}
          onChange={(chosen) => chosen && setNetwork(chosen)}
          allowDeselect={false}
        />
        <TextInput
          label="Contract"
          value={address}
          onChange={(event) => setAddress(event.currentTarget.value)}
          placeholder="0x…"
          required
          data-autofocus
        />
        <Textarea
          label="Pools"
          description="Their swaps are recorded as trades from now on. Addresses, separated by spaces."
          value={pools}
          onChange={(event) => setPools(event.currentTarget.value)}
          autosize
        />
        <NumberInput
          label="First block"
          description="Empty: it is searched. Without old state, the chain is read from its beginning."
          value={firstBlock}
          onChange={setFirstBlock}
          min={0}
          allowDecimal={false}
          allowNegative={false}
        />
        <TextInput
          label="Picture"
          description="https URL"
          value={logo}
          onChange={(event) => setLogo(event.currentTarget.value)}
        />
        <Checkbox
          label="It is worth a dollar, and values trades"
          checked={isDollar}
          onChange={(event) => setIsDollar(event.currentTarget.checked)}
        />
        <Problem error={tracking.error} />
        <Button type="submit" loading={tracking.isPending}>
          Track the token
        </Button>
      </Stack>
    </form>
  )
}
