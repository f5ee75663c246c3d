// Prints every cast that the hub merges, over server-sent events, and continues where it stopped.
import { readFileSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

const { PLAZA_URL = 'http://127.0.0.1:8080', POSITION_FILE = 'position.txt' } = process.env
const address = `${PLAZA_URL}/v1/events/stream?event_type=HUB_EVENT_TYPE_MERGE_MESSAGE`

function readPosition() {
  try {
    return readFileSync(POSITION_FILE, 'utf8')
  } catch {
    return ''
  }
}

/** Yields `{id, event, data}`; the fields of an event are lines, and an empty line ends it. */
async function* serverSentEvents(body) {
  let text = ''
  for await (const chunk of body.pipeThrough(new TextDecoderStream())) {
    const parts = (text + chunk).split('\n\n')
    text = parts.pop()
    for (const part of parts) {
      const lines = part.split('\n').map((line) => /^(\w+): ?(.*)$/s.exec(line)?.slice(1) ?? [])
      yield Object.fromEntries(lines.filter(([name]) => name !== undefined))
    }
  }
}

function print({ mergeMessageBody }) {
  const { data, hash } = mergeMessageBody.message
  if (data.type === 'MESSAGE_TYPE_CAST_ADD') console.log(`${data.fid} ${hash} ${data.castAddBody.text}`)
}

async function follow() {
  const position = readPosition()
  const headers = position === '' ? {} : { 'last-event-id': position }
  const response = await fetch(address, { headers })
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`)
  console.log(position === '' ? 'following from now on' : 'following where it stopped')
  for await (const { id, event, data } of serverSentEvents(response.body)) {
    if (event === 'error') throw new Error(data)
    if (data !== undefined && event === undefined) print(JSON.parse(data))
    // Heartbeats have an id, too: they move the position while nothing matches.
    if (id) writeFileSync(POSITION_FILE, id)
  }
}

for (;;) {
  try {
    await follow()
  } catch (error) {
    console.error(error.message)
  }
  await sleep(1000)
}
