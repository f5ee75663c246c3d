import { Button, Group, TextInput } from '@mantine/core'
import { type FormEvent, useEffect, useState } from 'react'

/** One field that searches when it is sent. */
export function SearchForm({
  label,
  placeholder,
  value,
  onSearch,
  action = 'Search',
}: {
  label: string
  placeholder?: string
  /** Text of the current search. */
  value: string
  onSearch: (text: string) => void
  action?: string
}) {
  const [text, setText] = useState(value)
  // Another search, such as one by the buttons of the browser. A new form for it would take the focus away.
  useEffect(() => setText(value), [value])
  function submit(event: FormEvent) {
    event.preventDefault()
    onSearch(text.trim())
  }
  return (
    <search>
      <form onSubmit={submit}>
        <Group align="end" wrap="nowrap">
          <TextInput
            type="search"
            label={label}
            placeholder={placeholder}
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
            flex={1}
            maw={560}
          />
          <Button type="submit">{action}</Button>
        </Group>
      </form>
    </search>
  )
}
