// @ts-check
// The script of the approval page.

import { approve, refuse, run, showStatus, waitForAnswer } from './answer.js'

const form = /** @type {HTMLFormElement | null} */ (document.querySelector('#answer'))
if (form) start(form)

/** @param {HTMLFormElement} form */
function start(form) {
  for (const button of form.querySelectorAll('button')) button.disabled = false
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    run(async () => {
      await approve(form)
      await end(form, 'Approved.')
    })
  })
  form.querySelector('#refuse')?.addEventListener('click', () =>
    run(async () => {
      await refuse(form)
      await end(form, 'Refused. The app cannot use this key.')
    }),
  )
}

/** Waits until the request is answered, says so, and goes on to the app.
 * @param {HTMLFormElement} form
 * @param {string} text
 */
async function end(form, text) {
  const { status, redirect_url: redirect } = await waitForAnswer(form)
  form.remove()
  showStatus(text)
  if (redirect === null || status !== 'approved') return
  const link = document.createElement('a')
  link.id = 'onward'
  link.href = redirect
  link.rel = 'noreferrer'
  link.textContent = 'Go on to the app'
  document.querySelector('#status')?.append(' ', link)
  location.assign(redirect)
}
