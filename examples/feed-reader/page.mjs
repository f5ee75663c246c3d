const [form, casts, more, status, template] = ['choose', 'casts', 'more', 'status', 'cast'].map((id) =>
  document.getElementById(id),
)
let username = ''
let cursor = null
/** Number of the latest request: what an older one answers is not shown. */
let latest = 0

form.addEventListener('submit', (event) => {
  event.preventDefault()
  username = new FormData(form).get('username')
  cursor = null
  casts.replaceChildren()
  more.hidden = true
  showNextPage()
})
more.addEventListener('click', showNextPage)

async function showNextPage() {
  latest += 1
  const number = latest
  status.textContent = 'Loading…'
  more.disabled = true
  const query = new URLSearchParams({ username, ...(cursor && { cursor }) })
  const page = await read(`/feed?${query}`)
  if (number !== latest) return
  more.disabled = false
  status.textContent = page.message ?? ''
  if (page.message) return
  cursor = page.cursor
  more.hidden = !cursor
  casts.append(...page.casts.map(elementOf))
  if (casts.childElementCount === 0) status.textContent = 'Nothing yet.'
}

/** The page, or a message that says why there is none. */
async function read(url) {
  try {
    const response = await fetch(url)
    const reply = await response.json()
    return response.ok ? reply : { message: reply.message ?? `The server answered ${response.status}.` }
  } catch {
    return { message: 'The server did not answer. Try again.' }
  }
}

/** Texts of users go through `textContent`, never through HTML. */
function elementOf({ author, text, timestamp, likes, replies }) {
  const element = template.content.cloneNode(true)
  const picture = element.querySelector('img')
  if (author.picture) picture.src = author.picture
  else picture.remove()
  element.querySelector('b').textContent = `${author.name ?? ''} @${author.username}`
  element.querySelector('time').textContent = new Date(timestamp).toLocaleString()
  element.querySelector('p').textContent = text
  element.querySelector('footer').textContent = `${likes} likes, ${replies} replies`
  return element
}
