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
      await end(form, 'This key was refused or removed. The app cannot use it.')
    })
  })
  form.querySelector('#refuse')?.addEventListener('click', () =>
    run(async () => {
      await refuse(form)
      await end(form, 'Refused. The app cannot use this key.')
    }),
  )
}

/** Waits until the request is answered, says how, and goes on to the app. Another page may have answered it otherwise.
 * @param {HTMLFormElement} form
 * @param {string} refused What it says of a key that is not approved.
 */
async function end(form, refused) {
  const { status, redirect_url: redirect } = await waitForAnswer(form)
  form.remove()
  showStatus(status === 'approved' ? 'Approved.' : refused)
  if (redirect === null || status !== 'approved') return
  const link = document.createElement('a')
  link.id = 'onward'
  link.href = redirect
  link.rel = 'noreferrer'
  link.textContent = 'Go on to the app'
  document.querySelector('#status')?.append(' ', link)
  location.assign(redirect)
}
