import type { Log } from '../log/log.js'

/** Beyond this, notifications, deliveries and retention are early or late enough to be noticed. */
const MAX_SKEW_MS = 60_000
/** The skew is over well below the limit, so that one around it is not logged over and over. */
const MAX_HEALED_SKEW_MS = 30_000

/** Warns once when the clock of this process and the database's differ by more than a minute, and says when that is over. */
export class ClockWatch {
  readonly #log: Log
  #isSkewed = false

  constructor(log: Log) {
    this.#log = log
  }

  /**
   * Notes the database's time, which it told between two moments of this process; Unix milliseconds. However long the answer
   * took, only what lies outside of them is a difference of the clocks.
   */
  note(databaseMs: number, askedMs: number, answeredMs: number): void {
    const [earliest, latest] = [askedMs - databaseMs, answeredMs - databaseMs]
    const skewMs = earliest > 0 ? earliest : Math.min(latest, 0)
    const seconds = Math.round(skewMs / 1000)
    if (!this.#isSkewed && Math.abs(skewMs) > MAX_SKEW_MS) {
      this.#isSkewed = true
      this.#log.warn(
        { seconds },
        `the clock of this process is ${Math.abs(seconds)} s ${seconds > 0 ? 'ahead of' : 'behind'} that of the database: ` +
          'synchronize both hosts by NTP (timedatectl status, chronyc tracking)',
      )
    } else if (this.#isSkewed && Math.abs(skewMs) <= MAX_HEALED_SKEW_MS) {
      this.#isSkewed = false
      this.#log.info({ seconds }, 'the clocks of this process and of the database agree again')
    }
  }
}
