import type { EventEmitter } from 'node:events'
import type { Socket } from 'node:net'
import type { SessionAttribute } from './database-url.js'

/** Setup of a new session before the driver uses it. */
export interface SessionSetup {
  /** Settings of the session. They are no start-up parameters: PgBouncer refuses those that it does not know. */
  readonly settings: Readonly<Record<string, string>>
  /** Required state of the server. */
  readonly target: SessionAttribute
  /** Called if the server is not what it must be. */
  readonly onRefused: () => void
  /** Called with the identity of the server before the driver uses the session. */
  readonly onReady?: (server: string) => void
}

/** The server is not what `target_session_attrs` asks for: a standby, or not yet promoted. */
export class WrongServerError extends Error {
  override readonly name = 'WrongServerError'
  readonly code = 'WRONG_SERVER'
}

/** Types of messages of the wire protocol, version 3. */
const READY_FOR_QUERY = 0x5a
const ERROR_RESPONSE = 0x45
const DATA_ROW = 0x44
const QUERY = 0x51
const HEADER_BYTES = 5
/** Size of the packet that the driver sends instead of a log-in to cancel a statement; the server closes without an answer. */
const CANCEL_REQUEST_BYTES = 16

/** State of a server. */
interface ServerState {
  readonly isStandby: boolean
  readonly isReadOnly: boolean
}

/** Whether a server is what is asked for, as libpq says it. */
export function satisfies(target: SessionAttribute, { isStandby, isReadOnly }: ServerState): boolean {
  switch (target) {
    case 'primary':
      return !isStandby
    case 'read-write':
      return !isReadOnly && !isStandby
    case 'standby':
      return isStandby
    case 'read-only':
      return isReadOnly || isStandby
    default:
      return true
  }
}

/** The columns that say which server it is, since it was started, and what it is, as texts. */
export const serverStateColumns =
  `extract(epoch from pg_postmaster_start_time())::text, pg_is_in_recovery()::text, ` +
  `current_setting('transaction_read_only')`
const STATE_COLUMNS = 3

/** Reads the columns, which are the last of a row. */
export function serverState(row: readonly (string | null)[]): ServerState {
  const [, recovery, readOnly] = row.slice(-STATE_COLUMNS)
  return { isStandby: recovery === 'true', isReadOnly: readOnly === 'on' }
}

/** Reads the identity of a server from the columns: two servers do not start in the same microsecond. */
export function serverIdentity(row: readonly (string | null)[]): string {
  return row.at(-STATE_COLUMNS) ?? ''
}

/**
 * Puts one statement of our own between the log-in and the driver's first statement: the driver learns that the session
 * is ready when its settings are made and the server is known to be the right one. One round trip for each connection,
 * none for a statement, and nothing remains on the socket afterwards.
 */
export function setUpSession(socket: Socket, setup: SessionSetup): void {
  const emit: EventEmitter['emit'] = socket.emit
  let received = Buffer.alloc(0)
  let ready: Buffer | null = null
  let row: (string | null)[] = []
  let failure: Buffer | null = null

  const pass = (message: Buffer) => emit.call(socket, 'data', message)

  function take(message: Buffer): void {
    const type = message[0]
    if (ready === null) {
      if (type !== READY_FOR_QUERY) {
        pass(message)
        return
      }
      ready = message
      socket.write(queryMessage(setupStatement(setup.settings)))
    } else if (type === DATA_ROW) row = readDataRow(message)
    else if (type === ERROR_RESPONSE) failure = message
    else if (type === READY_FOR_QUERY) finish(ready)
  }

  function finish(readyMessage: Buffer): void {
    // The method of its class again.
    Reflect.deleteProperty(socket, 'emit')
    if (failure !== null) {
      pass(failure)
      socket.destroy()
    } else if (satisfies(setup.target, serverState(row))) {
      setup.onReady?.(serverIdentity(row))
      pass(readyMessage)
    } else {
      setup.onRefused()
      socket.destroy(new WrongServerError(`the database server is not ${setup.target}`))
    }
  }

  socket.emit = (event: string | symbol, ...args: unknown[]): boolean => {
    if (event === 'close') {
      // A proxy without a server accepts and closes. The driver would try it again and again without a pause, and
      // its statement would wait for ever.
      Reflect.deleteProperty(socket, 'emit')
      if (socket.bytesWritten !== CANCEL_REQUEST_BYTES) emit.call(socket, 'error', closedError())
    }
    if (event !== 'data') return emit.call(socket, event, ...args)
    received = Buffer.concat([received, args[0] as Buffer])
    while (received.length >= HEADER_BYTES && !socket.destroyed) {
      const length = 1 + received.readUInt32BE(1)
      if (received.length < length) break
      const message = received.subarray(0, length)
      received = received.subarray(length)
      take(message)
    }
    return true
  }
}

function closedError(): Error {
  const error = new Error('the database server closed the connection before the session began')
  return Object.assign(error, { code: 'ECONNRESET' })
}

function setupStatement(settings: Readonly<Record<string, string>>): string {
  const calls = Object.entries(settings).map(
    ([name, value]) => `set_config(${literal(name)}, ${literal(value)}, false)`,
  )
  return `select ${[...calls, serverStateColumns].join(', ')}`
}

/** A text as SQL, whatever `standard_conforming_strings` is. */
function literal(text: string): string {
  return `E'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
}

function queryMessage(sql: string): Buffer {
  const text = Buffer.from(`${sql}\0`)
  const header = Buffer.alloc(HEADER_BYTES)
  header[0] = QUERY
  header.writeUInt32BE(text.length + HEADER_BYTES - 1, 1)
  return Buffer.concat([header, text])
}

function readDataRow(message: Buffer): (string | null)[] {
  const columns: (string | null)[] = []
  let offset = HEADER_BYTES + 2
  for (let count = message.readUInt16BE(HEADER_BYTES); count > 0; count -= 1) {
    const length = message.readInt32BE(offset)
    offset += Int32Array.BYTES_PER_ELEMENT
    columns.push(length < 0 ? null : message.toString('utf8', offset, offset + length))
    offset += Math.max(0, length)
  }
  return columns
}
