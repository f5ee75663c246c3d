import type { Socket } from 'node:net'
import type { Deadline, Deadlines } from '../process/deadlines.js'
import { MessageCounter } from './message-counter.js'

/** Types of messages of the wire protocol, version 3. */
const READY_FOR_QUERY = 0x5a
const QUERY = 0x51
const SYNC = 0x53
/** The state of a session within a transaction, the last byte of `ReadyForQuery`. */
const IN_TRANSACTION = 0x54
/** A server that is silent for so long runs a slow statement: in full load, those that are sent together take milliseconds. */
const SLOW_MS = 250
/** The severity of an error, not translated, and the field of its SQLSTATE, which has five characters. */
const errorStart = Buffer.from('VERROR\0C')
const STATE_BYTES = 5
/** A write on a server that takes none. */
const READ_ONLY = '25006'

/** When a connection is closed, and what is told of it. */
export interface SessionWatch {
  /** Functions that count the statements that were sent behind a slow one of another caller, one for each connection. */
  readonly delays: Set<() => number>
  /** Time without an answer after which the connection is closed, or looked at; null is none. */
  readonly silence: SilenceLimit | null
  /** Called when the server turns out to take no writes. */
  readonly onReadOnly: () => void
  /** Called with the SQLSTATE of an error. */
  readonly onError?: ((state: string) => void) | undefined
}

/** How long a server may be silent that owes an answer. */
export interface SilenceLimit {
  readonly limitMs: number
  readonly deadlines: Deadlines
  /** Whether the server may be silent for as long again. Without it, it may not. */
  readonly mayGoOn?: () => Promise<boolean>
}

/**
 * Closes a connection that can serve no more: the server behind it takes no writes (a standby, or a primary that was
 * demoted), is silent for longer than it lets any statement run, or has been replaced. The statements on it then fail,
 * and their late answers reach nobody.
 */
export function watchSession(socket: Socket, { delays, silence, onReadOnly, onError }: SessionWatch): void {
  socket.on('data', (chunk: Buffer) => {
    for (const state of errorStates(chunk)) {
      onError?.(state)
      if (state !== READ_ONLY) continue
      onReadOnly()
      // After the driver has read the error.
      setImmediate(() => socket.destroy())
    }
  })
  if (silence === null) return
  // From the first message that says that the session is ready, before the driver reads it.
  socket.on('data', function onReady(chunk: Buffer) {
    if (chunk[0] !== READY_FOR_QUERY) return
    socket.off('data', onReady)
    const countDelayed = limitSilence(socket, silence)
    delays.add(countDelayed)
    socket.once('close', () => delays.delete(countDelayed))
  })
}

/** The SQLSTATEs of the errors in a chunk. No value contains the bytes of the search: PostgreSQL's texts have no NUL. */
function errorStates(chunk: Buffer): string[] {
  const states: string[] = []
  for (let start = chunk.indexOf(errorStart); start >= 0; start = chunk.indexOf(errorStart, start + 1)) {
    const stateStart = start + errorStart.length
    states.push(chunk.toString('latin1', stateStart, stateStart + STATE_BYTES))
  }
  return states
}

/**
 * Counts questions and answers: a statement ends with one message that says so, whatever became of it. Returns the count of
 * statements that wait on the connection for a slow one. Those of a transaction are none: they are of one caller, which has the
 * connection.
 */
function limitSilence(socket: Socket, { limitMs, deadlines, mayGoOn }: SilenceLimit): () => number {
  const questions = new MessageCounter([QUERY, SYNC])
  const answers = new MessageCounter([READY_FOR_QUERY])
  let unanswered = 0
  const deadline: Deadline = {
    untilMs: 0,
    async expire() {
      if (await mayGoOn?.()) {
        if (unanswered > 0 && !socket.destroyed) watch()
        return
      }
      const error = new Error(`the database has not answered for ${limitMs / 1000} s`)
      socket.destroy(Object.assign(error, { code: 'ETIMEDOUT' }))
    },
  }
  const watch = () => {
    deadline.untilMs = performance.now() + limitMs
    deadlines.add(deadline)
  }

  const write: Socket['write'] = socket.write
  socket.write = (chunk: Uint8Array | string, ...rest: unknown[]): boolean => {
    const asked = questions.count(chunk as Buffer)
    if (unanswered === 0 && asked > 0) watch()
    unanswered += asked
    return Reflect.apply(write, socket, [chunk, ...rest])
  }
  socket.on('data', (chunk: Buffer) => {
    unanswered -= answers.count(chunk)
    if (unanswered <= 0) deadlines.remove(deadline)
    else deadline.untilMs = performance.now() + limitMs
  })
  socket.once('close', () => deadlines.remove(deadline))
  return () => {
    const silentMs = limitMs - (deadline.untilMs - performance.now())
    const isSlow = unanswered > 1 && silentMs > SLOW_MS
    return isSlow && answers.lastByte !== IN_TRANSACTION ? unanswered - 1 : 0
  }
}
