import { fork } from 'node:child_process'

/**
 * Starts a process that sends load, one job at a time, and ends when it is told to.
 *
 * @param {string} module Beside this file.
 */
export function startLoadProcess(module) {
  const child = fork(new URL(module, import.meta.url).pathname, { serialization: 'advanced' })
  const ended = new Promise((_, reject) =>
    child.once('exit', (code) => reject(new Error(`${module} ended: ${code}`))),
  )
  ended.catch(() => {})
  return {
    /**
     * Gives it a message, and waits for the last of what it says about it.
     *
     * @param {object} message
     * @param {{ last: string, onOther?: () => void }} options `last`: the name of that. `onOther` is called for any other.
     * @returns {Promise<any>}
     */
    async send(message, { last, onOther }) {
      const answered = new Promise((resolve) => {
        const listen = (/** @type {any} */ said) => {
          if (said[last] === undefined) return onOther?.()
          child.off('message', listen)
          resolve(said[last])
        }
        child.on('message', listen)
      })
      child.send(message)
      return await Promise.race([answered, ended])
    },
    stop() {
      if (child.connected) child.disconnect()
    },
  }
}
