import { Checkbox, Fieldset, SimpleGrid, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { eventTypes, type FilterField, type FilterTexts, filterFields } from './filter-fields'
import type { EventType } from './requests'

/** The form of a subscription: its event types, and the filter of each. */
export function FilterBuilder({
  texts,
  problems,
  onChange,
}: {
  texts: FilterTexts
  /** By property. */
  problems: ReadonlyMap<string, string>
  onChange: (texts: FilterTexts) => void
}) {
  const selected = eventTypes.filter((type) => texts[type] !== undefined)
  return (
    <Stack>
      <Checkbox.Group
        label="Events"
        description="A webhook without events gets only samples."
        value={selected}
        onChange={(types) =>
          onChange(Object.fromEntries(types.map((type) => [type, texts[type as EventType] ?? {}])))
        }
      >
        <SimpleGrid cols={{ base: 2, sm: 3 }} mt="xs" spacing="xs">
          {eventTypes.map((type) => (
            <Checkbox key={type} value={type} label={type} />
          ))}
        </SimpleGrid>
      </Checkbox.Group>
      {selected.map((type) => (
        <EventFilter
          key={type}
          type={type}
          texts={texts[type] ?? {}}
          problems={problems}
          onChange={(members) => onChange({ ...texts, [type]: members })}
        />
      ))}
    </Stack>
  )
}

function EventFilter({
  type,
  texts,
  problems,
  onChange,
}: {
  type: EventType
  texts: Readonly<Record<string, string>>
  problems: ReadonlyMap<string, string>
  onChange: (texts: Readonly<Record<string, string>>) => void
}) {
  const fields = filterFields[type]
  const parts = [
    { explanation: 'One of these must match. If all are empty, every event matches.', narrows: undefined },
    { explanation: 'Each of these must hold, too.', narrows: true as const },
  ]
  return (
    <Fieldset legend={type}>
      <Stack>
        {fields.length === 0 && <Text size="sm">Every event of this type is sent.</Text>}
        {parts.map(({ explanation, narrows }) => {
          const shown = fields.filter((field) => field.narrows === narrows)
          if (shown.length === 0) return null
          return (
            <Stack key={explanation} gap="xs">
              <Text size="sm" c="dimmed">
                {explanation}
              </Text>
              <SimpleGrid cols={{ base: 1, md: 2 }}>
                {shown.map((field) => (
                  <Field
                    key={field.name}
                    field={field}
                    text={texts[field.name] ?? ''}
                    problem={problems.get(`subscription.${type}.${field.name}`)}
                    onChange={(text) => onChange({ ...texts, [field.name]: text })}
                  />
                ))}
              </SimpleGrid>
            </Stack>
          )
        })}
      </Stack>
    </Fieldset>
  )
}

const descriptions: Readonly<Record<FilterField['input'], string>> = {
  fids: 'Fids, between commas or spaces',
  hashes: 'Hashes of casts, one a line',
  urls: 'URLs, one a line, compared exactly',
  pattern: 'Regular expression of RE2; (?i) ignores case',
  score: 'From 0 to 1',
  amount: 'From 0',
}

/** One member of a filter. */
function Field({
  field: { label, input },
  text,
  problem,
  onChange,
}: {
  field: FilterField
  text: string
  problem: string | undefined
  onChange: (text: string) => void
}) {
  const shared = {
    label,
    description: descriptions[input],
    value: text,
    error: problem,
    onChange: (event: { currentTarget: { value: string } }) => onChange(event.currentTarget.value),
  }
  if (input === 'pattern') return <TextInput {...shared} classNames={{ input: 'mono' }} spellCheck={false} />
  if (input === 'score' || input === 'amount') return <TextInput {...shared} inputMode="decimal" />
  return <Textarea {...shared} autosize minRows={1} maxRows={6} spellCheck={false} />
}
