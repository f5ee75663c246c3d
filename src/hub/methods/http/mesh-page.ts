/** The page of `/v1/mesh/ui`: it asks for the operator's credentials and shows `/v1/mesh`. */
export const MESH_PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Mesh</title>
<style>
  body { font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 60rem; padding: 0 1rem }
  pre { background: #f4f4f4; overflow: auto; padding: 1rem }
  input, button { font: inherit }
</style>
<h1>Mesh</h1>
<form>
  <label>User <input name="user" autocomplete="username"></label>
  <label>Password <input name="password" type="password" autocomplete="current-password"></label>
  <label><input name="crawl" type="checkbox"> all nodes</label>
  <button>Show</button>
</form>
<p role="status"></p>
<pre hidden></pre>
<script>
  const form = document.querySelector('form')
  const status = document.querySelector('[role=status]')
  const output = document.querySelector('pre')
  async function show(event) {
    event?.preventDefault()
    const { user, password, crawl } = form.elements
    const bytes = new TextEncoder().encode(user.value + ':' + password.value)
    const headers = user.value ? { authorization: 'Basic ' + btoa(String.fromCharCode(...bytes)) } : {}
    const reply = await fetch('../mesh' + (crawl.checked ? '?crawl=true' : ''), { headers })
    const body = await reply.json()
    status.textContent = reply.ok ? '' : body.error
    output.hidden = !reply.ok
    output.textContent = JSON.stringify(body, null, 2)
  }
  form.addEventListener('submit', show)
  show()
</script>
</html>
`
