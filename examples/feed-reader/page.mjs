const [form, casts, more, status, template] = ['choose', 'casts', 'more', 'status', 'cast'].map((id) =>
  document.getElementById(id),
)
let username = ''
let cursor = null

form.addEventListener('submit', (event) => {
  event.preventDefault()
  username = new FormData(form).get('username')
  cursor = null
  casts.replaceChildren()
  showNextPage()
})
more.addEventListener('click', showNextPage)

async function showNextPage() {
  status.textContent = 'Loading…'
  const query = new URLSearchParams({ username, ...(cursor && { cursor }) })
  const response = await fetch(`/feed?${query}`)
  const page = await response.json()
  status.textContent = response.ok ? '' : page.message
  more.hidden = !page.cursor
  if (!response.ok) return
  cursor = page.cursor
  casts.append(...page.casts.map(elementOf))
  if (casts.childElementCount === 0) status.textContent = 'Nothing yet.'
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
